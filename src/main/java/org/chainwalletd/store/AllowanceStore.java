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
 * Stores the operator's caps and how much of them is used: one sum per minute. Uses are written and the caps checked in the commit that opens a
 * spend, see {@link IntentStore#open}, so no two concurrent calls can spend the same remainder.
 */
public interface AllowanceStore {
    /** Time resolution of the recorded uses. */
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
         * How long a use is kept after its period. Uses are never erased by the clock alone: the last minutes with uses, as many as this duration
         * and the period contain, are kept regardless of the time, so that uses which seem old to a clock that runs ahead count again once the clock
         * is right.
         */
        private static final Duration REMEMBERED = Duration.ofDays(31);

        private static final Pattern WORDS =
                Pattern.compile("per transaction (none|\\d+), per period (none|\\d+), period (\\d+) s");

        public boolean none() {
            return perTransaction.isEmpty() && perPeriod.isEmpty();
        }

        /** Returns the limits as text that {@link #parse} reads; amounts in base units. */
        public String words() {
            return "per transaction " + perTransaction.map(Amount::toString).orElse("none") + ", per period "
                    + perPeriod.map(Amount::toString).orElse("none") + ", period " + period.toSeconds() + " s";
        }

        /** Parses the text of {@link #words}; empty when it is not in that format. */
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

        /** Returns the number of most recent minutes with uses that are always kept. */
        public int minutesKept() {
            return (int) Math.min(Integer.MAX_VALUE, period.plus(REMEMBERED).toMinutes() + 1);
        }

        /** Returns the time since which uses are kept, milliseconds since 1970. */
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

        /** Returns the last millisecond of the minute: all its uses count as of then, so that no use leaves a period too early. */
        public long last() {
            return start + MINUTE_MILLIS - 1;
        }
    }

    /**
     * The limits and how much of them is used.
     *
     * @param spent amount used within the last period
     */
    record Status(Limits limits, Amount spent) {
        public static Status of(Limits limits, BigInteger spent) {
            return new Status(limits, spent.compareTo(Amount.MAX.toBigInteger()) > 0 ? Amount.MAX : Amount.of(spent));
        }

        /** Returns the amount left in the period; empty without a limit per period. */
        public Optional<Amount> remaining() {
            return limits.perPeriod().map(limit -> limit.isLessThan(spent) ? Amount.ZERO : limit.minus(spent));
        }

        /** Returns the status with {@code more} counted as spent. */
        public Status plus(BigInteger more) {
            return of(limits, spent.toBigInteger().add(more));
        }
    }

    /**
     * Sets the limits that {@link IntentStore#open} and {@link IntentStore#reopen} apply; called before either of them.
     *
     * @param clock never runs faster than real time; its initial setting may be wrong
     * @param chainMillis time of the newest block of the followed chain, milliseconds since 1970; empty until one is known
     */
    CompletionStage<Void> govern(Limits limits, Clock clock, Supplier<OptionalLong> chainMillis);

    /**
     * Sets the caps per period of named access tokens, which apply in addition to the operator's caps and use the same sliding window.
     *
     * @param caps by token name; empty for a token without a cap
     */
    void governTokens(Function<String, Optional<Amount>> caps);

    /** Returns what is currently left of this token's cap per period; empty when it has none. */
    CompletionStage<Optional<Amount>> remainingOf(String tokenName);

    /** Returns why a spend of this amount would be refused now; empty when it would be opened. Reads no table and reserves nothing. */
    Optional<Opening.CapExceeded> refusal(Amount amount);

    CompletionStage<Status> status();

    /** Returns the amount spent within the last period, as far as known without reading the store: 0 without limits. */
    Amount spent();

    /** Lists the sums of the minutes that have not ended before {@code since} (milliseconds since 1970), oldest first. */
    CompletionStage<List<Minute>> spentSince(long since);

    /**
     * Removes uses older than {@code before} (milliseconds since 1970); the minute that contains that time is kept.
     *
     * @param keep number of most recent minutes with uses that are kept however old they are, since a clock may run ahead
     */
    CompletionStage<Void> forgetUses(long before, int keep);
}
