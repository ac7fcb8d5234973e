package org.chainwalletd.spend;

import java.time.Clock;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.Drawing;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.TokenBinding;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the coins of a plan: never one that is held or that a running sweep is going to spend, and one that another payment may still
 * spend only as a last resort. Remembers from which addresses another party may be spending. Holds no coins itself. Belongs to
 * {@link Reservations}.
 */
final class CoinChoice {
    private static final Logger LOG = LoggerFactory.getLogger(CoinChoice.class);
    /** Maximum number of addresses remembered as clean; for any other address one more request is made. */
    private static final int MAX_CLEAN_ADDRESSES = 100_000;
    /** Maximum number of coins remembered as spent elsewhere; the oldest is forgotten first, and is then merely detected again. */
    private static final int MAX_SPENT_ELSEWHERE = 10_000;

    private final Supplier<Optional<Network>> network;
    private final Drawing drawing;
    private final CoinHolds coins;
    private final ReservationStore reservations;
    private final ReplacedInputs replaced = new ReplacedInputs();
    private final Set<Address> clean = new HashSet<>();
    /**
     * Coins that another party has spent, with the time of detection in milliseconds since 1970, oldest first: a node that lags or returns
     * false data still lists them.
     */
    private final Map<Outpoint, Long> spentElsewhere = new LinkedHashMap<>();

    private final Clock clock;
    private final long memoryMillis;

    CoinChoice(SpendEnvironment env, CoinHolds coins) {
        this.network = env.chainView().network();
        this.drawing = env.drawing();
        this.coins = coins;
        this.reservations = env.reservations();
        this.clock = env.clock();
        this.memoryMillis = env.pace().reservationTtl().toMillis();
    }

    /** Drafts a spend that will be made, like {@link #draft}, and logs which spends it may displace. */
    Draft choose(SpendPlan plan, Candidates candidates, Set<Outpoint> excluded) {
        Draft draft = draft(plan, candidates, excluded);
        replaced.displacedBy(draft.inputs())
                .forEach(displaced -> LOG.warn(
                        "a spend takes a coin of spend {}, which is in no mempool but is still being sent: one of"
                                + " the two can never confirm",
                        displaced));
        return draft;
    }

    /**
     * Drafts a transaction; uses coins that another payment of ours may still spend only where it is impossible without them.
     *
     * @throws SpendException when the candidates do not suffice
     */
    Draft draft(SpendPlan plan, Candidates candidates, Set<Outpoint> unwanted) {
        Set<Outpoint> excluded = plan.hasAlternatives() ? andSpentElsewhere(unwanted) : unwanted;
        if (!replaced.isEmpty()) {
            try {
                return plan.choose(candidates, holdings(plan, replaced.and(excluded)));
            } catch (SpendException e) {
                LOG.debug("no coins except those of payments that are still being sent: {}", e.getMessage());
            }
        }
        return plan.choose(candidates, holdings(plan, excluded));
    }

    /**
     * Collects the coins that may not be selected. The age of coinbases is not checked until a node has named its network: nodes do not
     * list immature ones anyway.
     */
    private SpendPlan.Holdings holdings(SpendPlan plan, Set<Outpoint> excluded) {
        int maturity = network.get().map(Network::coinbaseMaturity).orElse(0);
        String kind = plan.kind();
        Optional<String> token = plan.token().map(TokenBinding::token);
        return new SpendPlan.Holdings(
                outpoint -> coins.isBarredTo(kind, outpoint)
                        || !StandIns.isStandIn(kind)
                                && (reservations.isPlannedByOther(outpoint, token)
                                        || reservations.isReservedInShared(outpoint)),
                excluded,
                maturity,
                drawing);
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
     * Remembers a coin that a foreign transaction, proven by its bytes, spends. That transaction may leave the mempool or be removed by a
     * reorganisation, so the coin is remembered only for a time; a spend that takes it too early learns that from the nodes.
     */
    void spentElsewhere(Outpoint coin) {
        spentElsewhere.remove(coin);
        spentElsewhere.put(coin, clock.millis());
        if (spentElsewhere.size() > MAX_SPENT_ELSEWHERE) {
            spentElsewhere.remove(spentElsewhere.keySet().iterator().next());
        }
    }

    /** Forgets all coins spent elsewhere, because a spending transaction may have been disconnected with its block. */
    void forked() {
        spentElsewhere.clear();
    }

    /** Records that the reservations of a spend timed out while it is still sent. */
    void lapsed(Intent intent) {
        replaced.add(intent);
    }

    /** Records that the spend has its coins again, or no longer needs them. */
    void settled(Hash256 txId) {
        replaced.remove(txId);
    }

    /** Records that all spends have their coins again, or no longer need them, except those that fulfil the condition. */
    void settledUnless(Predicate<Hash256> condition) {
        replaced.removeUnless(condition);
    }

    boolean isSuspect(Address address) {
        return !clean.contains(address);
    }

    void markClean(Address address) {
        if (clean.size() >= MAX_CLEAN_ADDRESSES) {
            clean.clear();
        }
        clean.add(address);
    }

    /**
     * @param address address to suspect; all addresses when it is empty
     */
    void suspect(Optional<Address> address) {
        address.ifPresentOrElse(clean::remove, clean::clear);
    }

    /**
     * Inputs whose reservation timed out (interface.md, section 3.2) although their payment is still sent. They are free, but a payment
     * that takes one can displace the first payment, so they are taken only when nothing else suffices.
     *
     * <p>Inputs of a payment without a token that was never acknowledged are not included. Its caller cannot ask for it again and will
     * rather make a new payment: with the same coin, the two cannot both be mined.
     */
    private static final class ReplacedInputs {
        private final Map<Hash256, Set<Outpoint>> bySpend = new HashMap<>();

        void add(Intent intent) {
            remove(intent.txId());
            if (intent.token().isPresent() || intent.state().succeeded()) {
                bySpend.put(
                        intent.txId(),
                        intent.inputs().stream().map(Coin::outpoint).collect(Collectors.toSet()));
            }
        }

        /** Removes the inputs of a spend that has its coins again, or no longer needs them. */
        void remove(Hash256 txId) {
            bySpend.remove(txId);
        }

        void removeUnless(Predicate<Hash256> condition) {
            bySpend.keySet().removeIf(condition.negate());
        }

        boolean isEmpty() {
            return bySpend.isEmpty();
        }

        /** Returns the union of these inputs and {@code others}. */
        Set<Outpoint> and(Set<Outpoint> others) {
            Set<Outpoint> all = new HashSet<>(others);
            bySpend.values().forEach(all::addAll);
            return all;
        }

        /** Returns the ids of the spends that a new transaction with these inputs may displace. */
        Set<Hash256> displacedBy(List<Coin> inputs) {
            Set<Outpoint> chosen = inputs.stream().map(Coin::outpoint).collect(Collectors.toSet());
            return bySpend.entrySet().stream()
                    .filter(spend -> !Collections.disjoint(spend.getValue(), chosen))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }
    }
}
