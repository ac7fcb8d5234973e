package org.chainwalletd.store;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/** What was spent of the allowance, in SQLite: a sum for each minute, and in a spend's row since when its own use counts. */
final class SqliteAllowance implements AllowanceStore {
    private final SqliteStore store;

    SqliteAllowance(SqliteStore store) {
        this.store = store;
    }

    @Override
    public CompletionStage<Spent> spentSince(long since) {
        return store.read(session -> {
            SortedMap<Long, BigInteger> sums = new TreeMap<>();
            session.query(
                            "SELECT minute, amount FROM allowance_minutes WHERE minute >= ? ORDER BY minute",
                            row -> new Minute(row.getLong(1), new BigInteger(1, row.getBytes(2))),
                            MinuteSums.startOf(since))
                    .forEach(minute -> sums.put(minute.start(), minute.amount()));
            List<Use> open = open(session);
            open.forEach(use -> sums.computeIfPresent(
                    MinuteSums.startOf(use.at()),
                    (minute, sum) -> sum.subtract(use.amount().toBigInteger()).max(BigInteger.ZERO)));
            return new Spent(
                    sums.entrySet().stream()
                            .filter(minute -> minute.getValue().signum() > 0)
                            .map(minute -> new Minute(minute.getKey(), minute.getValue()))
                            .toList(),
                    open.stream().filter(use -> use.at() >= since).toList());
        });
    }

    /** The uses that may still be given back, oldest first. */
    private static List<Use> open(SqlSession session) throws SQLException {
        List<SpendRow> rows =
                new ArrayList<>(SpendTable.select(session, SpendTable.OPEN + " AND counted_at IS NOT NULL"));
        rows.addAll(SpendTable.select(session, SpendTable.STILL_COUNTED + " AND held IS NULL"));
        return rows.stream()
                .map(row -> new Use(
                        row.intent().txId(),
                        row.intent().allowance(),
                        row.countedAt().orElseThrow()))
                .sorted(Comparator.comparingLong(Use::at))
                .toList();
    }

    @Override
    public CompletionStage<Void> forgetUses(long before, int keep) {
        return store.write(session -> {
            long first = MinuteSums.startOf(before);
            long later = session.queryOne(
                            "SELECT COUNT(*) FROM allowance_minutes WHERE minute >= ?", row -> row.getLong(1), first)
                    .orElseThrow();
            Optional<Long> last = session.queryOne(
                    "SELECT minute FROM allowance_minutes WHERE minute < ? ORDER BY minute DESC LIMIT 1 OFFSET ?",
                    row -> row.getLong(1),
                    first,
                    Math.max(0, keep - later));
            if (last.isPresent()) {
                session.update("DELETE FROM allowance_minutes WHERE minute <= ?", last.get());
            }
            return null;
        });
    }
}
