package org.chainwalletd.spend;

import java.util.concurrent.ThreadLocalRandom;

/**
 * What decides between transactions that would do equally well. Two daemons with one key that make the same payment at the same moment must
 * not build the same bytes: the chain would take them for one payment.
 */
@FunctionalInterface
public interface Drawing {
    /** As the daemon draws. */
    Drawing RANDOM = count -> ThreadLocalRandom.current().nextInt(count);

    /** Always the first: what is built then follows from the coins alone. */
    Drawing FIRST = count -> 0;

    /**
     * One of {@code count} equally good ones, by its number from 0.
     *
     * @param count at least 1
     */
    int of(int count);
}
