/**
 * Payment URIs (interface.md, section 4.12): a request for a payment as a text that people can click on or scan. Pure; the methods of {@code rpc}
 * call it.
 */
package org.chainwalletd.uri;
