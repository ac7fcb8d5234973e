/**
 * Sockets, and what may come over them. HTTP exchanges with peers that this daemon asks: TLS, and what one exchange may cost in bytes and time;
 * nothing is known here of what is asked, {@code node}, {@code indexer} and {@code account} do. The sockets of clients that call this daemon,
 * for {@code http}: accepting, reading and writing, as parts of a stream. And the one account of the bytes that both make the daemon hold.
 */
package org.chainwalletd.net;
