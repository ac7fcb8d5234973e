/**
 * The one way to run all benchmarks, and those of the packaged daemon as a process: its start. Nothing here is called by the daemon or its
 * tests.
 */
package org.chainwalletd.bench;
