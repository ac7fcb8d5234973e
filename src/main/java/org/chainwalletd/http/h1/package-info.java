/**
 * HTTP/1.1: the daemon's own reading of a request's framing, written anew for Pekko's parser (RFC 9112), one request at a time, and the
 * settings of Pekko HTTP that both protocols share.
 */
package org.chainwalletd.http.h1;
