package org.chainwalletd.indexer;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/** What one transaction did to an address in one direction. */
public record Activity(long blockHeight, Hash256 txId, Amount amount, Direction direction, boolean isCoinbase) {
    public enum Direction {
        /** The address has paid. */
        INPUT,
        /** The address was paid. */
        OUTPUT
    }
}
