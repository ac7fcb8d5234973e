/**
 * The methods of the daemon as a Java program sees them: one record per method with its parameters, and in it the record of its result. All
 * but {@link org.chainwalletd.client.method.Call}, {@link org.chainwalletd.client.method.Spend} and {@link
 * org.chainwalletd.client.method.Answer} are made from what {@code rpc.discover} says, and a test keeps them so. Knows nothing of the daemon.
 *
 * <p>hex64 is a {@code String} of 64 hexadecimal characters, an amount or another unsigned 64-bit number a {@code BigInteger}, and what may
 * be left out an {@code Optional}.
 */
package org.chainwalletd.client.method;
