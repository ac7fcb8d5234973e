/** The methods for signed text messages (interface.md, section 4.9). Only {@code MethodFamilies} uses it. */
package org.chainwalletd.rpc.method.message;
