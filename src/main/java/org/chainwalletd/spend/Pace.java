package org.chainwalletd.spend;

import java.time.Duration;

/**
 * How fast spends are looked after.
 *
 * @param tick how often due spends are looked for
 * @param firstLook how long after its broadcast a spend is looked at first; then ever more seldom
 * @param longest time between two looks at one spend
 * @param reservationTtl how long its coins stay reserved when no mempool has it
 * @param receiptTtl how long a closed spend is remembered, or at least what its token answers
 * @param resendPause before a refusal that passes by itself is tried again
 * @param burialDepth confirmations after which a spend is no longer watched
 */
public record Pace(
        Duration tick,
        Duration firstLook,
        Duration longest,
        Duration reservationTtl,
        Duration receiptTtl,
        Duration resendPause,
        int burialDepth) {
    private static final int LOOKS_BETWEEN_SENDS = 20;
    private static final Duration BYTES_KEPT = Duration.ofDays(1);

    /**
     * How long a payment is kept whole after it has changed last, although it is buried and its bytes are needed no more: should the chain be
     * replaced from further down than anybody expects, an operator still has them.
     */
    Duration wholeFor() {
        Duration half = receiptTtl.dividedBy(2);
        return half.compareTo(BYTES_KEPT) < 0 ? half : BYTES_KEPT;
    }

    /** Time between two sends of the same bytes that nobody waits for, when the nodes have them not. */
    Duration longestBetweenSends() {
        return longest.multipliedBy(LOOKS_BETWEEN_SENDS);
    }
}
