/**
 * A typed Java client of the daemon: bearer token, time-outs, fingerprint pinning, and one exception per kind of failure (interface.md,
 * sections 5.5 and 7.6). The command line, the demonstration and the tests use it like any other user would.
 */
package org.chainwalletd.client;
