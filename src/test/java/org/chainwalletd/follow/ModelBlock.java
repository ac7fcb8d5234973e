package org.chainwalletd.follow;

import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;

/**
 * A block of a {@link ModelChain}, and what is to be spent after it.
 *
 * @param parent null for the first one
 * @param coins unspent outputs to keys of the model, by the number of the key
 * @param locks HTLCs that are open
 * @param txIds of all transactions of the chain up to here
 */
record ModelBlock(
        ChainBlock block,
        ModelBlock parent,
        Map<Outpoint, Integer> coins,
        Map<Outpoint, Lock> locks,
        Set<Hash256> txIds) {
    /** An open HTLC and its secret. */
    record Lock(HtlcParams params, byte[] preimage) {}

    long height() {
        return block.height();
    }

    Hash256 id() {
        return block.id();
    }

    /** The block of this chain at a height that is not above this one. */
    ModelBlock at(long height) {
        ModelBlock found = this;
        while (found.height() > height) {
            found = found.parent;
        }
        return found;
    }
}
