package org.chainwalletd.spend;

import java.time.Duration;

/**
 * Intervals and periods for looking after spends.
 *
 * @param tick interval at which due spends are looked for
 * @param firstLook time from the broadcast to the first look at a spend; later looks are ever further apart
 * @param longest longest time between two looks at one spend
 * @param reservationTtl how long the coins stay reserved when no mempool has the spend
 * @param receiptTtl how long a closed spend is remembered, or at least the answer of its token
 * @param resendPause time before a send is repeated after a refusal that passes by itself
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
     * Time for which a payment is kept whole after its last change, although it is buried and its bytes are not needed any more: if the chain is
     * replaced from deeper than anybody expects, an operator still has them.
     */
    Duration wholeFor() {
        Duration half = receiptTtl.dividedBy(2);
        return half.compareTo(BYTES_KEPT) < 0 ? half : BYTES_KEPT;
    }

    /** Longest time between two sends of the same bytes by the spend monitor, while nodes lack them. */
    Duration longestBetweenSends() {
        return longest.multipliedBy(LOOKS_BETWEEN_SENDS);
    }
}
