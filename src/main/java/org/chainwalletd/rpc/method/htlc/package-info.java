/**
 * The HTLC methods (interface.md, section 4.8), one class each, and the translation of HTLC refusals into errors. {@code MethodFamilies}
 * takes the methods, {@code boot} the rest.
 */
package org.chainwalletd.rpc.method.htlc;
