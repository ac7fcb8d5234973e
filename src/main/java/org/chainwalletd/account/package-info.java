/**
 * The account chain as the daemon sees and uses it (swap.md, sections 2 and 5): JSON-RPC endpoints that are not believed one by one, what a
 * quorum of them agrees on, and the one owner of the nonce, who journals each transaction before it leaves. {@link
 * org.chainwalletd.account.endpoints.AccountChain} reads, {@link org.chainwalletd.account.AccountSends} sends. Bytes are those of {@code evm}, keys those
 * of {@code keyring}. Called by the swap engine and by the methods about the account-chain key.
 */
package org.chainwalletd.account;
