/**
 * The methods that move money (interface.md, section 4.7) and {@code allowance_status}, one class each, and the translation of spend
 * refusals into errors with their {@code data}. {@code MethodFamilies} takes the methods, {@code boot} the rest.
 */
package org.chainwalletd.rpc.method.spend;
