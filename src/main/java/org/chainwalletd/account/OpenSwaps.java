package org.chainwalletd.account;

import java.math.BigInteger;
import org.chainwalletd.evm.EvmAddress;

/** Amounts that open swaps still need from the balance of an account-chain address, as reported to the owner of its nonces. */
@FunctionalInterface
public interface OpenSwaps {
    OpenSwaps NONE = address -> 0;

    /**
     * Returns the number of swaps that may still have to pay gas from {@code address}: those that hold money and those whose locks are about to be
     * sent. Called on any thread before each send; must not block.
     */
    int needingGas(EvmAddress address);

    /** Whether the number is known; false at the start of background work, until the journal of swaps has been read. */
    default boolean isKnown() {
        return true;
    }

    /**
     * Amounts that have priority over one swap.
     *
     * @param swaps number of swaps that need gas, including this one if it holds money
     * @param locks wei that those swaps' locks take that are not made yet
     * @param claims number of claims that the other swaps may send first and have not sent yet
     */
    record Ahead(int swaps, BigInteger locks, int claims) {}

    /** Returns the amounts that must remain in the balance when {@code swap} begins: those of earlier swaps in progress. */
    default Ahead ahead(EvmAddress address, String swap) {
        return new Ahead(needingGas(address), BigInteger.ZERO, 0);
    }
}
