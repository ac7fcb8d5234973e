/**
 * HTTP/1.1: strict parsing of request framing (RFC 9112), rewritten for Pekko's parser, one request at a time; and the settings of Pekko HTTP
 * that both protocols share.
 */
package org.chainwalletd.http.h1;
