package org.chainwalletd.keyring;

/** What stands against giving up an account-chain key. */
public sealed interface EvmKeyObjection {
    /** In words for the caller. */
    String reason();

    /** A swap that is not over needs the key to claim or to refund. Overridden for a deletion, never for a replacement (swap.md, section 5). */
    record OpenSwap(String reason) implements EvmKeyObjection {}

    /** It holds, or may hold, money of the account chain: a balance, or one that could not be learnt. */
    record Balance(String reason) implements EvmKeyObjection {}

    /** Transactions of it are sent and not final, and may have to be replaced. */
    record Unsettled(String reason) implements EvmKeyObjection {}
}
