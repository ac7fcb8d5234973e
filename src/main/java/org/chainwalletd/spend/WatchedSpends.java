package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;

/** The spends that the {@link Rebroadcaster} watches: how many are in flight, how many are being looked at, and who is next. */
final class WatchedSpends {
    private static final int AT_ONCE = 8;

    private final Map<Hash256, WatchedSpend> spends = new HashMap<>();
    /** Those that nobody looks at just now, the next one first: what is not due costs nothing. */
    private final NavigableSet<WatchedSpend> waiting =
            new TreeSet<>(Comparator.comparingLong(WatchedSpend::dueAt).thenComparingLong(WatchedSpend::turn));

    /** By the transactions that made their coins. */
    private final Map<Hash256, Set<WatchedSpend>> children = new HashMap<>();

    private final AtomicInteger inFlight;
    private long turns;
    private int busy;

    /**
     * @param inFlight kept equal to the number of spends that are broadcast and not yet settled
     */
    WatchedSpends(AtomicInteger inFlight) {
        this(inFlight, List.of(), 0);
    }

    /** With {@code known}, which are all due; who reads the number meanwhile never sees a part of them. */
    WatchedSpends(AtomicInteger inFlight, List<Intent> known, long now) {
        this.inFlight = inFlight;
        known.forEach(intent -> put(intent, false, now, 0));
        inFlight.set(
                (int) known.stream().filter(intent -> intent.state().inFlight()).count());
    }

    void add(Intent intent, boolean holdsCoins, long now, long firstWait) {
        remove(intent.txId());
        put(intent, holdsCoins, now, firstWait);
        if (intent.state().inFlight()) {
            inFlight.incrementAndGet();
        }
    }

    private void put(Intent intent, boolean holdsCoins, long now, long firstWait) {
        WatchedSpend spend = new WatchedSpend(intent, holdsCoins, ++turns, now, firstWait);
        spends.put(intent.txId(), spend);
        waiting.add(spend);
        for (Outpoint coin : spend.outpoints()) {
            children.computeIfAbsent(coin.txId(), parent -> new HashSet<>()).add(spend);
        }
    }

    void remove(Hash256 txId) {
        WatchedSpend spend = spends.remove(txId);
        if (spend == null) {
            return;
        }
        waiting.remove(spend);
        for (Outpoint coin : spend.outpoints()) {
            children.computeIfPresent(coin.txId(), (parent, all) -> all.remove(spend) && all.isEmpty() ? null : all);
        }
        if (spend.isBusy()) {
            busy--;
        }
        if (spend.isInFlight()) {
            inFlight.decrementAndGet();
        }
    }

    /** Null when the spend is no longer watched, or watched anew since that turn. */
    WatchedSpend current(Hash256 txId, long turn) {
        WatchedSpend spend = spends.get(txId);
        return spend != null && spend.turn() == turn ? spend : null;
    }

    Collection<WatchedSpend> all() {
        return List.copyOf(spends.values());
    }

    void abandon(WatchedSpend spend, String reason, long now) {
        spend.enter(IntentState.ABANDONED, reason, now);
        inFlight.decrementAndGet();
    }

    /** Whether one of its coins was made by a spend that is itself in flight. */
    boolean hasParentInFlight(WatchedSpend spend) {
        return spend.outpoints().stream()
                .map(outpoint -> spends.get(outpoint.txId()))
                .anyMatch(parent -> parent != null && parent.isInFlight());
    }

    /** Whether another one that is in flight spends a coin of it as well. */
    boolean hasRivalInFlight(WatchedSpend spend) {
        Set<Outpoint> coins = Set.copyOf(spend.outpoints());
        return spends.values().stream()
                .anyMatch(other -> other != spend && other.isInFlight() && other.spendsAnyOf(coins));
    }

    void makeAllDue(long now) {
        waiting.clear();
        for (WatchedSpend spend : spends.values()) {
            spend.makeDue(now);
            if (!spend.isBusy()) {
                waiting.add(spend);
            }
        }
    }

    /** The parent is mined, or lost: what spends its outputs is looked at, and sent, at once. */
    void parentSettled(Hash256 parent, long now) {
        for (WatchedSpend spend : children.getOrDefault(parent, Set.of())) {
            spend.parentMined();
            makeDue(spend, now);
        }
    }

    private void makeDue(WatchedSpend spend, long now) {
        boolean waits = waiting.remove(spend);
        spend.makeDue(now);
        if (waits) {
            waiting.add(spend);
        }
    }

    /** Begins to look at those that are due, so many that no more than a few are looked at in parallel. */
    List<WatchedSpend> beginDue(long now, long longest) {
        List<WatchedSpend> due = new ArrayList<>();
        while (busy < AT_ONCE && !waiting.isEmpty()) {
            WatchedSpend next = waiting.first().isDue(now, longest) ? waiting.first() : waiting.last();
            if (!next.isDue(now, longest)) {
                return due;
            }
            waiting.remove(next);
            next.begin();
            busy++;
            due.add(next);
        }
        return due;
    }

    void sleep(WatchedSpend spend, long now, Pace pace) {
        busy--;
        spend.sleep(now, pace.tick().toMillis(), pace.longest().toMillis());
        waiting.add(spend);
    }
}
