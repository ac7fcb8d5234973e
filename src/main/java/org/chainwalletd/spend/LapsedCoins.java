package org.chainwalletd.spend;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;

/**
 * Coins whose reservation has ended by time (interface.md, section 3.2) although the payment that it was for is still sent. They are free, and
 * a payment that takes one can displace the first: so they are taken last, when nothing else suffices.
 *
 * <p>Not those of a payment without a token that was never acknowledged. Its caller cannot ask for it again, and will rather pay anew: with
 * the same coin it is impossible that both are mined. Belongs to {@link Reservations}.
 */
final class LapsedCoins {
    private final Map<Hash256, List<Outpoint>> bySpend = new HashMap<>();
    /** How many of the spends spend it. */
    private final Map<Outpoint, Integer> coins = new HashMap<>();

    void add(Intent intent) {
        remove(intent.txId());
        if (intent.token().isPresent() || intent.state().succeeded()) {
            List<Outpoint> inputs = intent.inputs().stream().map(Coin::outpoint).toList();
            bySpend.put(intent.txId(), inputs);
            inputs.forEach(coin -> coins.merge(coin, 1, Integer::sum));
        }
    }

    /** The spend has its coins again, or needs them no more. */
    void remove(Hash256 txId) {
        bySpend.getOrDefault(txId, List.of())
                .forEach(coin -> coins.computeIfPresent(coin, (any, count) -> count == 1 ? null : count - 1));
        bySpend.remove(txId);
    }

    boolean isEmpty() {
        return coins.isEmpty();
    }

    /** These and {@code others}. */
    Set<Outpoint> and(Set<Outpoint> others) {
        Set<Outpoint> all = new HashSet<>(coins.keySet());
        all.addAll(others);
        return all;
    }

    /** Which of the spends may be displaced when one more spends these. */
    Set<Hash256> displacedBy(List<Coin> inputs) {
        Set<Hash256> displaced = new HashSet<>();
        for (Coin input : inputs) {
            if (coins.containsKey(input.outpoint())) {
                bySpend.forEach((txId, spent) -> {
                    if (spent.contains(input.outpoint())) {
                        displaced.add(txId);
                    }
                });
            }
        }
        return displaced;
    }
}
