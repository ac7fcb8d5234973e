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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.chain.Amount;

/**
 * Stores the operator's caps and the amounts used of them: one sum for each minute. Uses are written, and the caps are checked, in the commit
 * that opens a spend, see {@link IntentStore#open}, so no two concurrent calls can spend the same remainder.
 */
public interface AllowanceStore {
    /** Resolution of the time at which a use counts. */
    long MINUTE_MILLIS = 60_000;

    /**
     * Caps of the operator.
     *
     * @param perTransaction upper limit of one spend; empty for no limit
     * @param perPeriod upper limit of all spends within the period; empty for no limit
     * @param period length of the sliding window of {@code perPeriod}
     */
    record Limits(Optional<Amount> perTransaction, Optional<Amount> perPeriod, Duration period) {
        /**
         * How long a use is remembered after its period. No clock alone erases a use: as many minutes as this and the period contain are kept,
         * whatever the time is, so that uses which a fast clock takes for old count again once the clock is right.
         */
        private static final Duration REMEMBERED = Duration.ofDays(31);

        private static final Pattern WORDS =
                Pattern.compile("per transaction (none|\\d+), per period (none|\\d+), period (\\d+) s");

        public boolean none() {
            return perTransaction.isEmpty() && perPeriod.isEmpty();
        }

        /** Returns the limits as text, amounts in base units, which {@link #parse} reads. */
        public String words() {
            return "per transaction " + perTransaction.map(Amount::toString).orElse("none") + ", per period "
                    + perPeriod.map(Amount::toString).orElse("none") + ", period " + period.toSeconds() + " s";
        }

        /** Reads what {@link #words} has written; empty when it is no such text. */
        public static Optional<Limits> parse(String words) {
            Matcher found = WORDS.matcher(words);
            return found.matches()
                    ? Optional.of(new Limits(
                            amount(found.group(1)),
                            amount(found.group(2)),
                            Duration.ofSeconds(Long.parseLong(found.group(3)))))
                    : Optional.empty();
        }

        private static Optional<Amount> amount(String word) {
            return word.equals("none") ? Optional.empty() : Optional.of(Amount.of(new BigInteger(word)));
        }

        /** Returns the least number of minutes that are remembered: the last ones in which something was used. */
        public int minutesKept() {
            return (int) Math.min(Integer.MAX_VALUE, period.plus(REMEMBERED).toMinutes() + 1);
        }

        /** Returns the time from which on uses are remembered, milliseconds since 1970. */
        public long rememberedSince(long now) {
            return now - period.plus(REMEMBERED).toMillis();
        }
    }

    /**
     * Sum of all uses in one minute.
     *
     * @param start of the minute, milliseconds since 1970
     * @param amount may exceed 64 bits
     */
    record Minute(long start, BigInteger amount) {
        /** Returns the start of the minute that contains {@code at}. */
        public static long startOf(long at) {
            return Math.floorDiv(at, MINUTE_MILLIS) * MINUTE_MILLIS;
        }

        /** Returns the last millisecond of the minute: all its uses count from then, so none leaves a period too early. */
        public long last() {
            return start + MINUTE_MILLIS - 1;
        }
    }

    /**
     * The limits and the use of them.
     *
     * @param spent amount used within the last period
     */
    record Status(Limits limits, Amount spent) {
        public static Status of(Limits limits, BigInteger spent) {
            return new Status(limits, spent.compareTo(Amount.MAX.toBigInteger()) > 0 ? Amount.MAX : Amount.of(spent));
        }

        /** Returns the amount that is left in the period; empty without a limit per period. */
        public Optional<Amount> remaining() {
            return limits.perPeriod().map(limit -> limit.isLessThan(spent) ? Amount.ZERO : limit.minus(spent));
        }

        /** Returns the status with {@code more} counted as spent. */
        public Status plus(BigInteger more) {
            return of(limits, spent.toBigInteger().add(more));
        }
    }

    /**
     * Sets the limits that {@link IntentStore#open} and {@link IntentStore#reopen} apply; called before the first of them.
     *
     * @param clock runs no faster than time; may be wrong from the beginning
     * @param chainMillis time of the newest block of the followed chain, milliseconds since 1970; empty until one is known
     */
    CompletionStage<Void> govern(Limits limits, Clock clock, Supplier<OptionalLong> chainMillis);

    /**
     * Sets the caps per period of named access tokens, which apply beside those of the operator and slide in the same way.
     *
     * @param caps by the token's name; empty for a token without one
     */
    void governTokens(Function<String, Optional<Amount>> caps);

    /** Returns the present remainder of this token's cap per period; empty when it has none. */
    CompletionStage<Optional<Amount>> remainingOf(String tokenName);

    /** Returns why a spend of this amount would not be opened now; empty when it would. Reads no table and holds no amount. */
    Optional<Opening.CapExceeded> refusal(Amount amount);

    CompletionStage<Status> status();

    /** Returns the amount spent within the last period, as far as that is known without reading: 0 without limits. */
    Amount spent();

    /** Lists the sums of the minutes that have not ended before {@code since} (milliseconds since 1970), oldest first. */
    CompletionStage<List<Minute>> spentSince(long since);

    /**
     * Removes uses from before {@code before} (milliseconds since 1970); a minute that contains that time stays whole.
     *
     * @param keep number of minutes, the last ones in which something was used, that stay however old they are: a clock may be ahead
     */
    CompletionStage<Void> forgetUses(long before, int keep);
}
