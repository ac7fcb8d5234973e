package org.chainwalletd.follow;

/**
 * How far a rescan has come.
 *
 * @param height the last block that it has read; below {@code fromHeight} before the first
 * @param toHeight where it meets the head, as of now
 */
public record RescanProgress(long scan, long fromHeight, long height, long toHeight) {
    public long blocksLeft() {
        return Math.max(0, toHeight - height);
    }
}
