package org.chainwalletd.store.books;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;

/**
 * Reads the feed of credits. At depth 0 it is the log itself. At depth n it is made from the log and the heights: entries of the log are
 * gone through in order, so that what was told and is no more is told as removed, then the credits of the next heights are told as far as
 * they are n deep. Folding what is told gives exactly the credits of the chain at that depth. Nothing is told of blocks above the followed
 * tip. Safe for threads.
 */
public final class CreditFeed {
    /** Entries of the log that are gone through at a time. */
    private static final int ENTRIES = 500;
    /** A page ends before its answer is larger. */
    private static final int PAGE_BYTES = 1_000_000;

    /** What a credit takes in an answer, without its datum. */
    private static final int CREDIT_BYTES = 700;

    private final Books books;
    private final Supplier<OptionalLong> tip;

    /**
     * @param tip height of the followed tip
     */
    public CreditFeed(Books books, Supplier<OptionalLong> tip) {
        this.books = books;
        this.tip = tip;
    }

    /**
     * @param tipHeight to which confirmations are counted; -1 when nothing is followed
     * @param more whether there is more to be read at once
     */
    public record Batch(List<CreditEvent> events, CreditCursor cursor, boolean more, long tipHeight) {}

    /** What a cursor must carry to be of this store. */
    public CompletionStage<String> store() {
        return books.read(session -> store(session.head()));
    }

    private static String store(Page page) {
        return page.queryOne("SELECT value FROM credit_facts WHERE name = 'store'", row -> row.getString(1))
                .orElseThrow();
    }

    /** The cursor of a reader who wants to hear only what comes. */
    public CompletionStage<CreditCursor> now(long depth, Optional<Address> address) {
        long top = tip.get().orElse(-1);
        return books.read(session -> CreditCursor.beginning(store(session.head()), depth, address)
                .at(lastNumber(session.head(), top))
                .at(top < 0 ? -1 : Math.max(-1, top - Math.max(1, depth) + 1), 0));
    }

    /** At depth 0 what is not told yet is after the cursor. */
    private static long lastNumber(Page page, long top) {
        long last = page.queryOne("SELECT COALESCE(MAX(number), 0) FROM credit_log", row -> row.getLong(1))
                .orElse(0L);
        long hidden = page.queryOne(
                        "SELECT COALESCE(MIN(l.number), 0) FROM credits c JOIN credit_log l ON l.credit = c.id "
                                + "WHERE c.scan = 0 AND c.active = 1 AND c.height > ?",
                        row -> row.getLong(1),
                        top)
                .orElse(0L);
        return hidden == 0 ? last : hidden - 1;
    }

    /**
     * The next events after a cursor.
     *
     * @param change whether change is told as well
     */
    public CompletionStage<Batch> read(CreditCursor cursor, boolean change, int limit) {
        long top = tip.get().orElse(-1);
        return books.read(session ->
                new Reading(session.head(), cursor, change, limit, Math.min(top, standing(session.head()))).batch());
    }

    /** While the chain is being changed the books may stand below the tip that was told last. */
    private static long standing(Page page) {
        return BlockRows.top(page).map(BlockRow::height).orElse(-1L);
    }

    private record Entry(long number, int kind, long height, Credit credit) {}

    /** One answer, inside one transaction. */
    private static final class Reading {
        private final Page page;
        private final boolean change;
        private final int limit;
        private final long top;
        private final List<CreditEvent> events = new ArrayList<>();
        private CreditCursor at;
        private int bytes;

        Reading(Page page, CreditCursor cursor, boolean change, int limit, long top) {
            this.page = page;
            this.at = cursor;
            this.change = change;
            this.limit = limit;
            this.top = top;
        }

        Batch batch() {
            boolean more = goThroughLog();
            if (!more && at.depth() > 0) {
                more = goUp();
            }
            return new Batch(events, at, more, top);
        }

        /** Whether there is more than fitted in. */
        private boolean goThroughLog() {
            List<Entry> entries = entries();
            while (!entries.isEmpty()) {
                for (Entry entry : entries) {
                    if (isFull()) {
                        return true;
                    }
                    if (isHidden(entry)) {
                        return false;
                    }
                    pass(entry);
                    at = at.at(entry.number());
                }
                entries = entries();
            }
            return false;
        }

        /** A credit of a block that nobody may be told of yet; what comes after it waits as well. */
        private boolean isHidden(Entry entry) {
            return at.depth() == 0 && entry.credit() != null && entry.height() > top && isActive(entry.credit());
        }

        private boolean isActive(Credit credit) {
            return page.queryOne(
                            "SELECT 1 FROM credits WHERE block = ? AND position = ? AND scan = 0 AND active = 1",
                            row -> true,
                            credit.block().blockId().toArray(),
                            credit.position())
                    .isPresent();
        }

        private void pass(Entry entry) {
            if (at.depth() == 0) {
                if (entry.credit() != null) {
                    tell(entry.number(), entry.kind() != CreditTable.REMOVED, entry.credit());
                }
            } else if (entry.kind() == CreditTable.UNDONE) {
                if (entry.height() <= at.height()) {
                    at = at.at(entry.height(), 0);
                }
            } else if (entry.kind() == CreditTable.REMOVED && at.isTold(entry.credit())) {
                tell(entry.number(), false, entry.credit());
            } else if (entry.kind() == CreditTable.LATE && at.isTold(entry.credit())) {
                tell(entry.number(), true, entry.credit());
            }
        }

        private List<Entry> entries() {
            String ofAddress = at.address().isPresent() ? " AND (l.address = ? OR l.address IS NULL)" : "";
            String sql = "SELECT l.number, l.entry, l.height, " + CreditTable.COLUMNS
                    + " FROM credit_log l LEFT JOIN credits c ON c.id = l.credit WHERE l.number > ?" + ofAddress
                    + " ORDER BY l.number LIMIT " + ENTRIES;
            Object[] values = at.address().isPresent()
                    ? new Object[] {at.log(), at.address().get().toArray()}
                    : new Object[] {at.log()};
            return page.query(
                    sql,
                    row -> new Entry(
                            row.getLong(1),
                            row.getInt(2),
                            row.getLong(3),
                            row.getInt(2) == CreditTable.UNDONE ? null : CreditTable.readFrom(row, 3)),
                    values);
        }

        /** The credits of the next heights, as far as they are deep enough. */
        private boolean goUp() {
            long deepEnough = top - at.depth() + 1;
            String ofAddress = at.address().isPresent() ? "c.address = ? AND " : "";
            String sql = "SELECT (SELECT MAX(l.number) FROM credit_log l WHERE l.credit = c.id), "
                    + CreditTable.COLUMNS + " FROM credits c WHERE " + ofAddress
                    + "c.scan = 0 AND c.active = 1 AND c.height <= ? AND (c.height > ? OR c.height = ? AND c.position >= ?) "
                    + "ORDER BY c.height, c.position LIMIT " + (limit + 1);
            List<Object> values = new ArrayList<>();
            at.address().ifPresent(address -> values.add(address.toArray()));
            values.addAll(List.of(deepEnough, at.height() + 1, at.height() + 1, at.position()));
            for (CreditEvent event : page.query(sql, Reading::entered, values.toArray())) {
                if (isFull()) {
                    return true;
                }
                Credit credit = event.credit();
                tell(event.number(), true, credit);
                at = at.at(credit.block().height() - 1, credit.position() + 1);
            }
            if (deepEnough > at.height()) {
                at = at.at(deepEnough, 0);
            }
            return false;
        }

        private static CreditEvent entered(ResultSet row) throws SQLException {
            return new CreditEvent(row.getLong(1), true, CreditTable.readFrom(row, 1));
        }

        private boolean isFull() {
            return events.size() == limit || bytes > PAGE_BYTES;
        }

        private void tell(long number, boolean confirmed, Credit credit) {
            if (change || !credit.change()) {
                bytes += CREDIT_BYTES
                        + credit.datum().map(datum -> 2 * datum.length()).orElse(0);
                events.add(new CreditEvent(number, confirmed, credit));
            }
        }
    }
}
