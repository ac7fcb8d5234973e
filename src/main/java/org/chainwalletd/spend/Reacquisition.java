package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;

/** Whether a spend that is sent again has the coins that it had. */
sealed interface Reacquisition {
    record Reacquired() implements Reacquisition {}

    /**
     * @param coins those that other spends have
     * @param spent one of them that is spent in a block; empty when all are only in flight
     */
    record Taken(List<Coin> coins, Optional<Outpoint> spent) implements Reacquisition {}
}
