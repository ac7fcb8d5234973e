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
     * Tells whether a spend has reserved the coin in a store that several processes use; always false elsewhere. Answered from memory, on any thread;
     * {@link IntentStore#open} decides.
     */
    boolean isReservedInShared(Outpoint coin);

    /**
     * Tells whether a running sweep is going to spend the coin in a part that has no spend yet and is not the one with this token. Answered from
     * memory, on any thread, which a store in PostgreSQL fills with its first transaction; {@link IntentStore#open} decides.
     */
    boolean isPlannedByOther(Outpoint coin, Optional<String> token);

    /**
     * Ends the reservations of {@code txId}, and none that another spend has taken over, without changing the spend's state.
     *
     * @param before the expected state; a spend that was opened again meanwhile keeps its new reservations
     */
    CompletionStage<Transition> end(Hash256 txId, IntentState before);

    /** Reserves again those inputs of a spend in flight that no other spend holds. */
    CompletionStage<Transition> reserveAgain(Hash256 txId);

    /**
     * Ends reservations of spends that were abandoned at the operator's request. A spend that was opened again meanwhile keeps its coins, one that
     * another spend holds by now is left alone, and so are reservations that only the chain may end ({@link StandIns#onlyChainCloses}).
     *
     * @param named coins to be freed, by the id of the spend that is to have held them
     * @return the reservations that were ended, with their holders
     */
    CompletionStage<List<Reservation>> abandon(Map<Hash256, Set<Outpoint>> named);
}
