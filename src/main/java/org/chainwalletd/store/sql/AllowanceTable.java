package org.chainwalletd.store.sql;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore.Minute;

/**
 * The amount spent in each minute, as an unsigned big-endian number of any length: by all payments in the table {@code allowance_minutes}, by a named
 * token in the table {@code token_minutes}.
 */
record AllowanceTable(Optional<String> tokenName) {
    static final AllowanceTable ALL = new AllowanceTable(Optional.empty());

    static AllowanceTable ofToken(String name) {
        return new AllowanceTable(Optional.of(name));
    }

    private String where(String condition) {
        return tokenName.isEmpty()
                ? " FROM allowance_minutes WHERE " + condition
                : " FROM token_minutes WHERE token_name = ? AND " + condition;
    }

    private Object[] values(Object... values) {
        return Stream.concat(tokenName.stream(), Stream.of(values)).toArray();
    }

    /** Lists the minutes that end at or after {@code since}, oldest first. */
    List<Minute> minutes(SqlSession session, long since) throws SQLException {
        return session.query(
                "SELECT minute, amount" + where("minute >= ? ORDER BY minute"),
                row -> new Minute(row.number("minute"), row.large("amount")),
                values(since == Long.MIN_VALUE ? since : Minute.startOf(since)));
    }

    /** Adds an amount to its minute. Returns the time from which the use counts; empty for an amount of zero. */
    OptionalLong count(SqlSession session, Amount amount, long at) throws SQLException {
        if (amount.isZero()) {
            return OptionalLong.empty();
        }
        add(session, Minute.startOf(at), amount.toBigInteger());
        return OptionalLong.of(at);
    }

    /** Subtracts a counted spend from the sum of its minute, and returns the amount subtracted. The sum of a removed minute is 0. */
    BigInteger giveBack(SqlSession session, SpendRow row) throws SQLException {
        long minute = Minute.startOf(row.countedAt().getAsLong());
        BigInteger taken = row.intent().allowance().toBigInteger().min(sum(session, minute));
        add(session, minute, taken.negate());
        return taken;
    }

    /** Raises the sum of a minute to that of {@code minute} if it is lower. */
    void countAtLeast(SqlSession session, Minute minute) throws SQLException {
        BigInteger lacking = minute.amount().subtract(sum(session, minute.start()));
        add(session, minute.start(), lacking.max(BigInteger.ZERO));
    }

    BigInteger sum(SqlSession session, long minute) throws SQLException {
        return session.find(of(minute)).orElse(BigInteger.ZERO);
    }

    SqlSession.Lookup<BigInteger> of(long minute) {
        return new SqlSession.Lookup<>(
                List.of(tokenName, minute),
                "SELECT amount" + where("minute = ?"),
                row -> row.large("amount"),
                values(minute));
    }

    void add(SqlSession session, long minute, BigInteger amount) throws SQLException {
        if (amount.signum() != 0) {
            BigInteger sum = sum(session, minute).add(amount);
            session.set(
                    of(minute),
                    sum,
                    (tokenName.isEmpty()
                                    ? "INSERT INTO allowance_minutes (minute, amount) VALUES (?, ?) ON CONFLICT (minute)"
                                    : "INSERT INTO token_minutes (token_name, minute, amount) VALUES (?, ?, ?)"
                                            + " ON CONFLICT (token_name, minute)")
                            + " DO UPDATE SET amount = excluded.amount",
                    values(minute, sum.toByteArray()));
        }
    }
}
