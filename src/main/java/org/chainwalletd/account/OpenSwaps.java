package org.chainwalletd.account;

import java.math.BigInteger;
import org.chainwalletd.evm.EvmAddress;

/** Tells the nonce owner the balance that open swaps still need. */
@FunctionalInterface
public interface OpenSwaps {
    OpenSwaps NONE = address -> 0;

    /**
     * Swaps that hold money, with those whose locks are about to be sent, and may still have to pay gas from {@code address}. Asked from any
     * thread before each send; does not block.
     */
    int needingGas(EvmAddress address);

    /** Whether that is known: not while background work begins and the journal of swaps has not been read. */
    default boolean isKnown() {
        return true;
    }

    /**
     * Claims on the balance that come before one swap.
     *
     * @param swaps that need gas; the one itself among them when it holds money
     * @param locks wei that their locks take, of those that are not made yet
     * @param claims that others may send before it, and have not
     */
    record Ahead(int swaps, BigInteger locks, int claims) {}

    /** Claims on the balance before {@code swap} can be begun: those of swaps in work that came earlier. */
    default Ahead ahead(EvmAddress address, String swap) {
        return new Ahead(needingGas(address), BigInteger.ZERO, 0);
    }
}
