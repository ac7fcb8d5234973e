/**
 * Sockets and the data that may pass them. HTTP exchanges with peers that this daemon calls: TLS, and limits in bytes and time; their contents are
 * known only to {@code node}, {@code indexer} and {@code account}. Sockets of clients that call this daemon, for {@code http}: accepting, reading
 * and writing, as stream stages. And the shared budget of the bytes that both buffer.
 */
package org.chainwalletd.net;
