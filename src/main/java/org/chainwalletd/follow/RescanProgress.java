package org.chainwalletd.follow;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.ScanRow;

/**
 * Progress of the rescans.
 *
 * @param scan number of the rescan under way
 * @param height the last block read; below {@code fromHeight} before the first
 * @param toHeight current height of the head, where the rescan ends
 * @param next first block of the next rescan, for needs that arose during this one; empty when there is none
 */
public record RescanProgress(long scan, long fromHeight, long height, long toHeight, OptionalLong next) {
    /**
     * Computes the progress of a rescan.
     *
     * @param at the last block read
     * @param tip of the head
     */
    static RescanProgress of(ScanRow row, Optional<BlockRow> at, Optional<FollowedTip> tip, OptionalLong next) {
        long height = at.map(BlockRow::height).orElse(row.fromHeight() - 1);
        return new RescanProgress(
                row.scan(),
                row.fromHeight(),
                height,
                tip.map(FollowedTip::height).orElse(height),
                next);
    }

    public long blocksLeft() {
        return Math.max(0, toHeight - height);
    }

    /** Returns the blocks left, including those of the next rescan. */
    public long allBlocksLeft() {
        return blocksLeft() + (next.isPresent() ? Math.max(0, toHeight - next.getAsLong() + 1) : 0);
    }
}
