package org.chainwalletd.store.books.htlc;

import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.sql.Row;

/**
 * Queries of the {@link HtlcTable}'s rows of the head, and changes to them that do not come from blocks. The cost of a query grows with its result,
 * not with the table.
 */
public final class HtlcRows {
    private static final String NONE = Long.toString(HtlcTable.NOWHERE);
    private static final int OUTPOINT_BYTES = 36;

    private static final String SELECT =
            "SELECT tx_id, output_index, sender, receiver, hash_lock, timeout, amount, role,"
                    + " lock_height, claim_tx, claim_input, preimage, claim_height, reclaim_tx, reclaim_input, reclaim_height,"
                    + " seen, inputs, lost, forgotten FROM htlcs WHERE scan = 0 AND ";
    private static final String AFTER = " AND (lock_height, tx_id, output_index) > (?, ?, ?)"
            + " ORDER BY lock_height, tx_id, output_index LIMIT ?";
    private static final String BY_STATE = SELECT + "forgotten = 0 AND state = ? AND role = ?" + AFTER;
    /** Amounts above 2^63 are stored as negative numbers. */
    private static final String WORTH = " AND (amount < 0 OR amount >= ?)";

    private static final String BY_SENDER =
            SELECT + "sender_address = ? AND state = ? AND role = ? AND forgotten = 0" + AFTER;
    private static final String BY_RECEIVER =
            SELECT + "receiver_address = ? AND state = ? AND role = ? AND forgotten = 0" + AFTER;

    private record StateAndRole(int state, int role) {}

    /** Locks that we may take back. */
    private static final List<StateAndRole> OVERDUE = List.of(
            new StateAndRole(HtlcTable.EXPIRED, HtlcTable.SENDER),
            new StateAndRole(HtlcTable.EXPIRED, HtlcTable.SENDER | HtlcTable.RECEIVER));

    /**
     * Open HTLCs. A row that changes while they are read page by page moves to a later part, except in a reorganisation, or when a block contains a lock
     * that was in none; the next round finds those.
     */
    private static final List<StateAndRole> OPEN = Stream.of(HtlcTable.LOCKED, HtlcTable.EXPIRED)
            .flatMap(state -> Stream.of(HtlcTable.SENDER, HtlcTable.RECEIVER, HtlcTable.SENDER | HtlcTable.RECEIVER)
                    .map(role -> new StateAndRole(state, role)))
            .toList();

    private HtlcRows() {}

    /**
     * A position in the order of listings.
     *
     * @param lockHeight {@link HtlcTable#NOWHERE} for unconfirmed locks, which come last
     */
    public record Position(long lockHeight, Outpoint outpoint) implements Comparable<Position> {
        public static Position of(HtlcRow row) {
            return new Position(row.lockHeight().orElse(HtlcTable.NOWHERE), row.outpoint());
        }

        /** Returns the position before every row whose lock is at {@code height} or higher. */
        public static Position before(long height) {
            return new Position(height - 1, new Outpoint(Hash256.of(ones()), Outpoint.MAX_INDEX));
        }

        private static byte[] ones() {
            byte[] ones = new byte[Hash256.LENGTH];
            java.util.Arrays.fill(ones, (byte) 0xff);
            return ones;
        }

        @Override
        public int compareTo(Position other) {
            int byHeight = Long.compare(lockHeight, other.lockHeight);
            return byHeight != 0 ? byHeight : outpoint.compareTo(other.outpoint);
        }
    }

    public static Optional<HtlcRow> find(Page page, Outpoint outpoint) {
        return page.queryOne(SELECT + "tx_id = ? AND output_index = ?", HtlcRows::read, outpoint);
    }

    /** Lists the HTLCs with this hash lock, in the order of listings, except those removed from listings. */
    public static List<HtlcRow> ofHashLock(Page page, Hash256 hashLock) {
        return page.query(
                SELECT + "hash_lock = ? AND forgotten = 0 ORDER BY lock_height, tx_id, output_index",
                HtlcRows::read,
                hashLock);
    }

    /**
     * Lists HTLCs with a hash lock that {@code receiver} may claim and that are worth at least {@code least}, in the order of listings, including
     * those removed from listings. If there are more than {@code limit}, those that no block reclaims take precedence, then the latest reclaimed:
     * one coin can be locked and reclaimed any number of times. The minimum bounds abuse: flooding the result costs {@code least} per HTLC.
     */
    public static List<HtlcRow> payable(Page page, Hash256 hashLock, PublicKey receiver, Amount least, int limit) {
        return page
                .query(
                        SELECT + "hash_lock = ? AND receiver = ?" + WORTH
                                + " ORDER BY reclaim_height DESC, lock_height, tx_id, output_index LIMIT ?",
                        HtlcRows::read,
                        hashLock,
                        receiver,
                        worth(least),
                        limit)
                .stream()
                .filter(row -> !row.amount().isLessThan(least))
                .sorted(Comparator.comparing(Position::of))
                .toList();
    }

    private static long worth(Amount least) {
        return least.bits() < 0 ? Long.MAX_VALUE : least.bits();
    }

    /** Lists HTLCs with a hash lock, of any value and in any state, including those removed from listings. */
    public static List<HtlcRow> anyOfHashLock(Page page, Hash256 hashLock, int limit) {
        return page.query(
                SELECT + "hash_lock = ? ORDER BY lock_height, tx_id, output_index LIMIT ?",
                HtlcRows::read,
                hashLock,
                limit);
    }

    /** Lists HTLCs with a hash lock that have a known claim, confirmed or not. */
    public static List<HtlcRow> claimedOfHashLock(Page page, Hash256 hashLock, int limit) {
        return page.query(
                SELECT + "hash_lock = ? AND claim_tx IS NOT NULL ORDER BY lock_height, tx_id, output_index LIMIT ?",
                HtlcRows::read,
                hashLock,
                limit);
    }

    /** Lists at most {@code limit} rows of one state and role after a position, in order, except those removed from listings. */
    public static List<HtlcRow> ofState(Page page, int state, int role, Position after, int limit) {
        return page.query(BY_STATE, HtlcRows::read, state, role, after.lockHeight(), after.outpoint(), limit);
    }

    /**
     * Position in the order of {@link #overdue} or {@link #open}.
     *
     * @param part index of a state and role in that order
     * @param after position among the rows of that part
     */
    public record OpenPosition(int part, Position after) {
        public static final OpenPosition START = new OpenPosition(0, Position.before(0));
    }

    /** @param next position after the last of these rows; empty if they end the listing */
    public record OpenLocks(List<HtlcRow> rows, Optional<OpenPosition> next) {}

    /** Lists at most {@code limit} HTLCs past their timeout that we may take back. Their value is no criterion, because no index has it. */
    public static OpenLocks overdue(Page page, OpenPosition start, int limit) {
        return ofParts(page, OVERDUE, start, limit);
    }

    /** Lists at most {@code limit} open HTLCs. */
    public static OpenLocks open(Page page, OpenPosition start, int limit) {
        return ofParts(page, OPEN, start, limit);
    }

    private static OpenLocks ofParts(Page page, List<StateAndRole> parts, OpenPosition start, int limit) {
        List<HtlcRow> rows = new ArrayList<>();
        for (OpenPosition at = start;
                at.part() < parts.size();
                at = new OpenPosition(at.part() + 1, OpenPosition.START.after())) {
            StateAndRole part = parts.get(at.part());
            rows.addAll(ofState(page, part.state(), part.role(), at.after(), limit - rows.size()));
            if (rows.size() == limit) {
                Position last = Position.of(rows.get(limit - 1));
                return new OpenLocks(rows, Optional.of(new OpenPosition(at.part(), last)));
            }
        }
        return new OpenLocks(rows, Optional.empty());
    }

    /** Lists rows as {@link #ofState} does, first those with {@code party} as sender, then those with it as receiver; each group is in order. */
    public static List<HtlcRow> ofParty(Page page, Address party, int state, int role, Position after, int limit) {
        List<HtlcRow> rows = new ArrayList<>(ofSide(page, BY_SENDER, party, state, role, after, limit));
        rows.addAll(ofSide(page, BY_RECEIVER, party, state, role, after, limit));
        return rows;
    }

    private static List<HtlcRow> ofSide(
            Page page, String sql, Address party, int state, int role, Position after, int limit) {
        return page.query(sql, HtlcRows::read, party, state, role, after.lockHeight(), after.outpoint(), limit);
    }

    /** Lists rows that blocks above {@code tip} have created or changed. */
    public static List<HtlcRow> changedAbove(Page page, long tip, long top) {
        List<HtlcRow> rows = new ArrayList<>();
        rows.addAll(page.query(SELECT + "lock_height > ? AND lock_height < " + NONE, HtlcRows::read, tip));
        rows.addAll(page.query(SELECT + "claim_height > ? AND claim_height < " + NONE, HtlcRows::read, tip));
        rows.addAll(page.query(SELECT + "reclaim_height > ? AND reclaim_height < " + NONE, HtlcRows::read, tip));
        rows.addAll(page.query(
                SELECT + "expired = 1 AND timeout >= ? AND timeout < ?",
                HtlcRows::read,
                HtlcTable.ordered(tip),
                HtlcTable.ordered(top)));
        return rows;
    }

    /** Lists unconfirmed locks that were seen and are not lost. */
    public static List<HtlcRow> pending(Page page, int limit) {
        return page.query(SELECT + "lock_height = " + NONE + " AND lost = 0 LIMIT ?", HtlcRows::read, limit);
    }

    /**
     * Number of rows of one state and role.
     *
     * @param state a state constant of {@link HtlcTable}
     */
    public record Count(int state, int role, long rows) {}

    public static List<Count> counts(Page page) {
        return page.query(
                "SELECT state, role, COUNT(*) FROM htlcs WHERE scan = 0 AND forgotten = 0 GROUP BY state, role",
                row -> new Count(row.getInt(1), row.getInt(2), row.getLong(3)));
    }

    /**
     * Records a lock that, as far as known, is unconfirmed; a lock that is already known is only marked as seen.
     *
     * @param lock with height {@link HtlcTable#NOWHERE}
     * @param inputs of the lock transaction
     */
    public static void see(Page page, HtlcTable.Locked lock, List<Outpoint> inputs) {
        if (find(page, lock.outpoint()).isEmpty()) {
            HtlcTable.enter(page, lock);
            BlockRows.top(page).ifPresent(top -> expire(page, lock, top.height()));
        }
        page.update(
                "UPDATE htlcs SET seen = 1, inputs = ? WHERE scan = 0 AND tx_id = ? AND output_index = ?",
                encode(inputs),
                lock.outpoint());
    }

    private static void expire(Page page, HtlcTable.Locked lock, long height) {
        if (lock.params().reclaimableInBlock(height)) {
            page.update(
                    "UPDATE htlcs SET expired = 1 WHERE scan = 0 AND tx_id = ? AND output_index = ?", lock.outpoint());
        }
    }

    /**
     * Records an unconfirmed claim; data from a block is not overwritten. A transaction id does not cover the witness, so a node can present a
     * different preimage: only the one that matches the hash lock is recorded.
     */
    public static void seeClaim(Page page, HtlcTable.Claimed claim) {
        boolean open = find(page, claim.outpoint())
                .filter(row -> HtlcWitness.hashLockOf(claim.preimage().toArray())
                        .equals(row.params().hashLock()))
                .filter(row -> row.claim().flatMap(spend -> box(spend.height())).isEmpty())
                .isPresent();
        if (open) {
            HtlcTable.claim(page, claim);
        }
    }

    /** Records an unconfirmed reclaim; data from a block is not overwritten. */
    public static void seeReclaim(Page page, HtlcTable.Reclaimed reclaim) {
        boolean open = find(page, reclaim.outpoint())
                .filter(row ->
                        row.reclaim().flatMap(spend -> box(spend.height())).isEmpty())
                .isPresent();
        if (open) {
            HtlcTable.enter(page, reclaim);
        }
    }

    private static Optional<Long> box(OptionalLong height) {
        return height.isPresent() ? Optional.of(height.getAsLong()) : Optional.empty();
    }

    /** Marks an unconfirmed lock as lost: it is not expected to be mined. If a block contains it after all, the mark is removed. */
    public static void lose(Page page, Outpoint outpoint) {
        page.update(
                "UPDATE htlcs SET lost = 1 WHERE scan = 0 AND tx_id = ? AND output_index = ? AND lock_height = " + NONE,
                outpoint);
    }

    /** Removes a settled HTLC from listings; a reorganisation that undoes the settling block lists it again. */
    public static void forget(Page page, Outpoint outpoint) {
        page.update("UPDATE htlcs SET forgotten = 1 WHERE scan = 0 AND tx_id = ? AND output_index = ?", outpoint);
    }

    private static HtlcRow read(Row row) throws SQLException {
        HtlcParams params = new HtlcParams(
                PublicKey.of(row.raw("sender")),
                PublicKey.of(row.raw("receiver")),
                row.hash("hash_lock"),
                HtlcTable.ordered(row.number("timeout")));
        byte[] inputs = row.raw("inputs");
        return new HtlcRow(
                new Outpoint(row.hash("tx_id"), row.number("output_index")),
                params,
                row.amount("amount"),
                (int) row.number("role"),
                height(row.number("lock_height")),
                spend(row, "claim", row.ifBytes("preimage")),
                spend(row, "reclaim", Optional.empty()),
                row.flag("seen"),
                inputs == null ? List.of() : decode(inputs),
                row.flag("lost"),
                row.flag("forgotten"));
    }

    private static Optional<HtlcRow.Spend> spend(Row row, String how, Optional<Bytes> preimage) throws SQLException {
        return row.raw(how + "_tx") == null
                ? Optional.empty()
                : Optional.of(new HtlcRow.Spend(
                        row.hash(how + "_tx"),
                        (int) row.number(how + "_input"),
                        preimage,
                        height(row.number(how + "_height"))));
    }

    private static OptionalLong height(long kept) {
        return kept == HtlcTable.NOWHERE ? OptionalLong.empty() : OptionalLong.of(kept);
    }

    private static byte[] encode(List<Outpoint> inputs) {
        ByteBuffer bytes = ByteBuffer.allocate(OUTPOINT_BYTES * inputs.size());
        inputs.forEach(input -> bytes.put(input.txId().toArray()).putInt((int) input.index()));
        return bytes.array();
    }

    private static List<Outpoint> decode(byte[] encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(encoded);
        List<Outpoint> inputs = new ArrayList<>();
        while (bytes.hasRemaining()) {
            byte[] txId = new byte[Hash256.LENGTH];
            bytes.get(txId);
            inputs.add(new Outpoint(Hash256.of(txId), Integer.toUnsignedLong(bytes.getInt())));
        }
        return inputs;
    }
}
