package org.chainwalletd.follow;

import java.util.List;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;

/**
 * A block whose parts belong together: the id is the header's, and the transactions are those of the header's root.
 *
 * @param transactions in the order of the block, the coinbase first
 */
public record ChainBlock(BlockHeader header, Hash256 id, List<ChainTransaction> transactions) {
    public ChainBlock {
        transactions = List.copyOf(transactions);
    }

    /** Below 2^63: a node that names a higher one is not believed. */
    public long height() {
        return header.height();
    }

    public Hash256 parentId() {
        return header.previousId();
    }

    /** Unix seconds, unsigned. */
    public long timestamp() {
        return header.timestamp();
    }

    public Hash256 target() {
        return header.target();
    }

    public BlockPlace place() {
        return new BlockPlace(height(), id);
    }
}
