package org.chainwalletd.spend;

import java.util.Set;
import org.chainwalletd.store.StandIns;

/**
 * Spends that only their owner sends again: the {@link SpendMonitor} watches them as all others, and finds them in blocks, but leaves it to
 * the owner whether nodes that have forgotten one are shown it once more. Which ones these are is told by their kind, which is durable with
 * the intent, so that it holds after a restart before the owner is there.
 */
public final class OwnerPushes {
    /** Our lock of a swap: it goes out again only while what spoke for it at first still does. */
    public static final String SWAP_LOCK = StandIns.SWAP_LOCK;

    private static final Set<String> KINDS = Set.of(SWAP_LOCK);

    private OwnerPushes() {}

    static boolean isPushedByOwner(String kind) {
        return KINDS.contains(kind);
    }
}
