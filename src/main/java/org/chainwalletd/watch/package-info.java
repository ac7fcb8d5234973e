/**
 * Live view of a running daemon for a terminal: reads and receives data, lays it out, and shows it either as a screen that is redrawn or as plain
 * lines. Talks to the daemon through the client like any other user. Used only by the command line.
 */
package org.chainwalletd.watch;
