package org.chainwalletd.store.sql;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AllowanceStore;

/** The table {@code allowance_minutes}: the amount spent in each minute, as an unsigned big-endian number of any length. */
final class AllowanceTable {
    private AllowanceTable() {}

    /** Lists the minutes that end at or after {@code since}, oldest first. */
    static List<AllowanceStore.Minute> minutes(SqlSession session, long since) throws SQLException {
        return session.query(
                "SELECT minute, amount FROM allowance_minutes WHERE minute >= ? ORDER BY minute",
                row -> new AllowanceStore.Minute(row.getLong(1), new BigInteger(1, row.getBytes(2))),
                since == Long.MIN_VALUE ? since : AllowanceStore.Minute.startOf(since));
    }

    /** Adds an amount to its minute. Returns the time from which the use counts; empty for an amount of zero. */
    static OptionalLong count(SqlSession session, Amount amount, long at) throws SQLException {
        if (amount.isZero()) {
            return OptionalLong.empty();
        }
        add(session, AllowanceStore.Minute.startOf(at), amount.toBigInteger());
        return OptionalLong.of(at);
    }

    /** Subtracts a counted spend from the sum of its minute, and returns the amount subtracted. The sum of a removed minute is 0. */
    static BigInteger giveBack(SqlSession session, SpendRow row) throws SQLException {
        long minute = AllowanceStore.Minute.startOf(row.countedAt().getAsLong());
        BigInteger taken = row.intent().allowance().toBigInteger().min(sum(session, minute));
        add(session, minute, taken.negate());
        return taken;
    }

    /** Raises the sum of a minute to that of {@code minute} if it is lower. */
    static void countAtLeast(SqlSession session, AllowanceStore.Minute minute) throws SQLException {
        BigInteger lacking = minute.amount().subtract(sum(session, minute.start()));
        add(session, minute.start(), lacking.max(BigInteger.ZERO));
    }

    static BigInteger sum(SqlSession session, long minute) throws SQLException {
        return session.find(of(minute)).orElse(BigInteger.ZERO);
    }

    static SqlSession.Lookup<BigInteger> of(long minute) {
        return new SqlSession.Lookup<>(
                minute,
                "SELECT amount FROM allowance_minutes WHERE minute = ?",
                row -> new BigInteger(1, row.getBytes(1)),
                minute);
    }

    static void add(SqlSession session, long minute, BigInteger amount) throws SQLException {
        if (amount.signum() != 0) {
            BigInteger sum = sum(session, minute).add(amount);
            session.set(
                    of(minute),
                    sum,
                    "INSERT INTO allowance_minutes (minute, amount) VALUES (?, ?)"
                            + " ON CONFLICT (minute) DO UPDATE SET amount = excluded.amount",
                    minute,
                    sum.toByteArray());
        }
    }
}
