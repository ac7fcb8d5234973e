package org.chainwalletd.follow;

import org.chainwalletd.store.BlockPlace;

/**
 * The highest block that others may be told of; the books hold all up to it, and possibly more that is not proven yet. Who reads a book reads
 * the rows of blocks up to this height.
 *
 * @param timestamp Unix seconds of the block, unsigned
 */
public record FollowedTip(BlockPlace place, long timestamp) {
    public long height() {
        return place.height();
    }
}
