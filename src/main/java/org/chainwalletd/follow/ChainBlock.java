package org.chainwalletd.follow;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
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

    /**
     * A transaction of a followed block.
     *
     * @param id computed here from the bytes; of a transaction that cannot be decoded, as the block's list names it
     * @param decoded empty when the bytes are of the block, by its root, and yet make no transaction that this release can read
     * @param coinbase whether it is the first of its block
     */
    public record ChainTransaction(Hash256 id, Optional<Transaction> decoded, boolean coinbase) {}
}
