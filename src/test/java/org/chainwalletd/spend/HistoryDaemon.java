package org.chainwalletd.spend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.spend.plan.Drawing;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Await;

/** Daemon of a {@link SpendHistory} with its disk, clock and nodes. Used by the history's thread. */
final class HistoryDaemon {
    private static final Hash256 NO_BLOCK = Hash256.sha256(new byte[] {0});

    final SpendHarness spends;
    final UncertainDisk disk;
    /** Outpoints that its operator abandoned, as far as this was granted or may have been. */
    final Set<Outpoint> givenUp = ConcurrentHashMap.newKeySet();
    /** Spend that last selected each coin. */
    final Map<Outpoint, Hash256> lastUser = new HashMap<>();

    private final Set<Outpoint> asked = ConcurrentHashMap.newKeySet();
    /** Transactions missing from its store since an older one replaced it. */
    private final Set<Hash256> forgotten = ConcurrentHashMap.newKeySet();

    private final Set<Address> grantedEarlier = ConcurrentHashMap.newKeySet();

    private Optional<StoreCopy> copy = Optional.empty();
    private final List<Use> uses = new ArrayList<>();
    private Optional<LyingNode> liar = Optional.empty();
    private volatile long forward;
    private long wrongMinutes;

    /** Share of the cap that one spend uses. */
    static final class Use {
        private final Hash256 txId;
        private final Amount amount;
        private final long made;
        private long at;
        /** Whether it was void: the spend had not been sent, and was granted a share again. */
        private boolean isVoid;

        private List<Use> window = List.of();

        private Use(Intent intent, long now) {
            this.txId = intent.txId();
            this.amount = intent.allowance();
            this.made = now;
            this.at = now;
        }

        @Override
        public String toString() {
            return amount + " in " + txId.hex().substring(0, 8) + " made at " + made + ", counted at " + at;
        }

        Hash256 txId() {
            return txId;
        }

        Amount amount() {
            return amount;
        }

        /** All uses that counted when this one was granted, including itself; empty when it is unknown when that was. */
        List<Use> window() {
            return window.stream().filter(use -> !use.isVoid).toList();
        }
    }

    /** @param shared whether it is configured with a key that another daemon has too */
    HistoryDaemon(SpendHarness spends, Random random, Optional<Amount> cap, Duration period, boolean shared) {
        this.spends = spends;
        this.disk = new UncertainDisk(random, () -> spends.limits, spends.clock);
        spends.limits = new AllowanceStore.Limits(Optional.empty(), cap, period);
        spends.before = disk::before;
        spends.beforeReservations = disk::before;
        spends.beforeReceipts = disk::before;
        spends.opened = disk::recover;
        spends.client = spends.node;
        spends.drawing = shared ? drawing(random).marking() : drawing(random);
    }

    /** In many histories always draws the first coins, so that payments collide whenever possible; the marks of change are random nevertheless. */
    private static Drawing drawing(Random random) {
        boolean stubborn = random.nextBoolean();
        return count -> {
            synchronized (random) {
                return stubborn && count != 1 << Byte.SIZE ? 0 : random.nextInt(count);
            }
        };
    }

    /** Makes its node return false data from the next start on. */
    void asksLiar(Random random, int percent, boolean alone) {
        LyingNode node = new LyingNode(spends.node, spends.devnet.ledger(), random, percent, alone);
        liar = Optional.of(node);
        spends.client = node.client();
    }

    boolean isLiedTo() {
        return liar.isPresent();
    }

    /** Ends all faults around it. */
    void calm(boolean lateCallsArrive) {
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        liar.ifPresent(LyingNode::repent);
        disk.fails(0);
        if (lateCallsArrive) {
            spends.node.deliverLate();
        } else {
            spends.node.dropLate();
        }
    }

    void move(Duration by) {
        forward += Math.max(0, by.toMillis());
        spends.clock.advance(by);
        long now = spends.clock.millis();
        // Amounts spent while the clock was ahead count from when it is set back, not from when it
        // reaches that time again.
        synchronized (uses) {
            uses.forEach(use -> use.at = Math.min(use.at, now));
        }
    }

    /** Records payments in progress while the clock jumps: each may get its share of the cap by the previous clock. */
    void underWay(List<Address> payees) {
        grantedEarlier.addAll(payees);
    }

    /** Records that a spend is about to be sent, or to be tried again when it had not been sent. */
    void uses(Intent intent) {
        Optional<Address> payee = TransactionCodec.decode(intent.transaction().toArray())
                .outputs()
                .get(0)
                .address();
        synchronized (uses) {
            long now = spends.clock.millis();
            Use use = new Use(intent, now);
            uses.stream().filter(earlier -> earlier.txId.equals(use.txId)).forEach(earlier -> earlier.isVoid = true);
            uses.add(use);
            long start = now - spends.limits.period().toMillis();
            if (payee.filter(grantedEarlier::contains).isEmpty()) {
                use.window = uses.stream().filter(counted -> counted.at > start).toList();
            }
        }
    }

    List<Use> uses() {
        synchronized (uses) {
            return uses.stream().filter(use -> !use.isVoid).toList();
        }
    }

    /** Current error of its clock. */
    long wrongMinutes() {
        return wrongMinutes;
    }

    /** Sets its clock wrong, or right again. */
    void errs(long minutes) {
        wrongMinutes += minutes;
    }

    /** Sum of all forward jumps. */
    Duration forward() {
        return Duration.ofMillis(forward);
    }

    List<Intent> inFlight() {
        return SpendHarness.get(spends.store.intents().inFlight());
    }

    /** Intent in its store; empty also when the store is closed, as between a death and the next start. */
    Optional<Intent> intent(Hash256 txId) {
        return Await.result(
                spends.store.intents().find(txId).toCompletableFuture().exceptionally(failure -> Optional.empty()));
    }

    Optional<IntentState> stateOf(Hash256 txId) {
        return intent(txId).map(Intent::state);
    }

    /** Whether only the answer of its token is left of a payment. */
    boolean isKept(Hash256 txId, String token) {
        return Await.result(spends.store.receipts().bound(token, Long.MIN_VALUE))
                .filter(bound ->
                        bound instanceof Bound.ToReceipt kept && kept.txId().equals(txId))
                .isPresent();
    }

    /** Block in which it considers a spend to be; empty also for a buried spend. */
    Optional<Hash256> blockOf(Hash256 txId) {
        return Await.result(
                        spends.store.intents().unburied().toCompletableFuture().exceptionally(closed -> List.of()))
                .stream()
                .filter(spend -> spend.spend().txId().equals(txId))
                .map(spend -> spend.place().map(BlockPlace::blockId).orElse(NO_BLOCK))
                .findFirst();
    }

    /** Whether the spend is buried. A spend that is put back in flight meanwhile is not. */
    boolean isBuried(Hash256 txId) {
        Optional<IntentState> confirmed = Optional.of(IntentState.CONFIRMED);
        return stateOf(txId).equals(confirmed)
                && blockOf(txId).isEmpty()
                && stateOf(txId).equals(confirmed);
    }

    /** Reads from its store while it is stopped. */
    <T> T stopped(Supplier<T> question) {
        try (SqliteStore store = SqliteStore.open(spends.folder())) {
            disk.recover(store);
            spends.store = store;
            return question.get();
        }
    }

    /** Copies the store while it is stopped. */
    void copyStore() {
        copy = Optional.of(StoreCopy.of(spends.folder()));
    }

    Optional<StoreCopy> copyOfStore() {
        return copy;
    }

    /**
     * Records that it has started over an older store, as its operator wanted.
     *
     * @param lacking transactions that the right store had and this one lacks
     */
    void forgets(Collection<Hash256> lacking) {
        forgotten.addAll(lacking);
        copy = Optional.empty();
        synchronized (uses) {
            uses.clear();
        }
    }

    /** Drops the copy; a copy of a store that was restored since is of no use. */
    void dropCopy() {
        copy = Optional.empty();
    }

    boolean hasForgotten(Hash256 txId) {
        return forgotten.contains(txId);
    }

    /** Whether its operator was about to abandon one of these coins at any time. */
    boolean mayBeGivenUp(List<Outpoint> coins) {
        return coins.stream().anyMatch(asked::contains);
    }

    /** Abandons these outpoints and returns the answer; empty when it could not be written. */
    Optional<Abandoned> abandon(List<Outpoint> outpoints) {
        asked.addAll(outpoints);
        try {
            Abandoned answer = SpendHarness.get(spends.spending.abandon(outpoints));
            // A spend whose reservations have ended is abandoned without freeing any coin.
            if (answer.released() > 0 || forward().compareTo(SpendHistory.RESERVATION_TTL) >= 0) {
                givenUp.addAll(outpoints);
            }
            return Optional.of(answer);
        } catch (StoreException | SpendException | NodeException e) {
            givenUp.addAll(outpoints);
            return Optional.empty();
        }
    }

    /** Whether its operator abandoned the spend. */
    boolean isAbandoned(Intent intent) {
        return intent.inputs().stream().map(Coin::outpoint).anyMatch(givenUp::contains);
    }
}
