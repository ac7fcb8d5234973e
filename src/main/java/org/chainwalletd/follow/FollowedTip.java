package org.chainwalletd.follow;

import org.chainwalletd.store.BlockPlace;

/**
 * The highest published block. The books hold all blocks up to it, and possibly more that are not proven yet; readers of the books must use only
 * rows of blocks up to this height.
 *
 * @param timestamp Unix seconds of the block, unsigned
 */
public record FollowedTip(BlockPlace place, long timestamp) {
    public long height() {
        return place.height();
    }
}
