/**
 * Answers the methods of interface.md, section 4.13: swaps, the liquidity pool, the account-chain key. Those about the
 * key need the keyring alone. The parameters of all are bound and checked like others; as long as no swap engine is configured the rest refuse.
 */
package org.chainwalletd.rpc.method.swap;
