package org.chainwalletd.store;

import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Hash256;

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

    /** Pays payouts of the queue. */
    public static final String PAYOUT_BATCH = "payout_batch";

    /** Spends a coin of a batch to ourselves, so that the batch can never be mined. */
    public static final String PAYOUT_RECALL = "payout_recall";

    /** Who is stood in for, by the kind that stands in. */
    private static final Map<String, String> STANDS_IN_FOR =
            Map.of(SWAP_INSTEAD_OF_LOCK, SWAP_LOCK, PAYOUT_RECALL, PAYOUT_BATCH);

    /** The word of no node closes these, no time frees their coins, and nobody abandons them: only the chain decides. */
    private static final Set<String> CLOSED_BY_THE_CHAIN = Set.of(PAYOUT_BATCH, PAYOUT_RECALL);

    private StandIns() {}

    public static boolean isStandIn(String kind) {
        return STANDS_IN_FOR.containsKey(kind);
    }

    /** Whether a spend of this kind, once it is given up, keeps its coins until the chain has decided. */
    public static boolean keepsCoins(String kind) {
        return STANDS_IN_FOR.containsValue(kind);
    }

    /** Whether a spend of this kind stays in flight until a block has it, or it can never be mined. */
    public static boolean onlyChainCloses(String kind) {
        return CLOSED_BY_THE_CHAIN.contains(kind);
    }

    /** Token of the recall of a batch, which no caller can name. */
    public static String recallToken(Hash256 batch) {
        return TokenBinding.ofDaemon(PAYOUT_RECALL + "-" + batch);
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
