package org.chainwalletd.store.books;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;

/**
 * Stored data of a followed block.
 *
 * @param timestamp Unix seconds, unsigned
 * @param workChecked whether its proof of work was computed here, or the network requires none
 */
public record BlockRow(
        long height, Hash256 blockId, Hash256 parentId, long timestamp, Hash256 target, boolean workChecked) {
    public BlockPlace place() {
        return new BlockPlace(height, blockId);
    }
}
