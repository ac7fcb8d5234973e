package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.books.SpendingBooks;

/**
 * What the {@link Rebroadcaster} knows of one spend: where it was seen, whether its coins are reserved, and when it is looked at next.
 * Changed only on that actor's thread.
 */
final class WatchedSpend {
    private final long turn;
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
     * @param turn tells answers to this watch from late ones to an earlier one
     * @param holdsCoins whether its coins are certainly reserved; they may not be when it is old
     * @param firstWait milliseconds until the first look
     */
    WatchedSpend(Intent intent, boolean holdsCoins, long turn, long now, long firstWait) {
        this.intent = intent;
        this.reservedForCertain = holdsCoins;
        this.turn = turn;
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

    long turn() {
        return turn;
    }

    IntentState state() {
        return intent.state();
    }

    boolean isInFlight() {
        return intent.state().inFlight();
    }

    void enter(IntentState state, String reason, long now) {
        intent = intent.in(state, reason, now);
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
        return intent.inputs().stream().anyMatch(coin -> coin.outpoint().txId().equals(parent));
    }

    void seenInMempool() {
        inMempool = true;
        parentInFlight = false;
    }

    void seenNowhere() {
        inMempool = false;
        parentInFlight = false;
    }

    /** It cannot be sent before the one that made its coin is mined again. */
    void waitsForParent() {
        parentInFlight = true;
    }

    /**
     * Whether its coins have been reserved for their full time without a sign of it. While a mempool has it, or its own parent is being sent
     * again, they stay reserved, however long that takes. Those of one that only its owner sends, and gives up, wait for that,
     * and what is then kept for its stand-in only a block frees.
     */
    boolean reservationsExpire(long now, long ttlMillis) {
        long heard = Math.max(intent.createdAt(), intent.changedAt());
        boolean overdue = now - heard >= ttlMillis && !StandIns.keepsCoins(intent.kind());
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
     * Whether its bytes may be sent again by now. No tip of a node and no block changes that, so that what no node takes does not use up what
     * the nodes take in a minute. As {@link #isDue} it bears a clock that was set back.
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

    /** What made its coin is mined: that it was not taken before says nothing any more. */
    void parentMined() {
        sendWaitMillis = 0;
        sendAt = Long.MIN_VALUE;
    }

    boolean isInMempool() {
        return inMempool;
    }

    boolean isBusy() {
        return busy;
    }

    void begin() {
        busy = true;
    }

    /** When it is looked at next. */
    long dueAt() {
        return dueAt;
    }

    void makeDue(long now) {
        dueAt = now;
    }

    /** A clock that was set back must not put a spend to sleep: nothing is due later than {@code longest} from now. */
    boolean isDue(long now, long longest) {
        return dueAt <= now || dueAt > now + longest;
    }

    /** Looked at ever more seldom. */
    void sleep(long now, long shortest, long longest) {
        busy = false;
        waitMillis = Math.min(Math.max(2 * waitMillis, shortest), longest);
        dueAt = now + waitMillis;
    }
}
