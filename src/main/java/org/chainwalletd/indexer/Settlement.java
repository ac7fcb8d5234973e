package org.chainwalletd.indexer;

import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.U32;

/**
 * A settled contract as one of its parties sees it.
 *
 * @param txId as the indexer gives it, which repeats {@code lockTxId}
 * @param blockHeight of the settlement
 * @param contractHash opaque; differs between versions of indexers
 */
public record Settlement(
        Hash256 txId,
        long blockHeight,
        Hash256 contractHash,
        Outcome outcome,
        Address observerAddress,
        Address counterparty,
        Amount amount,
        Hash256 lockTxId,
        @U32 long lockOutputIndex) {
    public enum Outcome {
        CLAIMED,
        RECLAIMED
    }
}
