package org.chainwalletd.wait;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;

/** Queue of addresses to look up, without duplicates: first those for which a wait needs its baseline, then those with nudges from nodes. */
final class LookQueue {
    /** Maximum number of addresses that a node accepts in one call. */
    static final int BATCH = 100;

    private final Map<Address, Long> urgent = new LinkedHashMap<>();
    private final Map<Address, Long> nudged = new LinkedHashMap<>();

    void urgent(Address address, long now) {
        nudged.remove(address);
        urgent.putIfAbsent(address, now);
    }

    /** Adds an address with a nudge. It is looked up only from {@code readyAt} on, so that nudges close in time share a look-up. */
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

    /** Returns the time at which the next look-up is due; {@code Long.MAX_VALUE} for never. */
    long readyAt() {
        if (!urgent.isEmpty()) {
            return Long.MIN_VALUE;
        }
        return nudged.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    }

    /** Removes and returns the addresses for one call. Half of it is reserved for nudged addresses, so that many urgent ones cannot starve them. */
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
