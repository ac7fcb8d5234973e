package org.chainwalletd.store;

import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Hash256;

/**
 * Kinds of spends that replace an abandoned spend ("stand-ins") by spending one of its coins. A block may still contain the abandoned spend, so it
 * keeps all its coins until the chain has decided; of all other spends, only its stand-in may spend them. The relation follows from the kinds, which
 * are durable with the intents, so a restart does not change it.
 */
public final class StandIns {
    /** Kind of our lock transaction in a swap. */
    public static final String SWAP_LOCK = "swap_lock";

    /** Kind of a spend that returns a coin of our swap lock transaction to ourselves, so that the lock can never be mined. */
    public static final String SWAP_INSTEAD_OF_LOCK = "swap_instead_of_lock";

    /** Kind of a transaction that pays payouts of the queue. */
    public static final String PAYOUT_BATCH = "payout_batch";

    /** Kind of a spend that returns a coin of a payout batch to ourselves, so that the batch can never be mined. */
    public static final String PAYOUT_RECALL = "payout_recall";

    /** Kind of the abandoned spend, by the kind of its stand-in. */
    private static final Map<String, String> STANDS_IN_FOR =
            Map.of(SWAP_INSTEAD_OF_LOCK, SWAP_LOCK, PAYOUT_RECALL, PAYOUT_BATCH);

    /** Kinds that are closed by the chain alone: not by a node's answer, a timeout that frees their coins, or an operator who abandons them. */
    private static final Set<String> CLOSED_BY_THE_CHAIN = Set.of(PAYOUT_BATCH, PAYOUT_RECALL);

    private StandIns() {}

    public static boolean isStandIn(String kind) {
        return STANDS_IN_FOR.containsKey(kind);
    }

    /** Returns whether a spend of this kind, once abandoned, keeps its coins until the chain has decided. */
    public static boolean keepsCoins(String kind) {
        return STANDS_IN_FOR.containsValue(kind);
    }

    /** Returns whether a spend of this kind stays in flight until it is in a block or can never be mined. */
    public static boolean onlyChainCloses(String kind) {
        return CLOSED_BY_THE_CHAIN.contains(kind);
    }

    /** Returns the token under which a batch is recalled; no caller can name it. */
    public static String recallToken(Hash256 batch) {
        return TokenBinding.ofDaemon(PAYOUT_RECALL + "-" + batch);
    }

    /** Returns whether the spend was abandoned and keeps its coins until the chain has decided. */
    public static boolean keepsCoins(Intent intent) {
        return intent.state() == IntentState.ABANDONED && keepsCoins(intent.kind());
    }

    /** Returns whether a spend of this kind may spend the coins that {@code holder} holds. */
    public static boolean mayTake(String kind, Intent holder) {
        return keepsCoins(holder) && holder.kind().equals(STANDS_IN_FOR.get(kind));
    }
}
