package org.chainwalletd.wait;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;

/** Addresses to look at, each once: those that a wait needs its baseline of first, then those that a node has nudged about. */
final class LookQueue {
    /** Most addresses that a node takes in one call. */
    static final int BATCH = 100;

    private final Map<Address, Long> urgent = new LinkedHashMap<>();
    private final Map<Address, Long> nudged = new LinkedHashMap<>();

    void urgent(Address address, long now) {
        nudged.remove(address);
        urgent.putIfAbsent(address, now);
    }

    /** A nudge is looked at when {@code readyAt} has come, so that those that come together are looked at together. */
    void nudged(Address address, long readyAt) {
        if (!urgent.containsKey(address)) {
            nudged.putIfAbsent(address, readyAt);
        }
    }

    int size() {
        return urgent.size() + nudged.size();
    }

    void drop(Address address) {
        urgent.remove(address);
        nudged.remove(address);
    }

    /** Time at which the next look-up is due; {@code Long.MAX_VALUE} for never. */
    long readyAt() {
        if (!urgent.isEmpty()) {
            return Long.MIN_VALUE;
        }
        return nudged.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    }

    /** Takes what one call may ask for. However many are urgent, half of it is for the others: they would never be looked at. */
    List<Address> take(long now) {
        List<Address> batch = new ArrayList<>();
        take(urgent, now, batch, BATCH / 2);
        take(nudged, now, batch, BATCH);
        take(urgent, now, batch, BATCH);
        return batch;
    }

    private static void take(Map<Address, Long> from, long now, List<Address> batch, int most) {
        Iterator<Map.Entry<Address, Long>> next = from.entrySet().iterator();
        while (batch.size() < most && next.hasNext()) {
            Map.Entry<Address, Long> entry = next.next();
            if (entry.getValue() <= now) {
                batch.add(entry.getKey());
                next.remove();
            }
        }
    }
}
