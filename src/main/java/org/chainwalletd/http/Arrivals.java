package org.chainwalletd.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** How often connections come from an address. Remembers the addresses that came last. Not safe for threads. */
final class Arrivals {
    private static final int MOST_ADDRESSES = 1024;
    /** So many may come at once. */
    private static final double BURST = 64;

    private static final double A_SECOND = 20;

    /** A bucket that leaks. */
    private static final class Bucket {
        private double level;
        private long at;

        Bucket(long at) {
            this.at = at;
        }

        double add(long now) {
            double leaked = (now - at) * A_SECOND / TimeUnit.SECONDS.toNanos(1);
            level = Math.max(0, level - leaked) + 1;
            at = now;
            return level;
        }
    }

    private final LongSupplier clock;
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MOST_ADDRESSES;
        }
    };

    /** @param clock in nanoseconds */
    Arrivals(LongSupplier clock) {
        this.clock = clock;
    }

    /** One more has come. Returns whether more come than from somebody who keeps connections. */
    boolean often(String address) {
        long now = clock.getAsLong();
        return buckets.computeIfAbsent(address, unknown -> new Bucket(now)).add(now) > BURST;
    }
}
