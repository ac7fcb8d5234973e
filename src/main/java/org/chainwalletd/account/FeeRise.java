package org.chainwalletd.account;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.U64;
import org.chainwalletd.store.AccountSend;

/**
 * The fee of a claim or a refund by time alone (swap.md, section 5): it rises by the same factor in the same time, so that it stands at its
 * ceiling {@link SendPace#rise}, which is half of the margin, after it was made, and half of the margin before its deadline, whichever comes
 * first. A refund has no deadline: nobody can take its money meanwhile, unless we have shown the secret, and then it races with a claim that is
 * as good for us. Only the money's time is lost, so its fee rises 24 times as slowly.
 *
 * @param part of the time until it stands at the ceiling, that is gone; at most 1
 * @param stepsLeft times that it can still be raised until half of the time to the deadline is gone, at least 1; empty without a deadline
 */
record FeeRise(double part, OptionalLong stepsLeft) {
    private static final int CALMER = 24;
    private static final BigInteger SECOND = BigInteger.valueOf(1_000);

    /** @param deadline Unix seconds, unsigned */
    static FeeRise of(AccountSend row, OptionalLong deadline, SendPace pace, long now) {
        boolean isClaim = SendKind.valueOf(row.order().kind()) == SendKind.CLAIM;
        double rise = isClaim ? pace.rise().toMillis() : pace.rise().toMillis() * (double) CALMER;
        double elapsed = Math.max(0, now - row.progress().createdAt());
        if (deadline.isEmpty()) {
            return new FeeRise(Math.min(1, elapsed / rise), OptionalLong.empty());
        }
        double left = U64.toBigInteger(deadline.getAsLong())
                .multiply(SECOND)
                .subtract(BigInteger.valueOf(now))
                .doubleValue();
        double time = Math.min(rise, left + elapsed - rise);
        return new FeeRise(time <= elapsed ? 1 : elapsed / time, OptionalLong.of((long)
                Math.max(1, left / 2 / pace.urgent().toMillis())));
    }

    /**
     * After a pause, such as without an endpoint, it is not paid to the ceiling at once but at most doubled at each step, or by as much as it
     * takes to get there before the deadline.
     *
     * @param origin wei per gas of the first version
     * @param most wei per gas at the ceiling
     * @param before wei per gas of the version before
     */
    BigInteger risen(BigInteger origin, BigInteger most, Optional<BigInteger> before) {
        if (most.compareTo(origin) <= 0) {
            return most;
        }
        BigInteger risen = part >= 1 ? most : times(origin, Math.pow(quotient(most, origin), part));
        BigInteger fee = before.map(last -> step(last, most)).orElse(most).min(risen);
        // Nothing between this and the ceiling would be taken in its place.
        return GasPrice.eighthMore(fee).compareTo(most) > 0 ? most : fee;
    }

    private BigInteger step(BigInteger before, BigInteger most) {
        double whole = Math.max(1, quotient(most, before));
        boolean isLast = stepsLeft.isPresent() && stepsLeft.getAsLong() == 1;
        return isLast
                ? most
                : times(before, Math.max(2, stepsLeft.isEmpty() ? 2 : Math.pow(whole, 1.0 / stepsLeft.getAsLong())));
    }

    private static double quotient(BigInteger most, BigInteger origin) {
        return most.doubleValue() / Math.max(1, origin.doubleValue());
    }

    private static BigInteger times(BigInteger fee, double factor) {
        return new BigDecimal(fee).multiply(BigDecimal.valueOf(factor)).toBigInteger();
    }
}
