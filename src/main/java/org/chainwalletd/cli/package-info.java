/**
 * Command line: finds the command, its options and its exit code. Every option of the configuration is accepted before or after the command's name.
 * Called by {@code Main} only.
 */
package org.chainwalletd.cli;
