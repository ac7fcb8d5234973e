/**
 * A live view of a running daemon for people at a terminal: what is read and heard of it, how that is laid out, and the two ways to show it, as a
 * screen that is drawn anew and as plain lines. Talks to the daemon through the client like any other user. Called by the command line only.
 */
package org.chainwalletd.watch;
