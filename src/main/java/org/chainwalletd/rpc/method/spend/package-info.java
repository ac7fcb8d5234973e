/**
 * The methods that move money (interface.md, section 4.7) and {@code allowance_status}, one class each, and the translation of spend
 * refusals into errors with their {@code data}. {@code boot} puts {@link org.chainwalletd.rpc.method.spend.SpendMethods} into the registry.
 */
package org.chainwalletd.rpc.method.spend;
