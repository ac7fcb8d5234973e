package org.chainwalletd.follow;

import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;

/**
 * Block of a {@link ModelChain}, with what can be spent after it.
 *
 * @param parent null for the first one
 * @param coins unspent outputs to the model's keys, by the number of the key
 * @param locks open HTLCs
 * @param txIds ids of all transactions of the chain up to here
 */
record ModelBlock(
        ChainBlock block,
        ModelBlock parent,
        Map<Outpoint, Integer> coins,
        Map<Outpoint, Lock> locks,
        Set<Hash256> txIds) {
    /** Open HTLC with its secret. */
    record Lock(HtlcParams params, byte[] preimage) {}

    long height() {
        return block.height();
    }

    Hash256 id() {
        return block.id();
    }

    /** Returns the block of this chain at a height, which must not be above this block. */
    ModelBlock at(long height) {
        ModelBlock found = this;
        while (found.height() > height) {
            found = found.parent;
        }
        return found;
    }
}
