/** The methods for quotes (interface.md, section 4.10) and the words in which a brand calls their members. {@code MethodFamilies} uses it, and {@code boot} the errors. */
package org.chainwalletd.rpc.method.quote;
