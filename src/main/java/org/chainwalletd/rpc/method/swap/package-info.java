/**
 * The methods of interface.md, section 4.13: swaps, the liquidity pool, the account-chain key. Their parameters are bound and checked like
 * all others; as long as no swap engine is configured each of them refuses.
 */
package org.chainwalletd.rpc.method.swap;
