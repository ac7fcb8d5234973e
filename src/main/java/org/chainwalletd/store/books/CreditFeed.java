package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.sql.Row;

/**
 * Reads the feed of credits. At depth 0 the feed is the log itself. At depth n it is derived from the log and the heights: log entries are processed
 * in order, so that reported credits that no longer exist are reported as removed; then the credits of the next heights are reported, up to those
 * with n confirmations. Applying all events yields exactly the credits of the chain at that depth. Blocks above the followed tip are not reported.
 * Thread-safe.
 */
public final class CreditFeed {
    private static final int MOST_CONFIRMED = 10_000;

    /** Number of rows after which a transaction ends, so that other queries can run in between. */
    private static final int ROWS = 2_000;

    private final Books books;
    private final Supplier<Optional<BlockPlace>> tip;

    /**
     * Creates the reader.
     *
     * @param tip the followed tip; empty when no chain is followed
     */
    public CreditFeed(Books books, Supplier<Optional<BlockPlace>> tip) {
        this.books = books;
        this.tip = tip;
    }

    /**
     * A page of events.
     *
     * @param cursor position after them
     * @param more whether further events are available now
     * @param tipHeight height up to which confirmations are counted; -1 when no chain is followed
     */
    public record Batch(List<CreditEvent> events, CreditCursor cursor, boolean more, long tipHeight) {}

    /** Returns the id of this store, which is part of its cursors. */
    public CompletionStage<String> store() {
        return books.read(session -> store(session.head()));
    }

    private static String store(Page page) {
        return page.queryOne("SELECT value FROM credit_facts WHERE name = 'store'", row -> row.getString(1))
                .orElseThrow();
    }

    /** Returns the cursor for reading only future events. */
    public CompletionStage<CreditCursor> now(long depth, Optional<Address> address) {
        return books.read(session -> {
            long top = top(session.head());
            return CreditCursor.beginning(store(session.head()), depth, address)
                    .at(lastNumber(session.head(), top))
                    .at(top < 0 ? -1 : Math.max(-1, top - Math.max(1, depth) + 1), 0);
        });
    }

    /** Returns the number of the last log entry that may be reported. At depth 0, entries that may not be reported yet come after it. */
    private static long lastNumber(Page page, long top) {
        long last = Math.max(CreditPruning.lastPruned(page), CreditTable.lastNumber(page));
        long hidden = page.number(
                "SELECT COALESCE(MIN((SELECT MAX(l.number) FROM credit_log l WHERE l.credit = c.id)), 0)"
                        + " FROM credits c WHERE c.scan = 0 AND c.active = 1 AND c.height > ?",
                top);
        return hidden == 0 ? last : hidden - 1;
    }

    /**
     * Reads the next events after a cursor. The stage fails with {@link CreditPruning.PrunedException} when those have been pruned.
     *
     * @param change whether credits of change are reported too
     * @param limit upper limit of events
     */
    public CompletionStage<Batch> read(CreditCursor cursor, boolean change, int limit) {
        return kept(cursor, page -> new CreditReading(page, cursor, change, limit, top(page)).batch())
                .thenComposeAsync(
                        batch -> batch.events().isEmpty() && batch.more()
                                ? read(batch.cursor(), change, limit)
                                : CompletableFuture.completedStage(batch),
                        Runnable::run);
    }

    /**
     * Finds the first transaction after a cursor that pays at least {@code least} to the cursor's address and is now in the chain or a mempool.
     * Excluded are transactions that were seen before the cursor and confirmed after it, and change. Fails as {@link #read} does.
     *
     * @param cursor of one address, at depth 0
     */
    public CompletionStage<NextPayment> payment(CreditCursor cursor, Amount least) {
        return payment(cursor, least, cursor.log());
    }

    private CompletionStage<NextPayment> payment(CreditCursor cursor, Amount least, long told) {
        return kept(cursor, page -> new PaymentReading(page, cursor, least, top(page), told).next())
                .thenComposeAsync(
                        search -> search.more()
                                ? payment(search.next().cursor(), least, told)
                                : CompletableFuture.completedStage(search.next()),
                        Runnable::run);
    }

    /**
     * Result of one transaction of a search for a payment.
     *
     * @param more whether nothing was found and entries remain
     */
    private record Search(NextPayment next, boolean more) {}

    /**
     * Result of a read from a feed that may be pruned.
     *
     * @param pruned the first valid cursor, when the feed is pruned at the requested one and nothing was read
     */
    private record Kept<T>(Optional<CreditCursor> pruned, T read) {}

    private <T> CompletionStage<T> kept(CreditCursor cursor, Function<Page, T> reading) {
        return books.read(session -> {
                    Optional<CreditCursor> pruned = CreditPruning.isKept(session.head(), cursor)
                            ? Optional.empty()
                            : Optional.of(CreditPruning.first(session.head(), cursor));
                    return new Kept<>(pruned, pruned.isPresent() ? null : reading.apply(session.head()));
                })
                .thenApplyAsync(
                        kept -> {
                            kept.pruned().ifPresent(first -> {
                                throw new CreditPruning.PrunedException(first);
                            });
                            return kept.read();
                        },
                        Runnable::run);
    }

    /**
     * A transaction that pays an address.
     *
     * @param amount sum that the transaction pays to the address
     * @param height of its block; empty while it is in a mempool
     */
    public record Payment(Hash256 txId, Amount amount, Optional<Long> height) {}

    /**
     * Result of {@link #payment}.
     *
     * @param cursor position after the payment, or after the entries that are no such payment
     */
    public record NextPayment(Optional<Payment> payment, CreditCursor cursor, long tipHeight) {}

    /**
     * A confirmed transaction that pays an address.
     *
     * @param amount sum that the transaction pays to the address
     */
    public record Confirmed(Address address, Hash256 txId, Amount amount, BlockPlace block) {
        private Confirmed with(Confirmed other) {
            return new Confirmed(address, txId, sum(amount, other.amount), block);
        }
    }

    /**
     * Finds confirmed transactions that pay one of these addresses, which are ours; change is excluded. Results of an address are in the order of
     * the chain, from at most {@value #MOST_CONFIRMED} outputs per address.
     *
     * @param from height of the lowest block
     * @param to height of the highest block
     */
    public CompletionStage<List<Confirmed>> confirmed(List<Address> addresses, long from, long to) {
        return books.read(session -> addresses.stream()
                .flatMap(address -> confirmed(session.head(), address, from, to).stream())
                .toList());
    }

    private static List<Confirmed> confirmed(Page page, Address address, long from, long to) {
        Map<Hash256, Confirmed> found = new LinkedHashMap<>();
        page
                .query(
                        "SELECT " + CreditTable.COLUMNS + " FROM credits c WHERE c.address = " + CreditTable.ADDRESS
                                + " AND c.scan = 0 AND c.active = 1 AND c.height BETWEEN ? AND ?"
                                + " ORDER BY c.height, c.position LIMIT " + MOST_CONFIRMED,
                        CreditTable::read,
                        address,
                        from,
                        to)
                .stream()
                .filter(credit -> !credit.change())
                .map(credit -> new Confirmed(address, credit.outpoint().txId(), credit.amount(), credit.block()))
                .forEach(credit -> found.merge(credit.txId(), credit, Confirmed::with));
        return List.copyOf(found.values());
    }

    public CompletionStage<CreditCursor> beginning(long depth, Optional<Address> address) {
        return books.read(session ->
                CreditPruning.first(session.head(), CreditCursor.beginning(store(session.head()), depth, address)));
    }

    private static Amount sum(Amount a, Amount b) {
        long bits = a.bits() + b.bits();
        return Amount.ofUnsigned(U64.compare(bits, a.bits()) < 0 ? -1L : bits);
    }

    /**
     * Returns the height up to which blocks are reported; -1 when no chain is followed. During a reorganisation the followed tip may not be on the
     * chain of the books: then its height says nothing about the other branch, and the rows of the books limit the result.
     */
    private long top(Page page) {
        Optional<BlockPlace> followed = tip.get();
        long height = followed.map(BlockPlace::height).orElse(-1L);
        return followed.isEmpty() || BlockRows.has(page, followed.get())
                ? height
                : Math.min(height, BlockRows.told(page).map(BlockRow::height).orElse(-1L));
    }

    /** Reads one page of the feed of credits, inside one transaction. */
    private static final class CreditReading {
        private static final int ENTRIES = 500;
        /** Size in bytes above which a page ends. */
        private static final int PAGE_BYTES = 1_000_000;

        /** Estimated size in bytes of a credit in an answer, without its datum. */
        private static final int CREDIT_BYTES = 700;

        /**
         * An entry of the log.
         *
         * @param kind one of the kinds in {@link CreditTable}
         * @param credit null for an entry that has only a height
         */
        record Entry(long number, int kind, long height, Credit credit) {
            CreditEvent event() {
                return switch (kind) {
                    case CreditTable.SEEN -> new CreditEvent(number, CreditEvent.Kind.SEEN, credit);
                    case CreditTable.REMOVED, CreditTable.LOST ->
                        new CreditEvent(number, CreditEvent.Kind.REMOVED, credit);
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
        /** Number of rows read. */
        private int rows;

        /**
         * Creates the reading of a page.
         *
         * @param top height up to which blocks are reported
         */
        CreditReading(Page page, CreditCursor cursor, boolean change, int limit, long top) {
            this.page = page;
            this.at = cursor;
            this.change = change;
            this.limit = limit;
            this.top = top;
        }

        CreditFeed.Batch batch() {
            boolean more = readLog();
            if (!more && at.depth() > 0) {
                more = readHeights();
            }
            return new CreditFeed.Batch(events, at, more, top);
        }

        /** Processes entries of the log; returns whether more remain because the page is full or enough rows were read. */
        private boolean readLog() {
            if (at.isBeforeFirstBlock()) {
                at = at.at(Math.max(at.log(), CreditTable.lastNumber(page)));
                return false;
            }
            List<Entry> entries = entries(page, at);
            while (!entries.isEmpty()) {
                if (rows >= ROWS) {
                    return true;
                }
                rows += entries.size();
                for (Entry entry : entries) {
                    if (isFull()) {
                        return true;
                    }
                    if (at.depth() == 0 && isHidden(page, entry, top)) {
                        return false;
                    }
                    process(entry);
                    at = at.at(entry.number());
                }
                entries = entries(page, at);
            }
            return false;
        }

        /** Returns whether the entry is a credit of a block that may not be reported yet; at depth 0 it also holds back everything after it. */
        static boolean isHidden(Page page, Entry entry, long top) {
            return entry.enters() && entry.height() > top && isActive(page, entry.credit());
        }

        static boolean isActive(Page page, Credit credit) {
            return page.has(
                    "SELECT 1 FROM credits INDEXED BY credits_by_height WHERE scan = ? AND active = 1 AND height = ? AND position = ? AND block = ?",
                    credit.isInBlock() ? Page.HEAD : CreditTable.PENDING,
                    credit.block().height(),
                    credit.position(),
                    credit.block().blockId());
        }

        private void process(Entry entry) {
            if (at.depth() == 0) {
                if (entry.credit() != null) {
                    add(entry.event());
                }
            } else if (entry.kind() == CreditTable.UNDONE) {
                if (entry.height() <= at.height()) {
                    at = at.at(entry.height(), 0);
                }
            } else if (isOfBlock(entry) && at.isTold(entry.credit())) {
                add(entry.event());
            }
        }

        /** Returns whether the entry concerns a block but is not reported by height, as connected credits are. */
        private static boolean isOfBlock(Entry entry) {
            return entry.kind() == CreditTable.REMOVED || entry.kind() == CreditTable.LATE;
        }

        static List<Entry> entries(Page page, CreditCursor after) {
            String ofAddress = after.address().isPresent()
                    ? " AND (l.address = " + CreditTable.ADDRESS + " OR l.address IS NULL)"
                    : "";
            String sql = "SELECT l.number, l.entry, l.height AS entry_height, " + CreditTable.COLUMNS
                    + " FROM credit_log l LEFT JOIN credits c ON c.id = l.credit WHERE l.number > ?" + ofAddress
                    + " ORDER BY l.number LIMIT " + ENTRIES;
            Object[] values = after.address().isPresent()
                    ? new Object[] {after.log(), after.address().get()}
                    : new Object[] {after.log()};
            return page.query(
                    sql,
                    row -> new Entry(
                            row.getLong(1),
                            row.getInt(2),
                            row.getLong(3),
                            row.getInt(2) == CreditTable.UNDONE ? null : CreditTable.read(row)),
                    values);
        }

        /** Adds the credits of the next heights that are deep enough; returns whether more remain. */
        private boolean readHeights() {
            long deepEnough = top - at.depth() + 1;
            String ofAddress = at.address().isPresent() ? "c.address = " + CreditTable.ADDRESS + " AND " : "";
            String sql = "SELECT (SELECT MAX(l.number) FROM credit_log l WHERE l.credit = c.id), " + CreditTable.COLUMNS
                    + " FROM credits c WHERE " + ofAddress
                    + "c.scan = 0 AND c.active = 1 AND c.height <= ? AND (c.height, c.position) >= (?, ?) "
                    + "ORDER BY c.height, c.position LIMIT " + (limit + 1);
            List<CreditEvent> next;
            do {
                List<Object> values = new ArrayList<>();
                at.address().ifPresent(address -> values.add(address));
                values.addAll(List.of(deepEnough, at.height() + 1, at.position()));
                next = page.query(sql, CreditReading::entered, values.toArray());
                rows += next.size();
                for (CreditEvent event : next) {
                    if (isFull()) {
                        return true;
                    }
                    Credit credit = event.credit();
                    add(event);
                    at = at.at(credit.block().height() - 1, credit.position() + 1);
                }
                // Omitted change does not fill the page, so continue behind it.
            } while (next.size() > limit && rows < ROWS);
            if (next.size() > limit) {
                return true;
            }
            if (deepEnough > at.height()) {
                at = at.at(deepEnough, 0);
            }
            return false;
        }

        private static CreditEvent entered(Row row) throws SQLException {
            return new CreditEvent(row.getLong(1), CreditEvent.Kind.CONFIRMED, CreditTable.read(row));
        }

        private boolean isFull() {
            return events.size() == limit || bytes > PAGE_BYTES;
        }

        private void add(CreditEvent event) {
            Credit credit = event.credit();
            if (change || !credit.change()) {
                bytes += CREDIT_BYTES
                        + credit.datum().map(datum -> 2 * datum.length()).orElse(0);
                events.add(event);
            }
        }
    }

    /**
     * Searches the log for the first transaction after a cursor that pays enough to its address, see {@link CreditFeed#payment}. Runs inside one
     * transaction.
     */
    private static final class PaymentReading {
        private final Page page;
        private final Amount least;
        private final long top;
        /** Log number at which the search began, in this transaction or an earlier one. */
        private final long told;

        private CreditCursor at;

        /**
         * Creates the search.
         *
         * @param cursor of one address at depth 0
         */
        PaymentReading(Page page, CreditCursor cursor, Amount least, long top, long told) {
            this.page = page;
            this.at = cursor;
            this.least = least;
            this.top = top;
            this.told = told;
        }

        CreditFeed.Search next() {
            int rows = 0;
            List<CreditReading.Entry> entries = CreditReading.entries(page, at);
            while (!entries.isEmpty()) {
                if (rows >= ROWS) {
                    return ended(Optional.empty(), true);
                }
                rows += entries.size();
                for (int i = 0; i < entries.size(); i++) {
                    CreditReading.Entry entry = entries.get(i);
                    if (CreditReading.isHidden(page, entry, top)) {
                        return ended(Optional.empty(), false);
                    }
                    if (entry.number() > at.log()) {
                        at = at.at(entry.number());
                        Optional<CreditFeed.Payment> found = paymentOf(entries.subList(i, entries.size()));
                        if (found.isPresent()) {
                            return ended(found, false);
                        }
                    }
                }
                entries = CreditReading.entries(page, at);
            }
            return ended(Optional.empty(), false);
        }

        private CreditFeed.Search ended(Optional<CreditFeed.Payment> found, boolean more) {
            return new CreditFeed.Search(new CreditFeed.NextPayment(found, at, top), more);
        }

        /** Returns the payment of the transaction with the first of these entries, if it is one that is searched, and skips its entries. */
        private Optional<CreditFeed.Payment> paymentOf(List<CreditReading.Entry> entries) {
            CreditReading.Entry entry = entries.get(0);
            if (entry.credit() == null || !isFresh(entry)) {
                return Optional.empty();
            }
            List<CreditReading.Entry> whole = ofTransaction(entries);
            if (whole.size() == entries.size()) {
                // There may be more of them behind those that were read.
                whole = ofTransaction(CreditReading.entries(page, at.at(entry.number() - 1)));
            }
            at = at.at(whole.get(whole.size() - 1).number());
            List<Credit> credits =
                    whole.stream().map(CreditReading.Entry::credit).toList();
            Amount sum = credits.stream().map(Credit::amount).reduce(Amount.ofUnsigned(0), CreditFeed::sum);
            Credit first = entry.credit();
            return Optional.of(new CreditFeed.Payment(
                            first.outpoint().txId(),
                            sum,
                            first.isInBlock() ? Optional.of(first.block().height()) : Optional.empty()))
                    .filter(payment -> sum.compareTo(least) >= 0);
        }

        /** Returns the entries of the transaction of the first entry, which are consecutive. */
        private static List<CreditReading.Entry> ofTransaction(List<CreditReading.Entry> entries) {
            CreditReading.Entry first = entries.get(0);
            return entries.stream()
                    .takeWhile(next ->
                            next.credit() != null && next.kind() == first.kind() && isSameTransaction(next, first))
                    .toList();
        }

        private static boolean isSameTransaction(CreditReading.Entry one, CreditReading.Entry other) {
            return one.credit()
                    .outpoint()
                    .txId()
                    .equals(other.credit().outpoint().txId());
        }

        private boolean isFresh(CreditReading.Entry entry) {
            Credit credit = entry.credit();
            return entry.event().kind() != CreditEvent.Kind.REMOVED
                    && !credit.change()
                    && CreditReading.isActive(page, credit)
                    && !wasPending(credit.outpoint().txId(), credit.outpoint().index());
        }

        /** Returns whether, before the cursor, the last report about the output was that it was seen in a mempool. */
        private boolean wasPending(Hash256 txId, long output) {
            return page.queryOne(
                            "SELECT l.entry FROM (SELECT id" + CreditTable.SEEN_IN + " AND output = ?2) c"
                                    + " CROSS JOIN credit_log l INDEXED BY credit_log_by_credit ON l.credit = c.id"
                                    + " WHERE l.number <= ?3 ORDER BY l.number DESC LIMIT 1",
                            row -> row.getInt(1) == CreditTable.SEEN,
                            txId,
                            output,
                            told)
                    .orElse(false);
        }
    }
}
