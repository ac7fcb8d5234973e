/**
 * TLS: the daemon's certificate and key, the engine of a connection that leaves no secrets in its buffers, and the choice of the
 * protocol by ALPN.
 */
package org.chainwalletd.http.tls;
