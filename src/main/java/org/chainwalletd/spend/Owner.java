package org.chainwalletd.spend;

import org.chainwalletd.chain.Hash256;

/** Holder of coins and of a share of the allowance. */
sealed interface Owner {
    /** Running spend in this process, before it has a durable intent. */
    record Running(long number) implements Owner {}

    /** Spend with an intent. */
    record Payment(Hash256 txId) implements Owner {}
}
