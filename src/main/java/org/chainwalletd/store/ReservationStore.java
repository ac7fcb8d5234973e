package org.chainwalletd.store;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** The outpoints in flight. They are reserved together with their intent, see {@link IntentStore#open}. */
public interface ReservationStore {
    /**
     * @param txId the spend that holds it
     * @param since milliseconds since 1970
     */
    record Reservation(Coin coin, Hash256 txId, long since) {}

    /** Blocks; for the start. */
    List<Reservation> all();

    /** Ends what {@code txId} holds, and nothing that another spend holds by now, without touching the spend. */
    CompletionStage<Void> end(Hash256 txId);

    /**
     * Reserves the coins of a spend in flight once more, as far as no other spend holds them.
     *
     * @return whether the spend is in flight; otherwise nothing was reserved
     */
    CompletionStage<Boolean> reserveAgain(Hash256 txId, List<Coin> coins, long now);

    /** Ends reservations because the operator gave them up; the spends that held them become {@link IntentState#ABANDONED}. */
    CompletionStage<Void> abandon(List<Outpoint> outpoints, long now);
}
