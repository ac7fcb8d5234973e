package org.chainwalletd.coins;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Outpoint;

/**
 * Outputs that were proven, the ones used last, within a budget of bytes. The entries are facts that no fork can falsify and that are the
 * same whoever writes them, so any thread may read and write without an actor in between: a spend whose coins are known needs no hand-over.
 */
final class OutputCache {
    /** An outpoint, its hash, an amount, two objects for the script and the map's entry: about what they take on the heap. */
    private static final int BYTES_PER_ENTRY = 320;

    private static final float LOAD = 0.75f;

    private final long budget;
    private final Map<Outpoint, VerifiedOutput> outputs = new LinkedHashMap<>(16, LOAD, true);
    private long used;

    /**
     * @param budget bytes of heap
     */
    OutputCache(long budget) {
        this.budget = budget;
    }

    synchronized Optional<VerifiedOutput> get(Outpoint outpoint) {
        return Optional.ofNullable(outputs.get(outpoint));
    }

    synchronized void put(Outpoint outpoint, VerifiedOutput output) {
        VerifiedOutput before = outputs.put(outpoint, output);
        used += weight(output) - (before == null ? 0 : weight(before));
        Iterator<VerifiedOutput> oldest = outputs.values().iterator();
        while (used > budget && oldest.hasNext()) {
            used -= weight(oldest.next());
            oldest.remove();
        }
    }

    synchronized int size() {
        return outputs.size();
    }

    private static long weight(VerifiedOutput output) {
        return BYTES_PER_ENTRY + output.script().length();
    }
}
