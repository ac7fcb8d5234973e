/**
 * Command line: determines the command, its options and its exit code. Every configuration option is accepted before or after the command's
 * name. Called by {@code Main} only.
 */
package org.chainwalletd.cli;
