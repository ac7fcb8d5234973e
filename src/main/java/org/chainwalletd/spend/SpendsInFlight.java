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
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.books.SpendingBooks;

/**
 * The spends in no block that the {@link SpendMonitor} watches: how many are in flight, how many are being looked at, and which is next. What
 * is not due costs nothing. Used on that actor's thread.
 */
final class SpendsInFlight {
    private static final int AT_ONCE = 8;
    /** How long a spend that is not known to have been accepted is left to its spender when spends may be running at the start. */
    private static final long ADOPTION_MILLIS = 30_000;

    /** One watched spend: where it was seen, whether its coins are reserved, and when it is looked at and sent next. */
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
        /** Nothing makes a look due before this: its spender may be sending it for the first time until then. */
        private final long spendersUntil;

        private int sends;
        private long sendWaitMillis;
        private long sendAt = Long.MIN_VALUE;

        /**
         * @param holdsCoins whether its coins are certainly reserved; they may not be when it is old
         * @param firstWait milliseconds until the first look
         * @param spendersUntil before that it is left to its spender
         */
        private InFlight(Intent intent, boolean holdsCoins, long number, long now, long firstWait, long spendersUntil) {
            this.intent = intent;
            this.reservedForCertain = holdsCoins;
            this.number = number;
            this.inMempool = intent.state() == IntentState.ACCEPTED;
            this.waitMillis = firstWait;
            this.spendersUntil = spendersUntil;
            makeDue(now + firstWait);
        }

        private void makeDue(long at) {
            dueAt = Math.max(at, spendersUntil);
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

        /** It cannot be sent before the transaction that made its coin is mined again. */
        void waitsForParent() {
            parentInFlight = true;
        }

        /**
         * Whether its coins have been reserved for their full time without a sign of it. While a mempool has it, or its own parent is being
         * sent again, they stay reserved, however long that takes. Those of one that only its owner sends, and abandons, wait for that, and
         * what is then kept for its stand-in only a block frees.
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

        /** Whether a mempool has it, and with it its coins, although their reservations have ended, or may have. */
        boolean needsReservations() {
            return inMempool && isInFlight() && !(reserved && reservedForCertain);
        }

        void reservedAgain() {
            reserved = true;
            reservedForCertain = true;
        }

        /**
         * Whether its bytes may be sent again by now. No tip of a node and no block changes that, so that what no node takes does not use up
         * what the nodes take in a minute. As {@link #isDue} it bears a clock that was set back.
         */
        boolean maySend(long now, long longest) {
            return sendAt <= now || sendAt > now + longest;
        }

        /**
         * Its bytes are sent again now, and next ever more seldom.
         *
         * @return how often they were before
         */
        int beginSend(long now, long shortest, long longest) {
            sendWaitMillis = Math.min(Math.max(2 * sendWaitMillis, shortest), longest);
            sendAt = now + sendWaitMillis;
            return sends++;
        }

        /**
         * A clock that was set back must not put a spend to sleep: nothing is due later than {@code longest} from now, and nothing is left to
         * its spender for longer than {@link #ADOPTION_MILLIS}.
         */
        private boolean isDue(long now, long longest) {
            boolean isSpenders = spendersUntil > now && spendersUntil <= now + ADOPTION_MILLIS;
            return dueAt <= now || dueAt > now + longest && !isSpenders;
        }
    }

    private final Map<Hash256, InFlight> spends = new HashMap<>();
    /** Those that nobody looks at just now, the next one first. */
    private final NavigableSet<InFlight> waiting = new TreeSet<>(
            Comparator.<InFlight>comparingLong(spend -> spend.dueAt).thenComparingLong(spend -> spend.number));

    /** By the transactions that made their coins. */
    private final Map<Hash256, Set<InFlight>> children = new HashMap<>();

    /** Those that are broadcast and not yet settled, the oldest first. */
    private final NavigableSet<InFlight> unsettled =
            new TreeSet<>(Comparator.<InFlight>comparingLong(spend -> spend.intent.createdAt())
                    .thenComparingLong(spend -> spend.number));

    private AtomicInteger count;
    private AtomicLong oldest;
    private long added;
    private int busy;

    /**
     * @param known who reads the number meanwhile never sees a part of them
     * @param again whether spends may be running: a fresh one is left to its spender, who must not meet a node that has it already
     * @param count kept equal to the number of spends that are broadcast and not yet settled
     * @param oldest kept equal to when the oldest of these was made, milliseconds since 1970; 0 without any
     */
    SpendsInFlight(List<Intent> known, boolean again, long now, AtomicInteger count, AtomicLong oldest) {
        this.count = count;
        this.oldest = oldest;
        known.forEach(intent -> put(intent, false, now, 0, again ? spendersUntil(intent, now) : now));
        counted();
    }

    private static long spendersUntil(Intent intent, long now) {
        long changed = Math.max(intent.createdAt(), intent.changedAt());
        return intent.state() == IntentState.PREPARED && changed <= now ? changed + ADOPTION_MILLIS : now;
    }

    /** What changes from now on is not counted any more. */
    void retire() {
        count = new AtomicInteger();
        oldest = new AtomicLong();
    }

    /** One that is watched already begins anew. */
    void add(Intent intent, boolean holdsCoins, long now, long firstWait) {
        remove(intent.txId());
        put(intent, holdsCoins, now, firstWait, now);
        counted();
    }

    private void put(Intent intent, boolean holdsCoins, long now, long firstWait, long spendersUntil) {
        InFlight spend = new InFlight(intent, holdsCoins, ++added, now, firstWait, spendersUntil);
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

    /** False when the spend is no longer watched, or watched anew. */
    boolean has(InFlight spend) {
        return spends.get(spend.txId()) == spend;
    }

    Collection<InFlight> all() {
        return List.copyOf(spends.values());
    }

    /** It was in flight. */
    void abandon(InFlight spend, String reason, long now) {
        spend.intent = spend.intent.in(IntentState.ABANDONED, reason, now);
        unsettled.remove(spend);
        counted();
    }

    private void counted() {
        count.set(unsettled.size());
        oldest.set(unsettled.isEmpty() ? 0 : unsettled.first().intent.createdAt());
    }

    /** Whether one of its coins was made by a spend that is itself in flight. */
    boolean hasParentInFlight(InFlight spend) {
        return spend.outpoints().stream()
                .map(outpoint -> spends.get(outpoint.txId()))
                .anyMatch(parent -> parent != null && parent.isInFlight());
    }

    /** Whether another one that is in flight spends a coin of it as well. */
    boolean hasRivalInFlight(InFlight spend) {
        Set<Outpoint> coins = Set.copyOf(spend.outpoints());
        return spends.values().stream()
                .anyMatch(other -> other != spend && other.isInFlight() && other.spendsAnyOf(coins));
    }

    void makeAllDue(long now) {
        waiting.clear();
        for (InFlight spend : spends.values()) {
            spend.makeDue(now);
            if (!spend.busy) {
                waiting.add(spend);
            }
        }
    }

    /** The parent is mined, or lost: what spends its outputs is looked at, and sent, at once, whatever was not taken before. */
    void parentSettled(Hash256 parent, long now) {
        for (InFlight spend : children.getOrDefault(parent, Set.of())) {
            spend.sendWaitMillis = 0;
            spend.sendAt = Long.MIN_VALUE;
            boolean waits = waiting.remove(spend);
            spend.makeDue(now);
            if (waits) {
                waiting.add(spend);
            }
        }
    }

    /** Begins to look at those that are due, so many that no more than a few are looked at in parallel. */
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

    /** The look at it is over; it is looked at ever more seldom. */
    void sleep(InFlight spend, long now, Pace pace) {
        busy--;
        spend.busy = false;
        spend.waitMillis = Math.min(
                Math.max(2 * spend.waitMillis, pace.tick().toMillis()),
                pace.longest().toMillis());
        spend.makeDue(now + spend.waitMillis);
        waiting.add(spend);
    }
}
