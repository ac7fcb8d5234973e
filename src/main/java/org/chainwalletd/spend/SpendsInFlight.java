package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.spend.SpendEnvironment.Pace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.books.SpendingBooks;

/**
 * Unconfirmed spends that the {@link SpendMonitor} watches: how many are in flight, how many are being looked at, and which one is next. A
 * spend that is not due costs nothing. Used only on that actor's thread.
 */
final class SpendsInFlight {
    private static final int AT_ONCE = 8;

    /** Watched spend: whether a mempool has it, whether its coins are reserved, and when the next look and the next send are due. */
    static final class InFlight {
        private final long number;
        private Intent intent;
        private boolean inMempool;
        private boolean reserved = true;
        private boolean reservedForCertain;
        private boolean parentInFlight;
        private boolean busy;
        private long waitMillis;
        private long dueAt;
        private int sends;
        private long sendWaitMillis;
        private long sendAt = Long.MIN_VALUE;

        /**
         * @param holdsCoins whether the coins are certainly reserved; reservations of an old spend may have ended
         * @param firstWait milliseconds until the first look
         */
        private InFlight(Intent intent, boolean holdsCoins, long number, long now, long firstWait) {
            this.intent = intent;
            this.reservedForCertain = holdsCoins;
            this.number = number;
            this.inMempool = intent.state() == IntentState.ACCEPTED;
            this.waitMillis = firstWait;
            this.dueAt = now + firstWait;
        }

        Hash256 txId() {
            return intent.txId();
        }

        Intent intent() {
            return intent;
        }

        IntentState state() {
            return intent.state();
        }

        boolean isInFlight() {
            return intent.state().inFlight();
        }

        void accepted(long now) {
            intent = intent.in(IntentState.ACCEPTED, "", now);
        }

        List<Outpoint> outpoints() {
            return intent.inputs().stream().map(Coin::outpoint).toList();
        }

        SpendingBooks.Question question() {
            return new SpendingBooks.Question(intent.txId(), outpoints(), Optional.empty());
        }

        /** Ids of the transactions that created its coins. */
        Set<Hash256> parents() {
            return intent.inputs().stream().map(coin -> coin.outpoint().txId()).collect(Collectors.toSet());
        }

        boolean spendsAnyOf(Set<Outpoint> outpoints) {
            return intent.inputs().stream().map(Coin::outpoint).anyMatch(outpoints::contains);
        }

        boolean spendsOutputOf(Hash256 parent) {
            return intent.inputs().stream()
                    .anyMatch(coin -> coin.outpoint().txId().equals(parent));
        }

        boolean isInMempool() {
            return inMempool;
        }

        void seenInMempool() {
            inMempool = true;
            parentInFlight = false;
        }

        void seenNowhere() {
            inMempool = false;
            parentInFlight = false;
        }

        /** Marks that the spend cannot be sent before the transaction that creates its coin is mined. */
        void waitsForParent() {
            parentInFlight = true;
        }

        /**
         * Whether the reservations of the spend end now: their full time has passed and no mempool has it. They stay, however long that
         * takes, while a mempool has the spend or its own parent is being resent. They also stay for kinds whose coins are freed only by a
         * block or by the owner's abandoning: kinds that keep their coins for a stand-in when abandoned, and kinds that only the chain
         * closes.
         */
        boolean reservationsExpire(long now, long ttlMillis) {
            long heard = Math.max(intent.createdAt(), intent.changedAt());
            boolean overdue = now - heard >= ttlMillis
                    && !StandIns.keepsCoins(intent.kind())
                    && !StandIns.onlyChainCloses(intent.kind());
            return overdue && reserved && !inMempool && !parentInFlight;
        }

        boolean isReserved() {
            return reserved;
        }

        void reservationsEnded() {
            reserved = false;
        }

        /** Whether a mempool has the spend, so that it uses its coins, although their reservations have ended or may have ended. */
        boolean needsReservations() {
            return inMempool && isInFlight() && !(reserved && reservedForCertain);
        }

        void reservedAgain() {
            reserved = true;
            reservedForCertain = true;
        }

        /**
         * Whether the bytes may be resent now. A new tip or block does not change that, so a transaction that no node accepts does not use
         * up the nodes' request quota. Like {@link #isDue}, tolerates a clock that was set back.
         *
         * @param longest maximum time between two sends, milliseconds
         */
        boolean maySend(long now, long longest) {
            return sendAt <= now || sendAt > now + longest;
        }

        /**
         * Registers a resend now, and doubles the wait before the next one, between {@code shortest} and {@code longest} milliseconds.
         *
         * @return number of earlier sends
         */
        int beginSend(long now, long shortest, long longest) {
            sendWaitMillis = Math.min(Math.max(2 * sendWaitMillis, shortest), longest);
            sendAt = now + sendWaitMillis;
            return sends++;
        }

        /**
         * Whether a look is due. A clock that was set back must not delay a spend: no look is due later than {@code longest} milliseconds
         * from now.
         */
        private boolean isDue(long now, long longest) {
            return dueAt <= now || dueAt > now + longest;
        }
    }

    private final Map<Hash256, InFlight> spends = new HashMap<>();
    /** Spends that are not being looked at just now, in the order of their next look. */
    private final NavigableSet<InFlight> waiting = new TreeSet<>(
            Comparator.<InFlight>comparingLong(spend -> spend.dueAt).thenComparingLong(spend -> spend.number));

    /** Spends by the ids of the transactions that created their coins. */
    private final Map<Hash256, Set<InFlight>> children = new HashMap<>();

    /** Spends that are broadcast and not yet settled, the oldest first. */
    private final NavigableSet<InFlight> unsettled =
            new TreeSet<>(Comparator.<InFlight>comparingLong(spend -> spend.intent.createdAt())
                    .thenComparingLong(spend -> spend.number));

    private AtomicInteger count;
    private AtomicLong oldest;
    private long added;
    private int busy;

    /**
     * @param known initially watched spends; the counts are set once for all of them, so that no reader sees a partial count
     * @param count kept equal to the number of spends that are broadcast and not yet settled
     * @param oldest kept equal to the creation time of the oldest of these, milliseconds since 1970; 0 when there is none
     */
    SpendsInFlight(List<Intent> known, long now, AtomicInteger count, AtomicLong oldest) {
        this.count = count;
        this.oldest = oldest;
        known.forEach(intent -> put(intent, false, now, 0));
        counted();
    }

    /** Stops updating the shared counts. */
    void retire() {
        count = new AtomicInteger();
        oldest = new AtomicLong();
    }

    /** Starts watching a spend in flight; a spend that is already watched starts anew. */
    void add(Intent intent, boolean holdsCoins, long now, long firstWait) {
        remove(intent.txId());
        put(intent, holdsCoins, now, firstWait);
        counted();
    }

    private void put(Intent intent, boolean holdsCoins, long now, long firstWait) {
        InFlight spend = new InFlight(intent, holdsCoins, ++added, now, firstWait);
        spends.put(intent.txId(), spend);
        waiting.add(spend);
        if (spend.isInFlight()) {
            unsettled.add(spend);
        }
        for (Outpoint coin : spend.outpoints()) {
            children.computeIfAbsent(coin.txId(), parent -> new HashSet<>()).add(spend);
        }
    }

    void remove(Hash256 txId) {
        InFlight spend = spends.remove(txId);
        if (spend == null) {
            return;
        }
        waiting.remove(spend);
        for (Outpoint coin : spend.outpoints()) {
            children.computeIfPresent(coin.txId(), (parent, all) -> all.remove(spend) && all.isEmpty() ? null : all);
        }
        if (spend.busy) {
            busy--;
        }
        if (unsettled.remove(spend)) {
            counted();
        }
    }

    /** Whether this very object is still watched: false when the spend was removed or added anew. */
    boolean has(InFlight spend) {
        return spends.get(spend.txId()) == spend;
    }

    Optional<InFlight> find(Hash256 txId) {
        return Optional.ofNullable(spends.get(txId));
    }

    Collection<InFlight> all() {
        return List.copyOf(spends.values());
    }

    /** Marks a spend in flight as abandoned. */
    void abandon(InFlight spend, String reason, long now) {
        spend.intent = spend.intent.in(IntentState.ABANDONED, reason, now);
        unsettled.remove(spend);
        counted();
    }

    /** Adopts the store's state for a spend that is in flight there. */
    void follow(InFlight spend, IntentState stored, long now) {
        spend.intent = spend.intent.in(stored, "", now);
        unsettled.add(spend);
        counted();
    }

    private void counted() {
        count.set(unsettled.size());
        oldest.set(unsettled.isEmpty() ? 0 : unsettled.first().intent.createdAt());
    }

    /** Whether one of its coins was created by a spend that is itself in flight. */
    boolean hasParentInFlight(InFlight spend) {
        return spend.outpoints().stream()
                .map(outpoint -> spends.get(outpoint.txId()))
                .anyMatch(parent -> parent != null && parent.isInFlight());
    }

    /** Whether another spend in flight spends one of the same coins. */
    boolean hasRivalInFlight(InFlight spend) {
        Set<Outpoint> coins = Set.copyOf(spend.outpoints());
        return spends.values().stream()
                .anyMatch(other -> other != spend && other.isInFlight() && other.spendsAnyOf(coins));
    }

    void makeAllDue(long now) {
        waiting.clear();
        for (InFlight spend : spends.values()) {
            spend.dueAt = now;
            if (!spend.busy) {
                waiting.add(spend);
            }
        }
    }

    /**
     * Makes the spends of the parent's outputs due for a look and a send at once, regardless of earlier refusals, because the parent is
     * mined or lost.
     */
    void parentSettled(Hash256 parent, long now) {
        for (InFlight spend : children.getOrDefault(parent, Set.of())) {
            spend.sendWaitMillis = 0;
            spend.sendAt = Long.MIN_VALUE;
            boolean waits = waiting.remove(spend);
            spend.dueAt = now;
            if (waits) {
                waiting.add(spend);
            }
        }
    }

    /** Takes the spends whose look is due and marks them busy; at most {@value #AT_ONCE} are busy at the same time. */
    List<InFlight> beginDue(long now, long longest) {
        List<InFlight> due = new ArrayList<>();
        while (busy < AT_ONCE && !waiting.isEmpty()) {
            InFlight next = waiting.first().isDue(now, longest) ? waiting.first() : waiting.last();
            if (!next.isDue(now, longest)) {
                return due;
            }
            waiting.remove(next);
            next.busy = true;
            busy++;
            due.add(next);
        }
        return due;
    }

    /** Ends a look and schedules the next one after twice the previous wait, up to {@link Pace#longest}. */
    void sleep(InFlight spend, long now, Pace pace) {
        busy--;
        spend.busy = false;
        spend.waitMillis = Math.min(
                Math.max(2 * spend.waitMillis, pace.tick().toMillis()),
                pace.longest().toMillis());
        spend.dueAt = now + spend.waitMillis;
        waiting.add(spend);
    }
}
