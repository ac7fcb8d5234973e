/** The methods for payment URIs (interface.md, section 4.12). Only {@code MethodFamilies} uses it. */
package org.chainwalletd.rpc.method.uri;
