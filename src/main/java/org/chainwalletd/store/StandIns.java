package org.chainwalletd.store;

import java.util.Map;

/**
 * Spends that step in for one that was given up for their sake. A block may still take the one that was given up, with all its inputs, so it
 * keeps what it holds until the chain has decided; of all others only its stand-in may spend that. Which kind stands in for which is told by
 * the kinds, which are durable with the intents, so that a restart between the two changes nothing.
 */
public final class StandIns {
    /** Our lock of a swap. */
    public static final String SWAP_LOCK = "swap_lock";

    /** Spends a coin of our lock of a swap to ourselves. */
    public static final String SWAP_INSTEAD_OF_LOCK = "swap_instead_of_lock";

    /** Who is stood in for, by the kind that stands in. */
    private static final Map<String, String> STANDS_IN_FOR = Map.of(SWAP_INSTEAD_OF_LOCK, SWAP_LOCK);

    private StandIns() {}

    public static boolean isStandIn(String kind) {
        return STANDS_IN_FOR.containsKey(kind);
    }

    /** Whether a spend of this kind, once it is given up, keeps its coins until the chain has decided. */
    public static boolean keepsCoins(String kind) {
        return STANDS_IN_FOR.containsValue(kind);
    }

    /** Whether it was given up and keeps its coins. */
    public static boolean keepsCoins(Intent intent) {
        return intent.state() == IntentState.ABANDONED && keepsCoins(intent.kind());
    }

    /** Whether a spend of this kind may spend what {@code holder} holds. */
    static boolean mayTake(String kind, Intent holder) {
        return keepsCoins(holder) && holder.kind().equals(STANDS_IN_FOR.get(kind));
    }
}
