package org.chainwalletd.wait;

import org.chainwalletd.chain.Hash256;

/** One who waits for a transaction. */
final class TxWait extends Wait<TxOutcome> {
    final Hash256 txId;
    final long minConfirmations;

    TxWait(Hash256 txId, long minConfirmations, long began, long due) {
        super(began, due);
        this.txId = txId;
        this.minConfirmations = minConfirmations;
    }
}
