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
            if (isOf(row, name) && at.isPresent() && counts(at.getAsLong()).last() >= since) {
                BigInteger sum = sum(session, name, counts(at.getAsLong()).start());
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
        return minutes(session, name, since).stream()
                .map(AllowanceStore.Minute::amount)
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Counts the spend for its token. */
    void count(SqlSession session, Intent intent, long at) throws SQLException {
        if (cap(intent).isPresent()) {
            add(
                    session,
                    intent.details().tokenName().orElseThrow(),
                    counts(at).start(),
                    intent.allowance().toBigInteger());
        }
    }

    /**
     * Counts a spend from {@code sent.log} for its token. The log does not record which tokens have a cap; sums of tokens without a cap are never
     * read.
     */
    static void countRestored(SqlSession session, Intent intent, long at) throws SQLException {
        Optional<String> name = intent.details().tokenName();
        if (name.isPresent()) {
            add(session, name.get(), counts(at).start(), intent.allowance().toBigInteger());
        }
    }

    /** Returns all sums by token name. */
    static Map<String, List<AllowanceStore.Minute>> all(SqlSession session) throws SQLException {
        Map<String, List<AllowanceStore.Minute>> all = new TreeMap<>();
        Optional<String> name = nameAfter(session, "");
        while (name.isPresent()) {
            all.put(name.get(), minutes(session, name.get(), Long.MIN_VALUE));
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

    /** Raises the sum of a token in one minute to that of {@code minute} if it is lower. */
    static void countAtLeast(SqlSession session, String name, AllowanceStore.Minute minute) throws SQLException {
        BigInteger lacking = minute.amount().subtract(sum(session, name, minute.start()));
        add(session, name, minute.start(), lacking.max(BigInteger.ZERO));
    }

    /** Subtracts the spend from the sum of its token, if it is counted there. */
    static void giveBack(SqlSession session, SpendRow row) throws SQLException {
        Optional<String> name = row.intent().details().tokenName();
        if (name.isEmpty() || row.countedAt().isEmpty()) {
            return;
        }
        long minute = counts(row.countedAt().getAsLong()).start();
        BigInteger sum = sum(session, name.get(), minute);
        add(
                session,
                name.get(),
                minute,
                row.intent().allowance().toBigInteger().min(sum).negate());
    }

    /** Moves uses that a fast clock has stamped with a future time to the present. */
    private static void moveFutureUses(SqlSession session, CapWindow window, String name) throws SQLException {
        long last = window.lastPossible();
        long minute = counts(last).start();
        for (AllowanceStore.Minute ahead : minutes(session, name, CapWindow.withTolerance(last))) {
            if (ahead.last() > CapWindow.withTolerance(last)) {
                add(session, name, ahead.start(), ahead.amount().negate());
                add(session, name, minute, ahead.amount());
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

    private static AllowanceStore.Minute counts(long at) {
        return new AllowanceStore.Minute(AllowanceStore.Minute.startOf(at), BigInteger.ZERO);
    }

    private static List<AllowanceStore.Minute> minutes(SqlSession session, String name, long since)
            throws SQLException {
        return session.query(
                "SELECT minute, amount FROM token_minutes WHERE token_name = ? AND minute >= ? ORDER BY minute",
                row -> new AllowanceStore.Minute(row.number("minute"), new BigInteger(1, row.raw("amount"))),
                name,
                since == Long.MIN_VALUE ? since : AllowanceStore.Minute.startOf(since));
    }

    private static BigInteger sum(SqlSession session, String name, long minute) throws SQLException {
        return session.queryOne(
                        "SELECT amount FROM token_minutes WHERE token_name = ? AND minute = ?",
                        row -> new BigInteger(1, row.raw("amount")),
                        name,
                        minute)
                .orElse(BigInteger.ZERO);
    }

    private static void add(SqlSession session, String name, long minute, BigInteger amount) throws SQLException {
        if (amount.signum() != 0) {
            session.update(
                    "INSERT INTO token_minutes (token_name, minute, amount) VALUES (?, ?, ?)"
                            + " ON CONFLICT (token_name, minute) DO UPDATE SET amount = excluded.amount",
                    name,
                    minute,
                    sum(session, name, minute).add(amount).toByteArray());
        }
    }
}
