package org.chainwalletd.store;

import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.chain.Amount;

/**
 * The operator's caps and what was spent of them: one sum for each minute. Uses are written, and the caps are judged, in the commit that opens
 * a spend, see {@link IntentStore#open}. So no two calls, however they meet, spend the same rest.
 */
public interface AllowanceStore {
    /** Resolution of the time at which a use counts. */
    long MINUTE_MILLIS = 60_000;

    /**
     * Caps of the operator.
     *
     * @param perTransaction empty: no limit
     * @param perPeriod empty: no limit
     * @param period length of the window of {@code perPeriod}, which slides
     */
    record Limits(Optional<Amount> perTransaction, Optional<Amount> perPeriod, Duration period) {
        /**
         * Time for which a use is remembered after its period. No clock alone erases one: as many minutes as this and the period have are kept,
         * whatever the time is, so that what a clock that is ahead takes for old counts again when it is right.
         */
        private static final Duration REMEMBERED = Duration.ofDays(31);

        public boolean none() {
            return perTransaction.isEmpty() && perPeriod.isEmpty();
        }

        /** Number of minutes that are remembered at least, the last ones in which something was used. */
        public int minutesKept() {
            return (int) Math.min(Integer.MAX_VALUE, period.plus(REMEMBERED).toMinutes() + 1);
        }

        /** Since when uses are worth knowing, milliseconds since 1970. */
        public long rememberedSince(long now) {
            return now - period.plus(REMEMBERED).toMillis();
        }
    }

    /**
     * Sum of all uses of one minute.
     *
     * @param start of the minute, milliseconds since 1970
     * @param amount may be more than 64 bits hold
     */
    record Minute(long start, BigInteger amount) {
        /** Start of the minute that {@code at} lies in. */
        static long startOf(long at) {
            return Math.floorDiv(at, MINUTE_MILLIS) * MINUTE_MILLIS;
        }

        /** The last millisecond in which one of them may have been made: so late it counts, and never leaves a period too early. */
        public long last() {
            return start + MINUTE_MILLIS - 1;
        }
    }

    /**
     * The limits and how much of them is left.
     *
     * @param spent within the last period
     */
    record Status(Limits limits, Amount spent) {
        static Status of(Limits limits, BigInteger spent) {
            return new Status(limits, spent.compareTo(Amount.MAX.toBigInteger()) > 0 ? Amount.MAX : Amount.of(spent));
        }

        /** Empty without a limit per period. */
        public Optional<Amount> remaining() {
            return limits.perPeriod().map(limit -> limit.isLessThan(spent) ? Amount.ZERO : limit.minus(spent));
        }

        /** With this counted too. */
        public Status plus(BigInteger more) {
            return of(limits, spent.toBigInteger().add(more));
        }
    }

    /**
     * From now on {@link IntentStore#open} and {@link IntentStore#reopen} judge by these limits; before the first of them.
     *
     * @param clock runs no faster than time; may be wrong from the beginning
     * @param chainMillis when the newest block of the followed chain was made; empty until one is known
     */
    CompletionStage<Void> govern(Limits limits, Clock clock, Supplier<OptionalLong> chainMillis);

    /**
     * From now on spends of a named token are also judged by its own cap per period, which slides as that of the operator does.
     *
     * @param caps by the token's name; empty for a token without one
     */
    void governTokens(Function<String, Optional<Amount>> caps);

    /** Rest of the cap per period of this token at the moment; empty when it has none. */
    CompletionStage<Optional<Amount>> remainingOf(String tokenName);

    /** Reason why a spend of this amount would not be opened now; empty when it would. Asks nobody, holds nothing. */
    Optional<Opening.CapExceeded> refusal(Amount amount);

    CompletionStage<Status> status();

    /** Spent within the last period as far as that is known without reading: 0 without limits. */
    Amount spent();

    /** Sums of the minutes that have not ended before {@code since}, oldest first. */
    CompletionStage<List<Minute>> spentSince(long since);

    /**
     * Removes what was used before {@code before}; all of a minute that has begun before it and ended after it stays.
     *
     * @param keep so many minutes, the last ones in which something was used, stay however old they are: a clock may be ahead
     */
    CompletionStage<Void> forgetUses(long before, int keep);
}
