package org.chainwalletd.store;

import java.math.BigInteger;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;

/** The table {@code allowance_minutes}: what was spent in each minute. A sum is an unsigned big-endian number of any length. */
final class MinuteSums {
    private MinuteSums() {}

    static long startOf(long at) {
        return Math.floorDiv(at, AllowanceStore.MINUTE_MILLIS) * AllowanceStore.MINUTE_MILLIS;
    }

    /** When the use counts; empty for an amount that is none. */
    static OptionalLong count(SqlSession session, Amount amount, long at) throws SQLException {
        if (amount.isZero()) {
            return OptionalLong.empty();
        }
        add(session, startOf(at), amount.toBigInteger());
        return OptionalLong.of(at);
    }

    static void add(SqlSession session, long minute, BigInteger amount) throws SQLException {
        write(session, minute, sum(session, minute).orElse(BigInteger.ZERO).add(amount));
    }

    /** What lies so far back that its minute has been removed counts no more anyway. */
    static void giveBack(SqlSession session, Amount amount, OptionalLong countedAt) throws SQLException {
        if (countedAt.isPresent()) {
            long minute = startOf(countedAt.getAsLong());
            Optional<BigInteger> sum = sum(session, minute);
            if (sum.isPresent()) {
                write(session, minute, sum.get().subtract(amount.toBigInteger()).max(BigInteger.ZERO));
            }
        }
    }

    private static Optional<BigInteger> sum(SqlSession session, long minute) throws SQLException {
        return session.queryOne(
                "SELECT amount FROM allowance_minutes WHERE minute = ?",
                row -> new BigInteger(1, row.getBytes(1)),
                minute);
    }

    private static void write(SqlSession session, long minute, BigInteger sum) throws SQLException {
        session.update(
                "INSERT OR REPLACE INTO allowance_minutes (minute, amount) VALUES (?, ?)", minute, sum.toByteArray());
    }
}
