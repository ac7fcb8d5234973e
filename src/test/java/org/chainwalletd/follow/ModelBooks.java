package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.coins.CreditBook;
import org.chainwalletd.coins.LedgerBook;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.spend.SpendingBook;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.SpendingTable;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.store.sql.Row;
import org.chainwalletd.testkit.Await;

/** All books of the daemon on one file, set up as in the daemon, with a way to make commits fail. */
final class ModelBooks implements AutoCloseable {
    private static final long DEEP = 100;

    /** Rows that are not yet visible to readers. */
    static final String OF_RESCANS = "rest of rescans";

    private static final Map<String, String> ROWS = new TreeMap<>(Map.of(
            "blocks",
            "SELECT height, id FROM blocks WHERE scan = 0 ORDER BY 1",
            "coins",
            "SELECT tx_id, output_index, (SELECT a.address FROM addresses a WHERE a.id = coins.address), value, height, coinbase, spent_height, spent_by FROM coins"
                    + " WHERE scan = 0 ORDER BY 1, 2",
            "spendings",
            "SELECT tx_id, output_index, spent_by, height, block FROM spendings WHERE scan = 0 ORDER BY 1, 2",
            // A claim in a removed block has revealed its preimage, which stays known.
            "htlcs",
            "SELECT tx_id, output_index, sender, receiver, hash_lock, timeout, amount, role, lock_height, expired,"
                    + " state, claim_height, CASE WHEN claim_height < %1$d THEN claim_tx END,"
                            .formatted(HtlcTable.NOWHERE)
                    + " CASE WHEN claim_height < %1$d THEN preimage END, reclaim_height,".formatted(HtlcTable.NOWHERE)
                    + " CASE WHEN reclaim_height < %1$d THEN reclaim_tx END FROM htlcs WHERE scan = 0 ORDER BY 1, 2"
                            .formatted(HtlcTable.NOWHERE),
            // Whether a credit is own is decided when it is written, and not changed by keys added later.
            "credits",
            "SELECT tx, output, (SELECT a.address FROM addresses a WHERE a.id = credits.address), amount, height, block, position, change, coinbase, datum FROM credits"
                    + " WHERE scan = 0 AND active = 1 ORDER BY height, position",
            OF_RESCANS,
            "SELECT (SELECT count(*) FROM coins WHERE scan <> 0), (SELECT count(*) FROM htlcs WHERE scan <> 0),"
                    + " (SELECT count(*) FROM spendings WHERE scan <> 0)"));

    private final LedgerBook ledger = new LedgerBook();
    private final CreditTable credits = new CreditTable(page -> ledger.table().view(page)::isWatched);
    private final HtlcTable htlcs = new HtlcTable(page -> ledger.table().view(page)::isWatched);
    private final SpendingTable spendings = new SpendingTable(
            page -> new SpendingTable.View(ledger.table().view(page)::isWatched, htlcs.view(page)::has));
    private final Saboteur saboteur = new Saboteur();
    private final List<Book<?, ?>> books;
    private final Books file;

    ModelBooks(Path folder) {
        this(BooksPlaces.FILES, folder);
    }

    ModelBooks(BooksPlaces places, Path folder) {
        this.books = List.of(
                ledger,
                new HtlcBook(ModelChain.PROFILE, htlcs),
                new CreditBook(ModelChain.PROFILE, credits),
                new SpendingBook(ModelChain.PROFILE, spendings),
                saboteur);
        List<BookTable<?, ?>> tables = new ArrayList<>();
        books.forEach(book -> tables.add(book.table()));
        this.file = places.open(folder, tables);
    }

    /** Writes all books at once from the first block of a chain to its last. */
    static ModelBooks fromScratch(Path folder, Set<Address> owned, ModelBlock tip) {
        ModelBooks fresh = new ModelBooks(folder);
        fresh.watch(List.copyOf(owned));
        Bookkeeping bookkeeping = new Bookkeeping(fresh.file, fresh.books, FollowerSetup.Rules.DEFAULT);
        BlockRow first = new Bookkeeping.Entry(tip.at(0).block(), true).row();
        Await.result(bookkeeping.begin(List.of(first), first.place(), Network.TESTNET, Optional.empty()));
        List<Bookkeeping.Entry> entries = new ArrayList<>();
        for (ModelBlock block = tip; block.height() > 0; block = block.parent()) {
            entries.add(0, new Bookkeeping.Entry(block.block(), true));
        }
        Await.result(bookkeeping.connect(entries));
        return fresh;
    }

    Books file() {
        return file;
    }

    HtlcTable htlcs() {
        return htlcs;
    }

    CreditTable credits() {
        return credits;
    }

    List<Book<?, ?>> books() {
        return books;
    }

    void watch(List<Address> addresses) {
        Await.result(new LedgerBooks(file).watch(addresses, false, DEEP));
    }

    /** Writes a meaningless value, a different one each time so that it takes space; fails if the file cannot be written. */
    CompletionStage<Void> tryToWrite() {
        return file.write(session -> {
            BlockRows.putFact(session.head(), "tried", Long.toString(System.nanoTime()));
            return null;
        });
    }

    /** Makes the {@code row}th block from now on fail after all its rows are written. */
    void failAt(int row) {
        saboteur.armed.set(row);
    }

    /** Makes the next undo fail after all rows of the books are undone. */
    void failUndoing() {
        saboteur.undoing.set(true);
    }

    /** Makes the commit of the next undo take as long as {@code meanwhile}. */
    void whileUndoing(Runnable meanwhile) {
        saboteur.slow.set(meanwhile);
    }

    /** Returns the blocks of rescans that were committed on top of a block that is not their parent. */
    List<String> gaps() {
        return saboteur.gaps;
    }

    /** Returns the blocks that rescans have written or tried to write. */
    Set<Hash256> staged() {
        return saboteur.staged;
    }

    boolean hasFailed() {
        return saboteur.armed.get() <= 0;
    }

    /** Returns the rows of the head, by table. */
    Map<String, List<String>> dump() {
        return Await.result(file.read(session -> {
            Map<String, List<String>> all = new TreeMap<>();
            ROWS.forEach((name, sql) -> all.put(name, rows(session.head(), sql)));
            return all;
        }));
    }

    static void assertSame(String table, List<String> rows, List<String> expected) {
        List<String> tooMany = new ArrayList<>(rows);
        tooMany.removeAll(expected);
        List<String> missing = new ArrayList<>(expected);
        missing.removeAll(rows);
        assertThat(tooMany).as("not of the chain: " + table).isEmpty();
        assertThat(missing).as("missing: " + table).isEmpty();
        assertThat(rows).as(table).hasSameSizeAs(expected);
    }

    private static List<String> rows(Page page, String sql) {
        return page.query(sql, Row::toString);
    }

    @Override
    public void close() {
        file.close();
    }

    /** Book without data that fails on request. */
    private static final class Saboteur implements Book<Page, Long>, BookTable<Page, Long> {
        private final AtomicInteger armed = new AtomicInteger(Integer.MAX_VALUE);
        private final AtomicBoolean undoing = new AtomicBoolean();
        private final Map<Long, Long> tops = new ConcurrentHashMap<>();
        private final List<String> gaps = new CopyOnWriteArrayList<>();
        private final Set<Hash256> staged = ConcurrentHashMap.newKeySet();
        private final AtomicReference<Runnable> slow = new AtomicReference<>(() -> {});

        @Override
        public BookTable<Page, Long> table() {
            return this;
        }

        @Override
        public List<Long> connect(ChainBlock block, Page page) {
            if (page.scan() != 0) {
                staged.add(block.id());
            }
            return List.of(block.height());
        }

        @Override
        public String name() {
            return "sabotage";
        }

        @Override
        public List<List<String>> steps() {
            return List.of();
        }

        @Override
        public Page view(Page page) {
            return page;
        }

        @Override
        public void write(Page page, Long height) {
            Long below = tops.put(page.scan(), height);
            if (page.scan() != 0 && below != null && below + 1 != height) {
                gaps.add("block " + height + " of scan " + page.scan() + " on block " + below);
            }
            if (armed.decrementAndGet() <= 0) {
                throw new IllegalStateException("the process dies here");
            }
        }

        @Override
        public void undo(Page page, long height) {
            slow.getAndSet(() -> {}).run();
            tops.computeIfPresent(page.scan(), (scan, top) -> Math.min(top, height));
            if (undoing.getAndSet(false)) {
                throw new IllegalStateException("the process dies here");
            }
        }

        @Override
        public void join(Page page) {}

        @Override
        public void drop(Page page) {}
    }
}
