/**
 * HTTP exchanges with peers that this daemon asks: sockets, TLS, and what one exchange may cost in bytes and time. Knows nothing of what
 * is asked; {@code node} and {@code indexer} do, and only they and {@code boot} come here.
 */
package org.chainwalletd.net;
