/**
 * Live view of a running daemon for people at a terminal: the data that is read and received, its layout, and two ways to show it, as a screen that
 * is redrawn and as plain lines. Talks to the daemon through the client like any other user. Called by the command line only.
 */
package org.chainwalletd.watch;
