package org.chainwalletd.follow;

import java.math.BigInteger;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;

/** Kept blocks of the followed chain: the latest without a gap, older ones at some heights. Owned by one actor, which gives copies to others. */
final class HeaderChain {
    private static final BigInteger HASH_COUNT = BigInteger.ONE.shiftLeft(256);
    private static final int MEDIAN_OF = 11;

    private final List<BlockRow> rows;

    private HeaderChain(List<BlockRow> rows) {
        this.rows = rows;
    }

    static HeaderChain of(List<BlockRow> ascending) {
        return new HeaderChain(new ArrayList<>(ascending));
    }

    HeaderChain copy() {
        return of(rows);
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Returns the number of kept blocks. */
    int size() {
        return rows.size();
    }

    /** Returns the kept block with an index; the lowest block has index 0. */
    BlockRow get(int index) {
        return rows.get(index);
    }

    BlockRow top() {
        return rows.get(rows.size() - 1);
    }

    long height() {
        return top().height();
    }

    /** Returns the kept block at a height. */
    Optional<BlockRow> at(long height) {
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        long fromTop = height() - height;
        if (fromTop >= 0 && fromTop < rows.size()) {
            BlockRow row = rows.get(rows.size() - 1 - (int) fromTop);
            if (row.height() == height) {
                return Optional.of(row);
            }
        }
        return rows.stream().filter(row -> row.height() == height).findFirst();
    }

    boolean has(long height, Hash256 id) {
        return at(height).filter(row -> row.blockId().equals(id)).isPresent();
    }

    void append(BlockRow row) {
        rows.add(row);
        long old = row.height() - BlockRows.KEPT;
        if (old > 0 && old % BlockRows.EVERY != 0) {
            at(old).ifPresent(rows::remove);
        }
    }

    /** Removes the blocks above {@code height} and returns them, highest first. */
    List<BlockRow> truncateTo(long height) {
        List<BlockRow> cut = new ArrayList<>();
        while (!rows.isEmpty() && height() > height) {
            cut.add(rows.remove(rows.size() - 1));
        }
        return cut;
    }

    /**
     * Returns the height up to which blocks may be published, given the blocks up to {@code height}: below the lowest block whose work was not
     * checked and that has fewer than {@value WorkPolicy#DEPTH} blocks with checked work above it. So blocks without work never make such a block
     * trusted.
     */
    long publishableUpTo(long height) {
        long publishable = height;
        int checked = 0;
        for (int i = rows.size() - 1; i >= 0 && checked < WorkPolicy.DEPTH; i--) {
            BlockRow row = rows.get(i);
            if (row.height() <= height && row.workChecked()) {
                checked++;
            } else if (row.height() <= height) {
                publishable = rows.get(Math.max(0, i - 1)).height();
            }
        }
        return publishable;
    }

    /**
     * Returns the work of the blocks above {@code height}, which must be a kept one: for each block 2^256 / (target + 1), the expected number of
     * hashes. The work of blocks between two kept ones follows from both: a target changes only at certain heights, and at most once in such a gap.
     */
    BigInteger workAbove(long height) {
        BigInteger sum = BigInteger.ZERO;
        for (int i = rows.size() - 1; i >= 0 && rows.get(i).height() > height; i--) {
            BlockRow row = rows.get(i);
            long below =
                    i == 0 ? row.height() - 1 : Math.max(height, rows.get(i - 1).height());
            long old = i == 0 ? 0 : inheritedAbove(rows.get(i - 1), below, row.height());
            if (old > 0) {
                sum = sum.add(work(rows.get(i - 1).target()).multiply(BigInteger.valueOf(old)));
            }
            sum = sum.add(work(row.target()).multiply(BigInteger.valueOf(row.height() - below - old)));
        }
        return sum;
    }

    /** Returns how many blocks above {@code below} and below {@code top} still have the target of {@code kept}. */
    private static long inheritedAbove(BlockRow kept, long below, long top) {
        long change = (kept.height() / Difficulty.WINDOW + 1) * Difficulty.WINDOW;
        return change <= top ? Math.max(0, change - 1 - below) : 0;
    }

    static BigInteger work(Hash256 target) {
        return HASH_COUNT.divide(new BigInteger(1, target.toArray()).add(BigInteger.ONE));
    }

    /** Returns the median of the last (up to) 11 timestamps: sorted, element n div 2 (chain protocol, section 9.6). */
    long medianTime() {
        int count = Math.min(MEDIAN_OF, rows.size());
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
            // The signed order of these values is the unsigned order of the timestamps.
            times[i] = rows.get(rows.size() - 1 - i).timestamp() ^ Long.MIN_VALUE;
        }
        Arrays.sort(times);
        return times[count / 2] ^ Long.MIN_VALUE;
    }

    /**
     * Policy which blocks have their work checked: all, except that while catching up one old block in 50 is checked, chosen at random so that a
     * node cannot predict it. The height that a node reports does not make a block old: its timestamp, which must be later than the median of those
     * below, has to be old too.
     *
     * @param on false: nothing is checked
     * @param tip height reported by the node
     */
    record WorkPolicy(boolean on, long tip, Clock clock) {
        /** Number of blocks below the tip that are all checked, and number of checked blocks above an unchecked one after which it is published. */
        static final int DEPTH = BlockRows.TRUSTED_DEPTH;

        private static final int ONE_IN = 50;
        /** Time that {@link #DEPTH} blocks take at one block in ten seconds. */
        private static final long OLD_SECONDS = 10 * DEPTH;

        boolean demands(BlockHeader header) {
            return on
                    && (WorkCheck.isFree(header)
                            || !isOld(header)
                            || ThreadLocalRandom.current().nextInt(ONE_IN) == 0);
        }

        private boolean isOld(BlockHeader header) {
            long now = clock.instant().getEpochSecond();
            return tip - header.height() > DEPTH && header.timestamp() >= 0 && header.timestamp() < now - OLD_SECONDS;
        }
    }
}
