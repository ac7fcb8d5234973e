/**
 * Signals of the running daemon for operators: metrics in the text format of Prometheus, one audit line for each call that can change
 * something, and the setup of the log. Sees calls through {@code rpc.CallObserver}; {@code http} and {@code boot} call in here.
 */
package org.chainwalletd.observe;
