/**
 * The daemon's only door: connections and their deadlines, TLS, tokens and scopes, the paths of interface.md section 4.1, health and
 * metrics. Hands the bytes of an authenticated request to {@code rpc} and knows nothing of methods. Only {@code boot} calls in here.
 */
package org.chainwalletd.http;
