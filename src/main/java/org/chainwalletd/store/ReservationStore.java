package org.chainwalletd.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.IntentStore.Transition;

/** Stores reservations: the coins that spends hold. They are reserved in the commit of their intent, see {@link IntentStore#open}. */
public interface ReservationStore {
    /**
     * A coin reserved by a spend.
     *
     * @param txId transaction of the spend that holds it
     */
    record Reservation(Coin coin, Hash256 txId) {}

    CompletionStage<List<Reservation>> all();

    /**
     * Returns whether a spend has reserved the coin in a store used by several processes; always false in other stores. Answered from memory, on any
     * thread; the binding decision is made by {@link IntentStore#open}.
     */
    boolean isReservedInShared(Outpoint coin);

    /**
     * Returns whether a running sweep is going to spend the coin, in a part that has no spend yet and whose token is not {@code token}. Answered from
     * memory, which a PostgreSQL store fills in its first transaction, on any thread; the binding decision is made by {@link IntentStore#open}.
     */
    boolean isPlannedByOther(Outpoint coin, Optional<String> token);

    /**
     * Ends the reservations that {@code txId} still holds, without changing the spend's state. Reservations taken over by another spend stay.
     *
     * @param before the expected state, so that a spend that has been reopened keeps its new reservations
     */
    CompletionStage<Transition> end(Hash256 txId, IntentState before);

    /** Reserves again those inputs of a spend in flight that no other spend holds. */
    CompletionStage<Transition> reserveAgain(Hash256 txId);

    /**
     * Ends reservations of spends abandoned at the operator's request. Kept are the reservations of a spend that has been reopened, of coins now
     * held by another spend, and those that only the chain may end ({@link StandIns#onlyChainCloses}).
     *
     * @param named coins to free, by the id of the spend expected to hold them
     * @return the ended reservations, with their holders
     */
    CompletionStage<List<Reservation>> abandon(Map<Hash256, Set<Outpoint>> named);
}
