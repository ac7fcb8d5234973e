package org.chainwalletd.follow;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.ScanRow;

/**
 * How far rescans have come.
 *
 * @param scan number of the one under way
 * @param height the last block that it has read; below {@code fromHeight} before the first
 * @param toHeight where it meets the head, as of now
 * @param next first block of the rescan that waits for it, for what came while it was under way; empty when none does
 */
public record RescanProgress(long scan, long fromHeight, long height, long toHeight, OptionalLong next) {
    /**
     * Progress of a rescan.
     *
     * @param at the last block that it has read
     * @param tip where the head stands
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

    /** With those of the rescan that waits. */
    public long allBlocksLeft() {
        return blocksLeft() + (next.isPresent() ? Math.max(0, toHeight - next.getAsLong() + 1) : 0);
    }
}
