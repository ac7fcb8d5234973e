package org.chainwalletd.store;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.IntentStore.Transition;

/** The outpoints in flight. They are reserved together with their intent, see {@link IntentStore#open}. */
public interface ReservationStore {
    /**
     * @param txId the spend that holds it
     */
    record Reservation(Coin coin, Hash256 txId) {}

    CompletionStage<List<Reservation>> all();

    /**
     * Ends what {@code txId} holds, and nothing that another spend holds by now, without touching the spend.
     *
     * @param before a spend that was opened again meanwhile keeps what it has reserved anew
     */
    CompletionStage<Transition> end(Hash256 txId, IntentState before);

    /** Reserves the inputs of a spend in flight once more, as far as no other spend holds them. */
    CompletionStage<Transition> reserveAgain(Hash256 txId);

    /**
     * Ends reservations because the operator gave them up; the spends that held them become {@link IntentState#ABANDONED}.
     *
     * @return what was held, by whom
     */
    CompletionStage<List<Reservation>> abandon(List<Outpoint> outpoints, long now);
}
