package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.sql.Row;

/**
 * Reads deposits to and payments from own addresses in blocks. A transaction that spends our coins counts as a payment of its net amount, fee
 * included; if it pays us more than it spends, the net amount is deposited. An output of any other transaction to an own address is a deposit, a
 * coinbase as of the first block that may spend it. So deposits minus payments equal the change of the balance.
 */
public final class MoneyFlow {
    /** Number of blocks read at a time, so that other queries can run in between. */
    private static final int BLOCKS = 1_000;

    /** Condition that excludes coins of watch-only addresses, which are not the wallet's. */
    private static final String OURS =
            " AND NOT EXISTS (SELECT 1 FROM addresses a JOIN watched w ON w.address = a.address WHERE a.id = coins.address"
                    + " AND w.watch_only = 1)";

    private static final String PAID =
            "SELECT height AS at, tx_id AS tx, value FROM coins INDEXED BY coins_by_height WHERE scan = 0 AND height > ? AND height <= ?"
                    + " AND coinbase = 0" + OURS;
    private static final String MATURED =
            "SELECT height AS at, tx_id AS tx, value FROM coins INDEXED BY coins_by_height WHERE scan = 0 AND height > ? AND height <= ?"
                    + " AND coinbase = 1" + OURS;
    private static final String SPENT =
            "SELECT spent_height AS at, spent_by AS tx, value FROM coins INDEXED BY coins_spent WHERE scan = 0 AND spent_height > ?"
                    + " AND spent_height <= ?" + OURS;

    private MoneyFlow() {}

    /**
     * A request for deposits and payments.
     *
     * @param at last block to read
     * @param maturity blocks between a coinbase and the first block that may spend it
     * @param known marks of earlier reads, newest first: reading continues after the first mark that is still valid
     * @param since when no mark is valid, only blocks with a later timestamp (Unix seconds) are read, as far as they are kept
     */
    public record Wanted(BlockPlace at, int maturity, List<Mark> known, long since) {
        public Wanted {
            known = List.copyOf(known);
        }
    }

    /**
     * A position up to which blocks were read.
     *
     * @param rescans version of the joined rescans; another rescan may have added coins to blocks below
     */
    public record Mark(BlockPlace at, String rescans) {}

    /**
     * Deposits and payments in one block.
     *
     * @param time block timestamp, Unix seconds
     * @param deposits number of outputs
     * @param payments number of transactions
     */
    public record Moved(long height, long time, long deposits, Amount deposited, long payments, Amount paid) {}

    /**
     * Result of a request.
     *
     * @param begun Unix seconds from which blocks were read, when no known mark was valid: all earlier results are then void
     * @param after earlier results of blocks above this height are void too
     * @param moved the blocks above {@code after} up to the mark that have deposits or payments, ascending
     * @param mark of the requested block, or of a lower one when there is more to read
     */
    public record Read(OptionalLong begun, long after, List<Moved> moved, Mark mark) {
        public Read {
            moved = List.copyOf(moved);
        }
    }

    /** Reads a part of the requested blocks; empty when the requested block is no longer on the followed chain. */
    static Optional<Read> read(Page head, Wanted wanted) {
        if (!BlockRows.has(head, wanted.at())) {
            return Optional.empty();
        }
        String rescans = LedgerTable.rescans(head);
        Optional<Mark> last = wanted.known().stream()
                .filter(mark -> mark.rescans().equals(rescans)
                        && mark.at().height() <= wanted.at().height()
                        && BlockRows.has(head, mark.at())
                        && BlockRows.afterGap(head, mark.at().height()).isEmpty())
                .findFirst();
        Start start = last.map(mark -> new Start(OptionalLong.empty(), mark.at().height()))
                .orElseGet(() -> start(head, wanted));
        long to = Math.min(wanted.at().height(), start.after() + BLOCKS);
        BlockPlace end = BlockRows.at(head, to).orElseThrow().place();
        return Optional.of(new Read(
                start.time(),
                start.after(),
                moved(head, start.after(), to, wanted.maturity()),
                new Mark(end, rescans)));
    }

    private record Start(OptionalLong time, long after) {}

    /**
     * Returns where reading starts, so that every block to be read is kept. If the block before the first requested one is not kept, the state before
     * it is unknown and the period begins with that first block.
     */
    private static Start start(Page head, Wanted wanted) {
        return head.queryOne(
                        "SELECT height, time FROM blocks WHERE scan = 0 AND height > ? AND height <= ? AND time > ? ORDER BY height LIMIT 1",
                        row -> new Start(OptionalLong.of(row.number("time")), row.number("height") - 1),
                        BlockRows.afterGap(head, -1).orElse(0) - 1,
                        wanted.at().height(),
                        wanted.since())
                .map(first -> BlockRows.at(head, first.after()).isEmpty()
                        ? first
                        : new Start(OptionalLong.of(wanted.since()), first.after()))
                .orElseGet(() ->
                        new Start(OptionalLong.of(wanted.since()), wanted.at().height()));
    }

    /** Amounts that one transaction pays to us and spends of ours. */
    private static final class Change {
        private long outputs;
        private boolean spends;
        private Amount received = Amount.ZERO;
        private Amount spent = Amount.ZERO;
    }

    private static List<Moved> moved(Page head, long after, long to, int maturity) {
        Map<Long, Map<Hash256, Change>> blocks = new TreeMap<>();
        head.visit(PAID, row -> receive(change(blocks, row, 0), row), after, to);
        head.visit(
                MATURED,
                row -> receive(change(blocks, row, Network.matureAt(0, maturity)), row),
                Network.newestMature(after, maturity),
                Network.newestMature(to, maturity));
        head.visit(SPENT, row -> spend(change(blocks, row, 0), row), after, to);
        Map<Long, Long> times = new HashMap<>();
        if (!blocks.isEmpty()) {
            head.visit(
                    "SELECT height, time FROM blocks WHERE scan = 0 AND height > ? AND height <= ?",
                    row -> times.put(row.number("height"), row.number("time")),
                    after,
                    to);
        }
        List<Moved> moved = new ArrayList<>();
        blocks.forEach((height, changes) -> moved.add(sum(height, times.get(height), changes)));
        return moved;
    }

    private static Change change(Map<Long, Map<Hash256, Change>> blocks, Row row, long later) throws SQLException {
        return blocks.computeIfAbsent(row.number("at") + later, height -> new HashMap<>())
                .computeIfAbsent(row.hash("tx"), tx -> new Change());
    }

    private static void receive(Change change, Row row) throws SQLException {
        change.outputs++;
        change.received = change.received.plus(row.amount("value"));
    }

    private static void spend(Change change, Row row) throws SQLException {
        change.spends = true;
        change.spent = change.spent.plus(row.amount("value"));
    }

    private static Moved sum(long height, long time, Map<Hash256, Change> changes) {
        long deposits = 0;
        long payments = 0;
        Amount deposited = Amount.ZERO;
        Amount paid = Amount.ZERO;
        for (Change change : changes.values()) {
            if (change.spent.isLessThan(change.received)) {
                deposits += change.outputs;
                deposited = deposited.plus(change.received.minus(change.spent));
            } else {
                paid = paid.plus(change.spent.minus(change.received));
            }
            payments += change.spends ? 1 : 0;
        }
        return new Moved(height, time, deposits, deposited, payments, paid);
    }
}
