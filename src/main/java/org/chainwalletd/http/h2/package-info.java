/**
 * HTTP/2: frames, header compression and limits (RFC 9113, RFC 7541) checked before Pekko HTTP sees a byte.
 */
package org.chainwalletd.http.h2;
