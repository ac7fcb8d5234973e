package org.chainwalletd.follow;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.store.BlockPlace;

/**
 * A block whose parts are proven: the id is the hash of the header, and the transactions hash to the header's root.
 *
 * @param transactions in block order, the coinbase first
 */
public record ChainBlock(BlockHeader header, Hash256 id, List<ChainTransaction> transactions) {
    public ChainBlock {
        transactions = List.copyOf(transactions);
    }

    /** Returns the height, always below 2^63: a higher one is rejected. */
    public long height() {
        return header.height();
    }

    public Hash256 parentId() {
        return header.previousId();
    }

    /** Returns the timestamp in Unix seconds, unsigned. */
    public long timestamp() {
        return header.timestamp();
    }

    public Hash256 target() {
        return header.target();
    }

    public BlockPlace place() {
        return new BlockPlace(height(), id);
    }

    /**
     * A transaction of a followed block.
     *
     * @param id computed from the bytes; for an undecodable transaction, the id in the block's list
     * @param decoded empty when the bytes belong to the block, by its root, but this release cannot decode them
     * @param coinbase whether it is the first of its block
     */
    public record ChainTransaction(Hash256 id, Optional<Transaction> decoded, boolean coinbase) {}
}
