package org.chainwalletd.store.books;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** One answer of the feed of credits, inside one transaction. */
final class CreditReading {
    /** Entries of the log that are gone through at a time. */
    private static final int ENTRIES = 500;
    /** A page ends before its answer is larger. */
    private static final int PAGE_BYTES = 1_000_000;

    /** What a credit takes in an answer, without its datum. */
    private static final int CREDIT_BYTES = 700;

    /**
     * An entry of the log.
     *
     * @param kind of {@link CreditTable}
     * @param credit null for the one that tells of a height
     */
    record Entry(long number, int kind, long height, Credit credit) {
        CreditEvent event() {
            return switch (kind) {
                case CreditTable.SEEN -> new CreditEvent(number, CreditEvent.Kind.SEEN, credit);
                case CreditTable.REMOVED, CreditTable.LOST -> new CreditEvent(number, CreditEvent.Kind.REMOVED, credit);
                default -> new CreditEvent(number, CreditEvent.Kind.CONFIRMED, credit);
            };
        }

        private boolean enters() {
            return kind == CreditTable.CONNECTED || kind == CreditTable.LATE;
        }
    }

    private final Page page;
    private final boolean change;
    private final int limit;
    private final long top;
    private final List<CreditEvent> events = new ArrayList<>();
    private CreditCursor at;
    private int bytes;

    /** @param top height up to which blocks are told of */
    CreditReading(Page page, CreditCursor cursor, boolean change, int limit, long top) {
        this.page = page;
        this.at = cursor;
        this.change = change;
        this.limit = limit;
        this.top = top;
    }

    CreditFeed.Batch batch() {
        boolean more = goThroughLog();
        if (!more && at.depth() > 0) {
            more = goUp();
        }
        return new CreditFeed.Batch(events, at, more, top);
    }

    /** Whether there is more than fitted in. */
    private boolean goThroughLog() {
        List<Entry> entries = entries(page, at);
        while (!entries.isEmpty()) {
            for (Entry entry : entries) {
                if (isFull()) {
                    return true;
                }
                if (at.depth() == 0 && isHidden(page, entry, top)) {
                    return false;
                }
                pass(entry);
                at = at.at(entry.number());
            }
            entries = entries(page, at);
        }
        return false;
    }

    /** A credit of a block that nobody may be told of yet; at depth 0 what comes after it waits as well. */
    static boolean isHidden(Page page, Entry entry, long top) {
        return entry.enters() && entry.height() > top && isActive(page, entry.credit());
    }

    /** Whether the credit is in the chain. */
    static boolean isActive(Page page, Credit credit) {
        return page.queryOne(
                        "SELECT 1 FROM credits INDEXED BY credits_by_height WHERE scan = ? AND active = 1 AND height = ? AND position = ? AND block = ?",
                        row -> true,
                        credit.isInBlock() ? Page.HEAD : CreditTable.PENDING,
                        credit.block().height(),
                        credit.position(),
                        credit.block().blockId().toArray())
                .isPresent();
    }

    private void pass(Entry entry) {
        if (at.depth() == 0) {
            if (entry.credit() != null) {
                tell(entry.event());
            }
        } else if (entry.kind() == CreditTable.UNDONE) {
            if (entry.height() <= at.height()) {
                at = at.at(entry.height(), 0);
            }
        } else if (isOfBlock(entry) && at.isTold(entry.credit())) {
            tell(entry.event());
        }
    }

    /** What was connected is told by its height. */
    private static boolean isOfBlock(Entry entry) {
        return entry.kind() == CreditTable.REMOVED || entry.kind() == CreditTable.LATE;
    }

    static List<Entry> entries(Page page, CreditCursor after) {
        String ofAddress = after.address().isPresent()
                ? " AND (l.address = " + CreditTable.ADDRESS + " OR l.address IS NULL)"
                : "";
        String sql = "SELECT l.number, l.entry, l.height, " + CreditTable.COLUMNS
                + " FROM credit_log l LEFT JOIN credits c ON c.id = l.credit WHERE l.number > ?" + ofAddress
                + " ORDER BY l.number LIMIT " + ENTRIES;
        Object[] values = after.address().isPresent()
                ? new Object[] {after.log(), after.address().get().toArray()}
                : new Object[] {after.log()};
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
        String ofAddress = at.address().isPresent() ? "c.address = " + CreditTable.ADDRESS + " AND " : "";
        String sql = "SELECT (SELECT MAX(l.number) FROM credit_log l WHERE l.credit = c.id), " + CreditTable.COLUMNS
                + " FROM credits c WHERE " + ofAddress
                + "c.scan = 0 AND c.active = 1 AND c.height <= ? AND (c.height, c.position) >= (?, ?) "
                + "ORDER BY c.height, c.position LIMIT " + (limit + 1);
        List<Object> values = new ArrayList<>();
        at.address().ifPresent(address -> values.add(address.toArray()));
        values.addAll(List.of(deepEnough, at.height() + 1, at.position()));
        for (CreditEvent event : page.query(sql, CreditReading::entered, values.toArray())) {
            if (isFull()) {
                return true;
            }
            Credit credit = event.credit();
            tell(event);
            at = at.at(credit.block().height() - 1, credit.position() + 1);
        }
        if (deepEnough > at.height()) {
            at = at.at(deepEnough, 0);
        }
        return false;
    }

    private static CreditEvent entered(ResultSet row) throws SQLException {
        return new CreditEvent(row.getLong(1), CreditEvent.Kind.CONFIRMED, CreditTable.readFrom(row, 1));
    }

    private boolean isFull() {
        return events.size() == limit || bytes > PAGE_BYTES;
    }

    private void tell(CreditEvent event) {
        Credit credit = event.credit();
        if (change || !credit.change()) {
            bytes += CREDIT_BYTES
                    + credit.datum().map(datum -> 2 * datum.length()).orElse(0);
            events.add(event);
        }
    }
}
