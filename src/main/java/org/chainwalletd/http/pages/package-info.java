/**
 * The paths of interface.md, section 4.1: {@code POST /}, health, metrics, events, the console and the certificate. Passes the bytes of an
 * authenticated request to {@code rpc} and knows nothing of methods.
 */
package org.chainwalletd.http.pages;
