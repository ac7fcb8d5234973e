/**
 * HTTP exchanges with peers that this daemon asks: sockets, TLS, and what one exchange may cost in bytes and time. Knows nothing of what
 * is asked; {@code node}, {@code indexer} and {@code account} do. The one account of the bytes that peers make the daemon hold is here too,
 * since both sides take from it: those that are asked, and the clients of {@code http}.
 */
package org.chainwalletd.net;
