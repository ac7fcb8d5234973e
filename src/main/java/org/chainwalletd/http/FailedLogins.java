package org.chainwalletd.http;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Slows down who guesses tokens: after a few free failures each further refusal to the same client is held back, twice as long each time
 * up to a bound, and failures are forgiven one by one as time passes. Only refusals are held back, so a client with a valid token is
 * never slower, whatever others do behind the same address. The table is bounded: the client that has been quiet longest is forgotten.
 */
final class FailedLogins {
    private static final int FREE = 5;
    private static final Duration FIRST = Duration.ofMillis(125);
    private static final Duration LONGEST = Duration.ofSeconds(4);
    private static final Duration FORGIVE_ONE = Duration.ofSeconds(10);
    private static final int MAX_COUNT = 64;
    private static final int MAX_CLIENTS = 4096;

    private record Record(int count, long at) {}

    private final LongSupplier nanoTime;
    private final Map<String, Record> clients = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Record> eldest) {
            return size() > MAX_CLIENTS;
        }
    };

    FailedLogins(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Counts one failure of {@code client} and says how long its answer is held back. */
    synchronized Duration failed(String client) {
        long now = nanoTime.getAsLong();
        String key = ClientAddress.network(client);
        Record before = clients.getOrDefault(key, new Record(0, now));
        long forgiven = (now - before.at()) / FORGIVE_ONE.toNanos();
        int count = (int) Math.min(MAX_COUNT, Math.max(0, before.count() - forgiven) + 1);
        clients.put(key, new Record(count, now));
        if (count <= FREE) {
            return Duration.ZERO;
        }
        int doublings = Math.min(count - FREE - 1, 10);
        Duration hold = FIRST.multipliedBy(1L << doublings);
        return hold.compareTo(LONGEST) < 0 ? hold : LONGEST;
    }

    synchronized int size() {
        return clients.size();
    }
}
