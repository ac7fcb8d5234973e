package org.chainwalletd.store.sql;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.Opening;

/**
 * The table {@code token_minutes}: the amount that each named token with a cap per period has spent in each minute. The table is read in the
 * transaction that opens a spend, without an in-memory copy, because few tokens have such a cap. Windows and clocks are those of the operator's caps,
 * see {@link CapWindow}.
 */
final class TokenUses {
    /** Cap per period by token name; uses of tokens without a cap are not counted. */
    private volatile Function<String, Optional<Amount>> caps = name -> Optional.empty();

    void caps(Function<String, Optional<Amount>> judge) {
        caps = judge;
    }

    private Optional<Amount> cap(Intent intent) {
        return intent.details().tokenName().flatMap(caps);
    }

    /**
     * Returns why the cap of the spend's token forbids the spend; empty when it does not.
     *
     * @param replaced spends whose part of the sum the new spend replaces
     */
    Optional<Opening.CapExceeded> exceeded(SqlSession session, CapWindow window, Intent intent, List<SpendRow> replaced)
            throws SQLException {
        Optional<Amount> cap = cap(intent);
        if (cap.isEmpty() || intent.allowance().isZero()) {
            return Optional.empty();
        }
        String name = intent.details().tokenName().orElseThrow();
        moveFutureUses(session, window, name);
        long since = window.start();
        BigInteger spent = spent(session, name, since);
        for (SpendRow row : replaced) {
            OptionalLong at = row.countedAt();
            if (isOf(row, name) && at.isPresent() && CapWindow.countsAt(at.getAsLong()) >= since) {
                BigInteger sum =
                        AllowanceTable.ofToken(name).sum(session, AllowanceStore.Minute.startOf(at.getAsLong()));
                spent = spent.subtract(row.intent().allowance().toBigInteger().min(sum));
            }
        }
        BigInteger limit = cap.get().toBigInteger();
        if (spent.add(intent.allowance().toBigInteger()).compareTo(limit) <= 0) {
            return Optional.empty();
        }
        Amount known = AllowanceStore.Status.of(window.limits(), spent).spent();
        return Optional.of(new Opening.CapExceeded(
                "per_period",
                cap.get(),
                known,
                intent.allowance(),
                cap.get().isLessThan(known) ? Amount.ZERO : cap.get().minus(known),
                window.limits().period().toSeconds(),
                Optional.of(name)));
    }

    /** Returns the remainder of a token's cap; empty when it has no cap. */
    Optional<Amount> remaining(SqlSession session, CapWindow window, String name) throws SQLException {
        Optional<Amount> cap = caps.apply(name);
        if (cap.isEmpty()) {
            return cap;
        }
        BigInteger rest = cap.get().toBigInteger().subtract(spent(session, name, window.start()));
        return Optional.of(rest.signum() < 0 ? Amount.ZERO : Amount.of(rest));
    }

    private static BigInteger spent(SqlSession session, String name, long since) throws SQLException {
        return AllowanceTable.ofToken(name).minutes(session, since).stream()
                .map(AllowanceStore.Minute::amount)
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Counts the spend for its token. */
    void count(SqlSession session, Intent intent, long at) throws SQLException {
        if (cap(intent).isPresent()) {
            countRestored(session, intent, at);
        }
    }

    /**
     * Counts a spend from {@code sent.log} for its token. The log does not record which tokens have a cap; sums of tokens without a cap are never
     * read.
     */
    static void countRestored(SqlSession session, Intent intent, long at) throws SQLException {
        Optional<String> name = intent.details().tokenName();
        if (name.isPresent()) {
            AllowanceTable.ofToken(name.get()).count(session, intent.allowance(), at);
        }
    }

    /** Returns all sums by token name. */
    static Map<String, List<AllowanceStore.Minute>> all(SqlSession session) throws SQLException {
        Map<String, List<AllowanceStore.Minute>> all = new TreeMap<>();
        Optional<String> name = nameAfter(session, "");
        while (name.isPresent()) {
            all.put(name.get(), AllowanceTable.ofToken(name.get()).minutes(session, Long.MIN_VALUE));
            name = nameAfter(session, name.get());
        }
        return all;
    }

    private static Optional<String> nameAfter(SqlSession session, String name) throws SQLException {
        return session.queryOne(
                "SELECT token_name FROM token_minutes WHERE token_name > ? ORDER BY token_name LIMIT 1",
                row -> row.text("token_name"),
                name);
    }

    /** Subtracts the spend from the sum of its token, if it is counted there. */
    static void giveBack(SqlSession session, SpendRow row) throws SQLException {
        Optional<String> name = row.intent().details().tokenName();
        if (name.isPresent() && row.countedAt().isPresent()) {
            AllowanceTable.ofToken(name.get()).giveBack(session, row);
        }
    }

    /** Moves uses that a fast clock has stamped with a future time to the present. */
    private static void moveFutureUses(SqlSession session, CapWindow window, String name) throws SQLException {
        AllowanceTable sums = AllowanceTable.ofToken(name);
        long last = window.lastPossible();
        for (AllowanceStore.Minute ahead : sums.minutes(session, CapWindow.withTolerance(last))) {
            if (ahead.last() > CapWindow.withTolerance(last)) {
                sums.add(session, ahead.start(), ahead.amount().negate());
                sums.add(session, AllowanceStore.Minute.startOf(last), ahead.amount());
            }
        }
    }

    /** Removes all minutes up to and including this one. */
    static void forget(SqlSession session, long minute) throws SQLException {
        session.update("DELETE FROM token_minutes WHERE minute <= ?", minute);
    }

    private static boolean isOf(SpendRow row, String name) {
        return row.intent().details().tokenName().equals(Optional.of(name));
    }
}
