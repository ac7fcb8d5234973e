package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.sql.Row;

/**
 * The rows of the feed of credits. When its block is undone, a credit is not deleted but marked inactive, and an entry is added to the log. The log
 * is append-only, and its numbers are never reused. Only {@link CreditPruning} deletes from it, at the old end, and {@link #undo}, which deletes
 * entries that no reader can have passed because their blocks were not reportable yet.
 *
 * <p>Kinds of log entries: a credit was confirmed at the tip, found by a rescan in an older block, or removed with its block; the chain was undone
 * to a height above which heights are reported again; a credit was seen in a mempool, or is no longer in any. A credit that was only seen is a row
 * of the scan {@link #PENDING}, with its transaction id in place of a block id.
 */
public final class CreditTable implements BookTable<CreditTable.View, Credit> {
    static final int CONNECTED = 1;
    static final int LATE = 2;
    static final int REMOVED = 3;
    static final int UNDONE = 4;
    static final int SEEN = 5;
    static final int LOST = 6;

    /** Scan number of credits that are in no block. */
    static final long PENDING = -1;

    /** Number of low bits of a log number, below its generation; leaves eight million generations before numbers become inexact in JSON. */
    private static final int NUMBER_BITS = 30;

    /** Log numbers skipped at a fail-over, in bits: more than the entries that a fail-over can lose. */
    private static final int SKIPPED_BITS = 20;

    /** Fact: number of the last daemon start when the newest generation began. */
    private static final String GENERATION = "generation";

    private static final String TIMELINE = "timeline";

    /** Fact: number of generations before those of this server, left by a server from which the books were moved to a file. */
    private static final String BEFORE = "generations before";

    /** Fact: height up to which credits may have been reported at the last undo, or at the beginning of the books. */
    private static final String TOLD = "told";

    /** Fact: height up to which the feed was pruned, see {@link CreditPruning}. */
    static final String PRUNED_HEIGHT = "pruned_height";

    static final String COLUMNS =
            "c.tx, c.output, (SELECT a.address FROM addresses a WHERE a.id = c.address) AS address, c.amount, c.height, c.block,"
                    + " c.position, c.own, c.change, c.coinbase, c.datum";

    /** Subquery for the number of an address, for a statement whose parameter is the address. */
    static final String ADDRESS = "(SELECT id FROM addresses WHERE address = ?)";

    /** The credits of the transaction ?1 that were seen in a mempool. The index has only the first bytes of transaction ids; collisions are rare. */
    static final String SEEN_IN =
            " FROM credits c INDEXED BY credits_seen WHERE substr(tx, 1, 6) = substr(?1, 1, 6) AND tx = ?1 AND scan = -1";

    private static final String OF_SEEN =
            " INDEXED BY credits_seen SET active = ?2 WHERE substr(tx, 1, 6) = substr(?1, 1, 6) AND tx = ?1 AND scan = -1";

    private static final List<List<String>> STEPS = List.of(
            List.of(
                    """
            CREATE TABLE credits (
              id INTEGER PRIMARY KEY,
              scan INTEGER NOT NULL,
              active INTEGER NOT NULL,
              tx BLOB NOT NULL,
              output INTEGER NOT NULL,
              address BLOB NOT NULL,
              amount INTEGER NOT NULL,
              height INTEGER NOT NULL,
              block BLOB NOT NULL,
              position INTEGER NOT NULL,
              own INTEGER NOT NULL,
              change INTEGER NOT NULL,
              coinbase INTEGER NOT NULL,
              datum BLOB,
              UNIQUE (block, position, scan))""",
                    "CREATE INDEX credits_by_height ON credits (scan, active, height, position)",
                    "CREATE INDEX credits_by_address ON credits (address, scan, active, height, position)",
                    """
            CREATE TABLE credit_log (
              number INTEGER PRIMARY KEY AUTOINCREMENT,
              entry INTEGER NOT NULL,
              credit INTEGER,
              address BLOB,
              height INTEGER NOT NULL)""",
                    "CREATE INDEX credit_log_by_address ON credit_log (address, number)",
                    "CREATE INDEX credit_log_by_credit ON credit_log (credit, number)",
                    "CREATE TABLE credit_facts (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
                    "INSERT INTO credit_facts (name, value) VALUES ('store', lower(hex(randomblob(8))))"),
            List.of("CREATE INDEX credits_by_output ON credits (tx, output)"),
            ShortKeys.CREDITS,
            List.of(
                    // Credits in the chain are looked up by their coins, which saves writing one page per credit.
                    "DROP INDEX credits_by_output",
                    "CREATE INDEX credits_seen ON credits (substr(tx, 1, 6)) WHERE scan = -1"));

    private final Function<Page, View> owned;

    /** Data that the book needs while it reads a transaction. */
    @FunctionalInterface
    public interface View {
        /** Returns whether we have the key of an address. */
        boolean owns(Address address);

        /** Returns whether credits of an address are reported: those of our keys and of watch-only addresses. */
        default boolean tells(Address address) {
            return owns(address);
        }

        /** Returns whether this spend of an HTLC is made with one of our keys. */
        default boolean redeems(Outpoint lock, HtlcSpend spend) {
            return false;
        }
    }

    /**
     * Creates the book.
     *
     * @param owned creates the look-up of our addresses for a page
     */
    public CreditTable(Function<Page, View> owned) {
        this.owned = owned;
    }

    @Override
    public String name() {
        return "credits";
    }

    @Override
    public List<List<String>> steps() {
        return STEPS;
    }

    @Override
    public List<String> onServer() {
        return List.of(
                "INSERT INTO credit_facts (name, value) VALUES ('store', left(md5(gen_random_uuid()::text), 16))");
    }

    /**
     * Leaves a gap in the numbers of the log, so that a cursor from commits that the database has lost lies before all future entries. Such a cursor
     * may also claim more heights as reported than the books have; the log therefore gets an entry as if blocks were undone, which lowers the
     * cursor's height. It has no effect on other cursors.
     */
    @Override
    public void beginGeneration(Page head, long start, long timeline) {
        long failOvers = timeline - number(head, TIMELINE);
        if (start <= number(head, GENERATION) && failOvers <= 0) {
            return;
        }
        head.queryOne(
                "SELECT setval(pg_get_serial_sequence('credit_log', 'number'),"
                        + " GREATEST(nextval(pg_get_serial_sequence('credit_log', 'number')) + ?, ?))",
                row -> true,
                Math.max(0, failOvers) << SKIPPED_BITS,
                number(head, BEFORE) + start << NUMBER_BITS);
        put(head, GENERATION, start);
        put(head, TIMELINE, timeline);
        head.update("INSERT INTO credit_log (entry, height) VALUES (?, ?)", UNDONE, top(head));
    }

    /** Adds the generations of this server to the base, because the next server counts starts and timelines from the beginning. */
    @Override
    public void leaveServer(Page head) {
        put(head, BEFORE, number(head, BEFORE) + number(head, GENERATION));
        put(head, GENERATION, 0);
        put(head, TIMELINE, 0);
    }

    static long number(Page head, String fact) {
        return find(head, fact).orElse(0L);
    }

    static Optional<Long> find(Page head, String fact) {
        return head.queryOne(
                "SELECT value FROM credit_facts WHERE name = ?", row -> Long.valueOf(row.getString(1)), fact);
    }

    static void put(Page head, String fact, long number) {
        head.update(
                "INSERT INTO credit_facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                fact,
                Long.toString(number));
    }

    @Override
    public View view(Page page) {
        return owned.apply(page);
    }

    @Override
    public void write(Page page, Credit credit) {
        enter(page, credit, CONNECTED);
    }

    /** Enters a credit; when a block returns to the chain, reactivates its credits unchanged. */
    private static void enter(Page page, Credit credit, int entry) {
        Optional<long[]> known = CreditCache.of(page).mayExist(page, credit) ? find(page, credit) : Optional.empty();
        if (known.isPresent() && known.get()[1] != 0) {
            return;
        }
        if (known.isPresent()) {
            page.update("UPDATE credits SET active = 1 WHERE id = ?", known.get()[0]);
        } else {
            insert(page, credit);
        }
        if (page.isHead()) {
            if (known.isPresent()) {
                page.update(
                        "INSERT INTO credit_log (entry, credit, address, height)"
                                + " SELECT ?, id, address, height FROM credits WHERE id = ?",
                        entry,
                        known.get()[0]);
            } else {
                page.update(
                        "INSERT INTO credit_log (entry, credit, address, height) VALUES (?, (SELECT MAX(id) FROM credits), ?, ?)",
                        entry,
                        AddressRows.number(page, credit.address()),
                        credit.block().height());
            }
            endPending(page, credit.outpoint());
        }
    }

    /** Finds the id of the credit at the same position, and whether it is active (in the chain). */
    private static Optional<long[]> find(Page page, Credit credit) {
        return page.queryOne(
                "SELECT id, active FROM credits INDEXED BY credits_by_height WHERE scan = ? AND active IN (0, 1) AND height = ? AND position = ? AND block = ?",
                row -> new long[] {row.getLong(1), row.getLong(2)},
                page.scan(),
                credit.block().height(),
                credit.position(),
                credit.block().blockId());
    }

    private static void endPending(Page head, Outpoint outpoint) {
        if (CreditCache.of(head).removePending(outpoint)) {
            setSeen(head, outpoint, false);
        }
    }

    /**
     * Sets whether the row of an output from a mempool is active.
     *
     * @return whether the row exists
     */
    private static boolean setSeen(Page head, Outpoint outpoint, boolean active) {
        return head.updated("UPDATE credits" + OF_SEEN + " AND output = ?3", outpoint.txId(), active, outpoint.index())
                > 0;
    }

    private static void insert(Page page, Credit credit) {
        insert(page, page.scan(), credit);
    }

    private static void insert(Page page, long scan, Credit credit) {
        page.update(
                "INSERT INTO credits (scan, active, tx, output, address, amount, height, block, position, own, change, coinbase, datum) "
                        + "VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                scan,
                credit.outpoint(),
                AddressRows.number(page, credit.address()),
                credit.amount(),
                credit.block(),
                credit.position(),
                credit.own(),
                credit.change(),
                credit.coinbase(),
                credit.datum().orElse(null));
    }

    /**
     * Enters a credit from a mempool, unless its output is in the chain or already entered.
     *
     * @return whether it was entered
     */
    public static boolean see(Page head, Credit credit) {
        Outpoint outpoint = credit.outpoint();
        if (CreditCache.of(head).isPending(outpoint) || LedgerTable.has(head, outpoint)) {
            return false;
        }
        if (!setSeen(head, outpoint, true)) {
            insert(head, PENDING, credit);
        }
        CreditCache.of(head).addPending(outpoint);
        head.update(
                "INSERT INTO credit_log (entry, credit, address, height) SELECT ?3, id, address, ?4" + SEEN_IN
                        + " AND output = ?2",
                outpoint,
                SEEN,
                top(head));
        return true;
    }

    /** Reports the seen credits of a transaction as removed: no mempool has it any more, and it is not expected to be mined. */
    public static void lose(Page head, Hash256 txId) {
        head.update(
                "INSERT INTO credit_log (entry, credit, address, height) SELECT ?2, id, address, ?3" + SEEN_IN
                        + " AND active = 1 ORDER BY output DESC",
                txId,
                LOST,
                top(head));
        head.update("UPDATE credits" + OF_SEEN, txId, 0);
        CreditCache.of(head).removeAllPending(txId);
    }

    /** Lists transactions with credits that were seen and are in no block, in the order of entry. */
    public static List<Hash256> pending(Page head, int most) {
        return head.query(
                "SELECT tx FROM credits INDEXED BY credits_by_height WHERE scan = ? AND active = 1 GROUP BY tx"
                        + " ORDER BY MIN(id) LIMIT ?",
                row -> Hash256.of(row.getBytes(1)),
                PENDING,
                most);
    }

    /** Returns the number of the last kept entry of the log; 0 when there is none. */
    static long lastNumber(Page page) {
        return page.number("SELECT COALESCE(MAX(number), 0) FROM credit_log");
    }

    /**
     * Returns the height up to which the feed was pruned; -1 when it was not, or not since another chain is followed. All credits of this chain
     * that {@link CreditPruning} has deleted are below or at it.
     */
    static long prunedHeight(Page page) {
        return find(page, PRUNED_HEIGHT).orElse(-1L);
    }

    private static long top(Page head) {
        return BlockRows.top(head).map(BlockRow::height).orElse(-1L);
    }

    @Override
    public void begin(Page page, long height) {
        put(page, TOLD, height);
    }

    /** Logs the removed credits in reverse order, the last credit first. Credits of blocks that were never reported leave no entry. */
    @Override
    public void undo(Page page, long height) {
        if (!page.isHead()) {
            page.update("DELETE FROM credits WHERE scan = ? AND height > ?", page.scan(), height);
            return;
        }
        long told = told(page);
        put(page, TOLD, Math.min(told, height));
        withdraw(page, Math.max(told, height));
        remove(page, height);
    }

    /**
     * Returns the height up to which blocks may have been reported to readers. {@link BlockRows#told} only grows between two undos, so it bounds the
     * reports since the last undo; the height recorded at that undo bounds the earlier ones. Books without that record count as reported completely.
     */
    private static long told(Page head) {
        long reportable = BlockRows.told(head).map(BlockRow::height).orElse(-1L);
        return find(head, TOLD).map(before -> Math.max(before, reportable)).orElse(Long.MAX_VALUE);
    }

    /** Removes the log entries of credits above {@code told}; outputs that had been reported as seen become pending again. */
    private static void withdraw(Page head, long told) {
        List<Outpoint> unreported = head.query(
                "SELECT tx, output FROM credits INDEXED BY credits_by_height WHERE scan = ? AND active = 1 AND height > ?",
                LedgerTable::outpoint,
                head.scan(),
                told);
        if (unreported.isEmpty()) {
            return;
        }
        head.update(
                "DELETE FROM credit_log WHERE number IN (SELECT (SELECT MAX(l.number) FROM credit_log l WHERE l.credit = c.id)"
                        + " FROM credits c INDEXED BY credits_by_height WHERE c.scan = ? AND c.active = 1 AND c.height > ?)",
                head.scan(),
                told);
        head.update("UPDATE credits SET active = 0 WHERE scan = ? AND active = 1 AND height > ?", head.scan(), told);
        unreported.forEach(outpoint -> restorePending(head, outpoint));
    }

    /** Makes an output pending again, if being seen in a mempool is the last report about it. */
    private static void restorePending(Page head, Outpoint outpoint) {
        byte[] tx = outpoint.txId().toArray();
        boolean seenLast = head.has(
                "SELECT l.number FROM (SELECT id" + SEEN_IN + " AND output = ?2) c"
                        + " CROSS JOIN credit_log l INDEXED BY credit_log_by_credit ON l.credit = c.id"
                        + " WHERE l.entry = ?3 AND NOT EXISTS (SELECT 1 FROM credit_log later CROSS JOIN credits o ON o.id = later.credit"
                        + " WHERE later.number > l.number AND o.tx = ?1 AND o.output = ?2)"
                        + " ORDER BY l.number DESC LIMIT 1",
                tx,
                outpoint.index(),
                SEEN);
        if (seenLast && setSeen(head, outpoint, true)) {
            CreditCache.of(head).addPending(outpoint);
        }
    }

    private static void remove(Page page, long height) {
        page.update(
                "INSERT INTO credit_log (entry, credit, address, height) SELECT ?, id, address, height FROM credits "
                        + "WHERE scan = ? AND active = 1 AND height > ? ORDER BY height DESC, position DESC",
                REMOVED,
                page.scan(),
                height);
        page.update("UPDATE credits SET active = 0 WHERE scan = ? AND active = 1 AND height > ?", page.scan(), height);
        page.update("INSERT INTO credit_log (entry, height) VALUES (?, ?)", UNDONE, height);
    }

    /** Logs all reported credits as removed; readers then get the credits of the other chain. Every cursor stays valid. */
    @Override
    public OptionalLong beginAnew(Page head, long height) {
        OptionalLong lowest = head.ifNumber(
                "SELECT height FROM credits WHERE scan = ? AND active = 1 ORDER BY height LIMIT 1", head.scan());
        remove(head, -1);
        put(head, TOLD, height);
        // Heights refer to another chain from here on.
        head.update("UPDATE credit_facts SET value = '-1' WHERE name = ?", PRUNED_HEIGHT);
        return lowest;
    }

    /**
     * Leaves out the credits up to the pruned height, because they may have been reported before they were deleted. This cannot be so of a
     * pending one: had it been confirmed before, the ledger would have its output.
     */
    @Override
    public void join(Page page) {
        Page head = page.session().head();
        List<Credit> found = page.query(
                "SELECT " + COLUMNS + " FROM credits c WHERE scan = ? AND active = 1 ORDER BY height, position",
                CreditTable::read,
                page.scan());
        long pruned = prunedHeight(head);
        CreditCache cache = CreditCache.of(head);
        found.stream()
                .filter(credit -> credit.block().height() > pruned || cache.isPending(credit.outpoint()))
                .forEach(credit -> enter(head, credit, LATE));
        drop(page);
    }

    @Override
    public void drop(Page page) {
        page.update("DELETE FROM credits WHERE scan = ?", page.scan());
    }

    static Credit read(Row row) throws SQLException {
        return new Credit(
                new Outpoint(row.hash("tx"), row.number("output")),
                row.address("address"),
                row.amount("amount"),
                new BlockPlace(row.number("height"), row.hash("block")),
                row.number("position"),
                row.flag("own"),
                row.flag("change"),
                row.flag("coinbase"),
                row.ifBytes("datum"));
    }

    /**
     * Cache of the feed's writer: the highest position of each scan (possibly higher than any existing one), and the pending outputs (seen in a
     * mempool). Because of it a credit that was never reported before, which is the normal case, is entered without reading older rows.
     */
    static final class CreditCache {
        private static final String SELECT_HIGHEST =
                "SELECT MAX(COALESCE((SELECT MAX(height) FROM credits WHERE scan = ?1 AND active = 0), -1),"
                        + " COALESCE((SELECT MAX(height) FROM credits WHERE scan = ?1 AND active = 1), -1))";

        private static final String SELECT_PENDING =
                "SELECT tx, output FROM credits INDEXED BY credits_by_height WHERE scan = ? AND active = 1";

        /** Position of a credit, in the order of the feed. */
        private record Place(long height, long position) {
            boolean isAbove(Place other) {
                return height != other.height ? height > other.height : position > other.position;
            }
        }

        private final Map<Long, Place> highest = new HashMap<>();
        private final Set<Outpoint> pending;

        private CreditCache(BooksSession session) {
            pending = new HashSet<>(session.head().query(SELECT_PENDING, LedgerTable::outpoint, CreditTable.PENDING));
        }

        static CreditCache of(Page page) {
            return page.session().cached(CreditCache.class, CreditCache::new);
        }

        /**
         * Records the position of a credit in a block that is about to be entered.
         *
         * @return false when certainly no row of the page's scan, active or not, has its position
         */
        boolean mayExist(Page page, Credit credit) {
            Place place = new Place(credit.block().height(), credit.position());
            Place top = highest.computeIfAbsent(page.scan(), scan -> read(page));
            boolean higher = place.isAbove(top);
            if (higher) {
                highest.put(page.scan(), place);
            }
            return !higher;
        }

        private static Place read(Page page) {
            long height = page.number(SELECT_HIGHEST, page.scan());
            return new Place(height, Long.MAX_VALUE);
        }

        boolean isPending(Outpoint outpoint) {
            return pending.contains(outpoint);
        }

        void addPending(Outpoint outpoint) {
            pending.add(outpoint);
        }

        /**
         * Removes an output from the pending ones.
         *
         * @return whether it was pending
         */
        boolean removePending(Outpoint outpoint) {
            return pending.remove(outpoint);
        }

        void removeAllPending(Hash256 txId) {
            pending.removeIf(outpoint -> outpoint.txId().equals(txId));
        }
    }
}
