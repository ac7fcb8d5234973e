package org.chainwalletd.store;

import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/** What was spent of the allowance. Uses are written together with their intent, see {@link IntentStore#open}. */
public interface AllowanceStore {
    /** How finely time is kept for uses that are final. */
    long MINUTE_MILLIS = 60_000;

    /**
     * What a spend that may still give it back has taken.
     *
     * @param at milliseconds since 1970
     */
    record Use(Hash256 txId, Amount amount, long at) {}

    /**
     * What all other spends of one minute have taken together.
     *
     * @param start of the minute, milliseconds since 1970
     * @param amount may be more than 64 bits hold
     */
    record Minute(long start, BigInteger amount) {
        /** The last millisecond in which one of them may have been made: so late it counts, and never leaves a period too early. */
        public long last() {
            return start + MINUTE_MILLIS - 1;
        }
    }

    /** Both oldest first. */
    record Spent(List<Minute> minutes, List<Use> open) {
        public Spent {
            minutes = List.copyOf(minutes);
            open = List.copyOf(open);
        }
    }

    /** What was used at or after {@code since}; all of a minute that has begun before it and ended after it. */
    CompletionStage<Spent> spentSince(long since);

    /**
     * Removes what was used before {@code before}; all of a minute that has begun before it and ended after it stays.
     *
     * @param keep so many minutes, the last ones in which something was used, stay however old they are: a clock may be ahead
     */
    CompletionStage<Void> forgetUses(long before, int keep);
}
