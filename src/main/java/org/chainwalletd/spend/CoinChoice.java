package org.chainwalletd.spend;

import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which coins a plan may take: none that is held, and last those that another payment may still spend; and from which addresses somebody else
 * may be spending. Holds nothing itself. Belongs to {@link Reservations}.
 */
final class CoinChoice {
    private static final Logger LOG = LoggerFactory.getLogger(CoinChoice.class);
    /** More addresses than this are not remembered as clean; they merely cost one more question. */
    private static final int MOST_CLEAN_ADDRESSES = 100_000;
    /** Bound of the coins that are remembered as spent; the oldest is forgotten first, and then merely met again. */
    private static final int MOST_SPENT_ELSEWHERE = 10_000;

    private final Supplier<Optional<Network>> network;
    private final Drawing drawing;
    private final CoinHolds coins;
    private final ReplacedInputs replaced = new ReplacedInputs();
    private final Set<Address> clean = new HashSet<>();
    /** Coins that somebody else has spent, and since when that is known, the oldest first: a node that lags or lies lists them on. */
    private final Map<Outpoint, Long> spentElsewhere = new LinkedHashMap<>();

    private final Clock clock;
    private final long memoryMillis;

    CoinChoice(SpendEnvironment env, CoinHolds coins) {
        this.network = env.network();
        this.drawing = env.drawing();
        this.coins = coins;
        this.clock = env.clock();
        this.memoryMillis = env.pace().reservationTtl().toMillis();
    }

    /** As {@link #draft}, of a spend that is going to be made. */
    Draft choose(SpendPlan plan, Candidates candidates, Set<Outpoint> excluded) {
        Draft draft = draft(plan, candidates, excluded);
        replaced.displacedBy(draft.inputs())
                .forEach(displaced -> LOG.warn(
                        "a spend takes a coin of spend {}, which no mempool has and which is still sent: one of"
                                + " both can never confirm",
                        displaced));
        return draft;
    }

    /**
     * With coins that another payment of ours may still spend only where it cannot be drafted without them.
     *
     * @throws SpendException when the candidates do not suffice
     */
    Draft draft(SpendPlan plan, Candidates candidates, Set<Outpoint> unwanted) {
        Set<Outpoint> excluded = plan.hasAlternatives() ? andSpentElsewhere(unwanted) : unwanted;
        if (!replaced.isEmpty()) {
            try {
                return plan.choose(candidates, holdings(plan, replaced.and(excluded)));
            } catch (SpendException e) {
                LOG.debug("no coins but those of payments that are still sent: {}", e.getMessage());
            }
        }
        return plan.choose(candidates, holdings(plan, excluded));
    }

    /** Coinbases are not checked until a node has said which network it is of: nodes list no immature ones anyway. */
    private SpendPlan.Holdings holdings(SpendPlan plan, Set<Outpoint> excluded) {
        int maturity = network.get().map(Network::coinbaseMaturity).orElse(0);
        return new SpendPlan.Holdings(coins.barredTo(plan.kind()), excluded, maturity, drawing);
    }

    private Set<Outpoint> andSpentElsewhere(Set<Outpoint> others) {
        long now = clock.millis();
        spentElsewhere.values().removeIf(since -> since > now || now - since >= memoryMillis);
        if (spentElsewhere.isEmpty()) {
            return others;
        }
        Set<Outpoint> all = new HashSet<>(spentElsewhere.keySet());
        all.addAll(others);
        return all;
    }

    /**
     * A spender of it was shown by bytes. It may go again, from a mempool or by a reorganisation, so this is not remembered for ever; whoever
     * then takes the coin too early finds that out from the nodes.
     */
    void spentElsewhere(Outpoint coin) {
        spentElsewhere.remove(coin);
        spentElsewhere.put(coin, clock.millis());
        if (spentElsewhere.size() > MOST_SPENT_ELSEWHERE) {
            spentElsewhere.remove(spentElsewhere.keySet().iterator().next());
        }
    }

    /** A spender may have gone with its block. */
    void forked() {
        spentElsewhere.clear();
    }

    /** The time of its reservations is over, and it is still sent. */
    void lapsed(Intent intent) {
        replaced.add(intent);
    }

    /** The spend has its coins again, or needs them no more. */
    void settled(Hash256 txId) {
        replaced.remove(txId);
    }

    boolean isSuspect(Address address) {
        return !clean.contains(address);
    }

    void markClean(Address address) {
        if (clean.size() >= MOST_CLEAN_ADDRESSES) {
            clean.clear();
        }
        clean.add(address);
    }

    /** @param address any of them when there is none */
    void suspect(Optional<Address> address) {
        address.ifPresentOrElse(clean::remove, clean::clear);
    }

    /**
     * Inputs whose reservation has ended by time (interface.md, section 3.2) although the payment that it was for is still sent. They are free, and
     * a payment that takes one can displace the first: so they are taken last, when nothing else suffices.
     *
     * <p>Not those of a payment without a token that was never acknowledged. Its caller cannot ask for it again, and will rather pay anew: with
     * the same coin it is impossible that both are mined.
     */
    private static final class ReplacedInputs {
        private final Map<Hash256, List<Outpoint>> bySpend = new HashMap<>();
        /** How many of the spends spend it. */
        private final Map<Outpoint, Integer> coins = new HashMap<>();

        void add(Intent intent) {
            remove(intent.txId());
            if (intent.token().isPresent() || intent.state().succeeded()) {
                List<Outpoint> inputs =
                        intent.inputs().stream().map(Coin::outpoint).toList();
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
}
