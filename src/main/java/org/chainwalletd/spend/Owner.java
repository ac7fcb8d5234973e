package org.chainwalletd.spend;

import org.chainwalletd.chain.Hash256;

/** Who holds coins and a part of the allowance. */
sealed interface Owner {
    /** One running spend inside this process, before it has a durable intent. */
    record Running(long number) implements Owner {}

    /** A spend with an intent. */
    record Payment(Hash256 txId) implements Owner {}
}
