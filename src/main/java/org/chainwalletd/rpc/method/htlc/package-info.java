/**
 * Answers the HTLC methods (interface.md, section 4.8), translates HTLC refusals into errors and keeps the keys that an open HTLC needs.
 * {@code MethodFamilies} takes the methods, {@code boot} the rest.
 */
package org.chainwalletd.rpc.method.htlc;
