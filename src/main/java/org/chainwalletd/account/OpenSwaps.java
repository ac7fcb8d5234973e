package org.chainwalletd.account;

import org.chainwalletd.evm.EvmAddress;

/** How the swap engine tells the nonce owner what must not be spent. */
@FunctionalInterface
public interface OpenSwaps {
    OpenSwaps NONE = address -> 0;

    /**
     * Swaps that hold money, with the one whose lock is about to be sent, and may still have to pay gas from {@code address}. Asked from any
     * thread before each send; does not block.
     */
    int needingGas(EvmAddress address);
}
