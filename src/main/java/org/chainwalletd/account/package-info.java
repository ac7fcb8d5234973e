/**
 * Sending on the account chain (swap.md, sections 2 and 5): a single owner assigns the nonces and journals each transaction before it is sent.
 * {@link org.chainwalletd.account.AccountSends} is the entry point; {@link org.chainwalletd.account.endpoints.AccountChain} reads the chain from a
 * quorum of endpoints, none of which is trusted alone. Transactions are encoded by {@code evm} and signed by {@code keyring}. Called by the swap
 * engine and by the methods for the account-chain key.
 */
package org.chainwalletd.account;
