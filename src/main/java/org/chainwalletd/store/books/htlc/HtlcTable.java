package org.chainwalletd.store.books.htlc;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Page;

/**
 * The HTLCs with a key of this daemon as a party, one row per outpoint. Changes by blocks can be undone by height. Facts known without a block
 * ({@code seen}, or an unconfirmed claim or reclaim) are kept in the rows of the head and survive the undoing of blocks. Heights are below 2^63;
 * {@link #NOWHERE} means none and sorts last. Timeouts are stored with their highest bit inverted, so that SQLite's signed order is their unsigned
 * order.
 */
public final class HtlcTable implements BookTable<HtlcTable.View, HtlcTable.Change> {
    /** Height of an unconfirmed lock, claim or reclaim. */
    public static final long NOWHERE = Long.MAX_VALUE;

    /** The daemon's key is the sender. */
    public static final int SENDER = 1;
    /** The daemon's key is the receiver; {@code SENDER | RECEIVER} when both are. */
    public static final int RECEIVER = 2;

    public static final int LOCKED = 0;
    public static final int EXPIRED = 1;
    public static final int CLAIMED = 2;
    public static final int RECLAIMED = 3;
    public static final int UNKNOWN = 4;

    private static final String NONE = Long.toString(NOWHERE);

    private static final List<List<String>> STEPS = List.of(
            List.of(
                    """
            CREATE TABLE htlcs (
              scan INTEGER NOT NULL,
              tx_id BLOB NOT NULL,
              output_index INTEGER NOT NULL,
              sender BLOB NOT NULL,
              receiver BLOB NOT NULL,
              sender_address BLOB NOT NULL,
              receiver_address BLOB NOT NULL,
              hash_lock BLOB NOT NULL,
              timeout INTEGER NOT NULL,
              amount INTEGER NOT NULL,
              role INTEGER NOT NULL,
              lock_height INTEGER NOT NULL,
              claim_tx BLOB,
              claim_input INTEGER,
              preimage BLOB,
              claim_height INTEGER NOT NULL DEFAULT %1$s,
              reclaim_tx BLOB,
              reclaim_input INTEGER,
              reclaim_height INTEGER NOT NULL DEFAULT %1$s,
              expired INTEGER NOT NULL DEFAULT 0,
              seen INTEGER NOT NULL DEFAULT 0,
              inputs BLOB,
              lost INTEGER NOT NULL DEFAULT 0,
              forgotten INTEGER NOT NULL DEFAULT 0,
              state INTEGER GENERATED ALWAYS AS (CASE
                WHEN reclaim_height < %1$s THEN 3
                WHEN claim_height < %1$s THEN 2
                WHEN lost = 1 THEN 4
                WHEN expired = 1 THEN 1
                ELSE 0 END) VIRTUAL,
              PRIMARY KEY (scan, tx_id, output_index)) WITHOUT ROWID""".formatted(NONE),
                    "CREATE INDEX htlcs_by_state ON htlcs (scan, state, role, lock_height, tx_id, output_index) WHERE forgotten = 0",
                    "CREATE INDEX htlcs_by_hash_lock ON htlcs (scan, hash_lock, lock_height, tx_id, output_index)",
                    "CREATE INDEX htlcs_by_sender ON htlcs (scan, sender_address, state, lock_height, tx_id, output_index)",
                    "CREATE INDEX htlcs_by_receiver ON htlcs (scan, receiver_address, state, lock_height, tx_id, output_index)",
                    "CREATE INDEX htlcs_by_lock ON htlcs (scan, lock_height)",
                    "CREATE INDEX htlcs_by_claim ON htlcs (scan, claim_height) WHERE claim_height < " + NONE,
                    "CREATE INDEX htlcs_by_reclaim ON htlcs (scan, reclaim_height) WHERE reclaim_height < " + NONE,
                    "CREATE INDEX htlcs_by_timeout ON htlcs (scan, expired, timeout)"),
            HtlcChanges.STEP);

    private static final String LOCK_COLUMNS = "scan, tx_id, output_index, sender, receiver, sender_address,"
            + " receiver_address, hash_lock, timeout, amount, role, lock_height, expired";
    private static final String SPEND_COLUMNS =
            "claim_tx, claim_input, preimage, claim_height, reclaim_tx, reclaim_input, reclaim_height";

    public sealed interface Change {}

    /**
     * A new output locked by or for a key of this daemon.
     *
     * @param role {@link #SENDER}, {@link #RECEIVER} or both
     */
    public record Locked(
            Outpoint outpoint,
            HtlcParams params,
            Address sender,
            Address receiver,
            Amount amount,
            int role,
            long height)
            implements Change {}

    /** Input {@code input} of {@code txId} has claimed the HTLC. */
    public record Claimed(Outpoint outpoint, Hash256 txId, int input, Bytes preimage, long height) implements Change {}

    /** Input {@code input} of {@code txId} has returned the HTLC to its sender. */
    public record Reclaimed(Outpoint outpoint, Hash256 txId, int input, long height) implements Change {}

    /** The block at this height was read: timeouts below it have passed. */
    public record Passed(long height) implements Change {}

    /**
     * Data that the book needs while it reads a block, from the rows of its scan.
     *
     * @param watched whether an address belongs to one of our keys
     */
    public record View(Page page, Predicate<Address> watched) {
        public boolean isWatched(Address address) {
            return watched.test(address);
        }

        /** Returns whether an earlier block has created a row for this outpoint. */
        public boolean has(Outpoint outpoint) {
            return page.has(
                    "SELECT 1 FROM htlcs WHERE scan = ? AND tx_id = ? AND output_index = ?", page.scan(), outpoint);
        }
    }

    private final Function<Page, Predicate<Address>> watched;

    /**
     * Creates the book.
     *
     * @param watched which addresses belong to our keys, according to the rows of another book, which is updated for a block before this one
     */
    public HtlcTable(Function<Page, Predicate<Address>> watched) {
        this.watched = watched;
    }

    @Override
    public String name() {
        return "htlcs";
    }

    @Override
    public List<List<String>> steps() {
        return STEPS;
    }

    @Override
    public List<String> onServer() {
        return HtlcChanges.ON_SERVER;
    }

    @Override
    public View view(Page page) {
        return new View(page, watched.apply(page));
    }

    /** Returns the address whose key makes this spend of an HTLC of this daemon; empty when the HTLC is in neither the page nor the head. */
    public static Optional<Address> redeemer(Page page, Outpoint lock, HtlcSpend spend) {
        return page.queryOne(
                "SELECT sender_address, receiver_address FROM htlcs WHERE scan IN (?, 0) AND tx_id = ? AND output_index = ?"
                        + " LIMIT 1",
                row -> Address.of(row.getBytes(spend instanceof HtlcSpend.Reclaim ? 1 : 2)),
                page.scan(),
                lock);
    }

    @Override
    public void write(Page page, Change change) {
        enter(page, change);
    }

    static void enter(Page page, Change change) {
        if (change instanceof Locked locked) {
            lock(page, locked);
        } else if (change instanceof Claimed claimed) {
            claim(page, claimed);
        } else if (change instanceof Reclaimed reclaimed) {
            page.update(
                    "UPDATE htlcs SET reclaim_tx = ?, reclaim_input = ?, reclaim_height = ?"
                            + " WHERE scan = ? AND tx_id = ? AND output_index = ?",
                    reclaimed.txId(),
                    reclaimed.input(),
                    reclaimed.height(),
                    page.scan(),
                    reclaimed.outpoint());
        } else if (change instanceof Passed passed) {
            pass(page, passed.height());
        }
    }

    /** Cache of the writer: for each scan, the lowest timeout among the HTLCs not yet marked as expired. */
    private static final class NextTimeout {
        private final Map<Long, Long> ofScan = new HashMap<>();

        static NextTimeout of(Page page) {
            return page.session().cached(NextTimeout.class, none -> new NextTimeout());
        }

        boolean hasPassed(Page page, long ordered) {
            return ofScan.computeIfAbsent(page.scan(), scan -> read(page)) < ordered;
        }

        private static long read(Page page) {
            return page.number(
                    "SELECT COALESCE(MIN(timeout), " + Long.MAX_VALUE + ") FROM htlcs WHERE scan = ? AND expired = 0",
                    page.scan());
        }

        void forget() {
            ofScan.clear();
        }
    }

    private static void pass(Page page, long height) {
        NextTimeout next = NextTimeout.of(page);
        if (next.hasPassed(page, ordered(height))) {
            page.update(
                    "UPDATE htlcs SET expired = 1 WHERE scan = ? AND expired = 0 AND timeout < ?",
                    page.scan(),
                    ordered(height));
            next.forget();
        }
    }

    /** Enters a lock. A lost lock that the operator has hidden is listed again once a block contains it. */
    private static void lock(Page page, Locked locked) {
        NextTimeout.of(page).forget();
        page.update(
                "INSERT INTO htlcs (" + LOCK_COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                        + " ON CONFLICT (scan, tx_id, output_index) DO UPDATE SET role = htlcs.role | excluded.role, lock_height = excluded.lock_height, lost = 0,"
                        + " forgotten = CASE WHEN excluded.lock_height = " + NONE + " THEN htlcs.forgotten ELSE 0 END",
                page.scan(),
                locked.outpoint(),
                locked.params().sender(),
                locked.params().receiver(),
                locked.sender(),
                locked.receiver(),
                locked.params().hashLock(),
                ordered(locked.params().timeoutHeight()),
                locked.amount(),
                locked.role(),
                locked.height(),
                locked.height() != NOWHERE && locked.params().reclaimableInBlock(locked.height()));
    }

    static void claim(Page page, Claimed claimed) {
        page.update(
                "UPDATE htlcs SET claim_tx = ?, claim_input = ?, preimage = ?, claim_height = ?"
                        + " WHERE scan = ? AND tx_id = ? AND output_index = ?",
                claimed.txId(),
                claimed.input(),
                claimed.preimage(),
                claimed.height(),
                page.scan(),
                claimed.outpoint());
    }

    /** Returns the stored form of a timeout or height: the signed order of the results is the unsigned order of the arguments. */
    static long ordered(long unsigned) {
        return unsigned ^ Long.MIN_VALUE;
    }

    /** Undoes blocks: HTLCs claimed or reclaimed in them are open again, and are listed again if the operator had removed them from listings. */
    @Override
    public void undo(Page page, long height) {
        NextTimeout.of(page).forget();
        page.update(
                "UPDATE htlcs SET claim_height = " + NONE + ", forgotten = 0 WHERE scan = ? AND claim_height > ?"
                        + " AND claim_height < " + NONE,
                page.scan(),
                height);
        page.update(
                "UPDATE htlcs SET reclaim_height = " + NONE + ", forgotten = 0 WHERE scan = ? AND reclaim_height > ?"
                        + " AND reclaim_height < " + NONE,
                page.scan(),
                height);
        page.update(
                "DELETE FROM htlcs WHERE scan = ? AND lock_height > ? AND lock_height < " + NONE + " AND seen = 0",
                page.scan(),
                height);
        page.update(
                "UPDATE htlcs SET lock_height = " + NONE + " WHERE scan = ? AND lock_height > ? AND lock_height < "
                        + NONE,
                page.scan(),
                height);
        page.update(
                "UPDATE htlcs SET expired = 0 WHERE scan = ? AND expired = 1 AND timeout >= ?",
                page.scan(),
                ordered(Math.max(0, height)));
    }

    @Override
    public void join(Page page) {
        NextTimeout.of(page).forget();
        page.update(
                "INSERT INTO htlcs (" + LOCK_COLUMNS + ", " + SPEND_COLUMNS + ") SELECT "
                        + LOCK_COLUMNS.replaceFirst("scan", Long.toString(Page.HEAD)) + ", " + SPEND_COLUMNS
                        + " FROM htlcs WHERE scan = ? ON CONFLICT (scan, tx_id, output_index) DO UPDATE SET role = htlcs.role | excluded.role,"
                        + " lock_height = excluded.lock_height, lost = 0,"
                        + " forgotten = CASE WHEN excluded.claim_height = " + NONE
                        + " AND excluded.reclaim_height = " + NONE + " THEN 0 ELSE htlcs.forgotten END,"
                        + " claim_tx = coalesce(excluded.claim_tx, htlcs.claim_tx),"
                        + " claim_input = coalesce(excluded.claim_input, htlcs.claim_input),"
                        + " preimage = coalesce(excluded.preimage, htlcs.preimage),"
                        + " claim_height = excluded.claim_height,"
                        + " reclaim_tx = coalesce(excluded.reclaim_tx, htlcs.reclaim_tx),"
                        + " reclaim_input = coalesce(excluded.reclaim_input, htlcs.reclaim_input),"
                        + " reclaim_height = excluded.reclaim_height",
                page.scan());
        drop(page);
    }

    @Override
    public void drop(Page page) {
        page.update("DELETE FROM htlcs WHERE scan = ?", page.scan());
    }
}
