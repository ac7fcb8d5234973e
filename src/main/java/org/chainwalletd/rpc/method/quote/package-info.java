/** The methods for quotes (interface.md, section 4.10). {@code MethodFamilies} uses it, and {@code boot} the errors. */
package org.chainwalletd.rpc.method.quote;
