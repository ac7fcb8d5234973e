package org.chainwalletd.store.books;

import java.util.Optional;

/**
 * Removes the old end of the feed of credits, if configured: the beginning of the log whose blocks are all older than the given time. Cursors from
 * before are refused afterwards. At least the last {@value #KEPT_BLOCKS} blocks are kept regardless of age, because a reorganisation may reach them.
 */
public final class CreditPruning {
    public static final int KEPT_BLOCKS = 1_000;

    private static final String NUMBER = "pruned_number";

    private CreditPruning() {}

    /** Thrown for a cursor before the first kept entry. */
    public static final class PrunedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient CreditCursor first;

        PrunedException(CreditCursor first) {
            super("what came after the cursor is not kept any more; the first valid cursor is " + first.text());
            this.first = first;
        }

        /** Returns the first valid cursor for the same depth and address. */
        public CreditCursor first() {
            return first;
        }
    }

    /**
     * Removes entries of blocks older than {@code before}, at most {@code most} of them in this commit. Removes none while a rescan is to be
     * done, because a rescan enters only credits above the height up to which entries were removed.
     *
     * @param before Unix seconds
     * @return number of log entries removed; fewer than {@code most} when none is left
     */
    public static int prune(Page head, long before, int most) {
        if (!BlockRows.scans(head).isEmpty()) {
            return 0;
        }
        long top = BlockRows.top(head).map(BlockRow::height).orElse(-1L);
        long height = head.number(
                "SELECT COALESCE(MAX(height), -1) FROM blocks WHERE scan = 0 AND time < ? AND height <= ?",
                before,
                top - KEPT_BLOCKS);
        long end = head.number(
                "SELECT COALESCE((SELECT MIN(number) FROM credit_log WHERE height > ?) - 1,"
                        + " (SELECT MAX(number) FROM credit_log), 0)",
                height);
        long last = head.number(
                "SELECT MAX(number) FROM (SELECT number FROM credit_log WHERE number <= ? ORDER BY number LIMIT ?)",
                end,
                most);
        if (height < 0 || last <= 0) {
            return 0;
        }
        head.update(
                "DELETE FROM credits WHERE id IN (SELECT credit FROM credit_log WHERE number <= ?1)"
                        + " AND (height <= ?2 OR scan = ?3 AND active = 0)"
                        + " AND NOT EXISTS (SELECT 1 FROM credit_log l WHERE l.credit = credits.id AND l.number > ?1)",
                last,
                height,
                CreditTable.PENDING);
        int forgotten = head.updated("DELETE FROM credit_log WHERE number <= ?", last);
        CreditTable.put(head, NUMBER, last);
        CreditTable.put(head, CreditTable.PRUNED_HEIGHT, Math.max(height, CreditTable.prunedHeight(head)));
        return forgotten;
    }

    /** Returns the first valid cursor for the depth and address of {@code like}. */
    static CreditCursor first(Page page, CreditCursor like) {
        CreditCursor beginning = CreditCursor.beginning(like.store(), like.depth(), like.address());
        Optional<Long> number = CreditTable.find(page, NUMBER);
        return number.isEmpty() ? beginning : beginning.at(number.get()).at(CreditTable.prunedHeight(page), 0);
    }

    /** Returns the number of the last removed entry; 0 when none was removed. */
    static long lastPruned(Page page) {
        return CreditTable.number(page, NUMBER);
    }

    /** Returns whether everything after the cursor is still kept. */
    static boolean isKept(Page page, CreditCursor cursor) {
        CreditCursor first = first(page, cursor);
        return cursor.log() >= first.log() && (cursor.depth() == 0 || cursor.height() >= first.height());
    }
}
