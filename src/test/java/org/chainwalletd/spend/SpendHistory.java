package org.chainwalletd.spend;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;

/**
 * One random life of a payer: payments with and without tokens, repeated and at once, while answers get lost, come late or from a lagging
 * node, the daemon crashes, the clock jumps, blocks are mined, reorganisations take confirmed payments away or bring what conflicts with
 * them, also while the daemon is stopped, and somebody else spends from the same key. Each payment has a recipient of its own, so whatever
 * is sent can be told apart. At the end each payment that was acknowledged is on the chain, or closed as conflicted or abandoned.
 */
final class SpendHistory {
    private static final int TOKENS = 4;
    private static final Duration TTL = Duration.ofMinutes(10);
    /** All forward jumps together stay below the life of a receipt: an expired token may pay again. */
    private static final long MOST_MINUTES = 55;
    /** Deeper ones reach what is buried. */
    private static final int DEEPEST_REORGANISATION = SpendHarness.BURIAL_DEPTH - 2;

    private final SpendHarness spends;
    private final Random random;
    private final Address payer;
    private final Map<Address, Payment> payments = new ConcurrentHashMap<>();
    private final List<Payment> withToken = new ArrayList<>();
    private final Map<Hash256, Sent> sent = new HashMap<>();
    private final Map<Outpoint, Hash256> lastUser = new HashMap<>();
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private final StringBuilder log = new StringBuilder();
    private long minutesJumped;
    private int recipients;

    /** What one caller wants: at most one transaction may ever be made for it. */
    private final class Payment {
        private final TransferRequest request;
        private final Set<Hash256> transactions = new HashSet<>();
        private final List<CompletableFuture<Receipt>> answers = new ArrayList<>();

        private Payment(String token) {
            Address to = Address.of(
                    Hash256.sha256(payer.toArray(), ("recipient " + recipients++).getBytes(StandardCharsets.UTF_8))
                            .toArray());
            request = SpendHarness.request(payer, to, 300 + random.nextInt(30_000), token);
            payments.put(to, this);
        }

        private void call() {
            answers.add(spends.spending.transfer(request).toCompletableFuture());
        }
    }

    /** A transaction of ours as it was first sent. */
    private record Sent(Transaction tx, long at) {}

    SpendHistory(SpendHarness spends, int key, Random random) {
        this.spends = spends;
        this.random = random;
        this.payer = spends.keys.add(key);
    }

    /** Runs to the end and returns what is wrong with it; nothing when it is as promised. */
    List<String> run() {
        long[] values = random.longs(3 + random.nextInt(6), 1_000, 40_000).toArray();
        spends.fund(payer, values);
        if (random.nextInt(10) > 0) {
            // Else a reorganisation can take the funding away, and most payments with it.
            spends.devnet.mine(DEEPEST_REORGANISATION);
        }
        for (int i = 0; i < TOKENS; i++) {
            withToken.add(new Payment("history-token-" + i));
        }
        spends.node.onSend(this::sent);
        int steps = 10 + random.nextInt(30);
        for (int i = 0; i < steps; i++) {
            step();
        }
        settle();
        return complaints;
    }

    String log() {
        return log.toString();
    }

    private void step() {
        int dice = random.nextInt(100);
        if (dice < 30) {
            say("token call");
            pick(withToken).call();
        } else if (dice < 40) {
            say("plain call");
            new Payment(null).call();
        } else if (dice < 45) {
            say("storm");
            Payment payment = pick(withToken);
            for (int i = 0; i < 20; i++) {
                payment.call();
            }
        } else if (dice < 60) {
            faults();
        } else if (dice < 65) {
            say("mine");
            spends.devnet.mine(1);
        } else if (dice < 69) {
            say("mine and look");
            mineAndLook();
        } else if (dice < 71) {
            say("forget mempool");
            spends.devnet.forgetMempool();
        } else if (dice < 76) {
            reorganise();
        } else if (dice < 79) {
            foreignSpend();
        } else if (dice < 83) {
            say("crash");
            crash();
        } else if (dice < 85) {
            say("stopped");
            spends.crash();
            reorganise();
            spends.start();
            nobodyHears();
        } else if (dice < 89) {
            jump();
        } else if (dice < 92) {
            say("late calls arrive");
            spends.node.deliverLate();
        } else {
            say("wait");
            waitForSome();
        }
    }

    private void faults() {
        List<LedgerNode.Fault> faults = List.of(LedgerNode.Fault.values());
        int percent = random.nextInt(80);
        long seed = random.nextLong();
        say("faults " + percent + " %");
        Random own = new Random(seed);
        spends.node.faults(method -> {
            synchronized (own) {
                return own.nextInt(100) < percent ? faults.get(own.nextInt(faults.size())) : LedgerNode.Fault.NONE;
            }
        });
    }

    /** Mostly long enough for the daemon to notice that payments have confirmed. */
    private void mineAndLook() {
        spends.devnet.mine(1);
        long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(40);
        while (spends.spending.inFlightTransfers() > 0 && System.nanoTime() < patience) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void reorganise() {
        int depth = 1 + random.nextInt(DEEPEST_REORGANISATION);
        boolean keep = random.nextInt(3) == 0;
        List<Transaction> conflicts = random.nextInt(3) == 0 ? conflict(depth) : List.of();
        say((keep ? "reorganisation " : "dropping reorganisation ")
                + depth
                + (conflicts.isEmpty() ? "" : " with conflict"));
        try {
            spends.devnet.reorganise(depth, keep, conflicts);
        } catch (RejectedException e) {
            // The coin itself was made in a block that goes.
            spends.devnet.reorganise(depth, keep, List.of());
        }
    }

    /** Somebody else's spend of a coin of a payment that the last blocks have confirmed. */
    private synchronized List<Transaction> conflict(int depth) {
        long lowest = spends.devnet.ledger().tip().height() - depth;
        return sent.entrySet().stream()
                .filter(entry -> spends.devnet
                        .ledger()
                        .transaction(entry.getKey())
                        .filter(found -> found.blockId() != null && found.height() > lowest)
                        .isPresent())
                .map(entry -> entry.getValue().tx().inputs().get(0))
                .sorted()
                .limit(1)
                .map(this::foreignSpendOf)
                .toList();
    }

    private Transaction foreignSpendOf(Outpoint coin) {
        TxOutput made = spends.devnet
                .ledger()
                .transaction(coin.txId())
                .orElseThrow()
                .tx()
                .outputs()
                .get((int) coin.index());
        Amount rest = made.value().minus(Amount.of(150));
        return spends.keys.spend(
                payer, spends.devnet.genesisId(), coin, TxOutput.toAddress(spends.devnet.minerAddress(), rest));
    }

    private void foreignSpend() {
        List<NodeClient.Utxo> coins = spends.coins(payer);
        if (coins.isEmpty()) {
            return;
        }
        NodeClient.Utxo coin = pick(coins);
        if (coin.value().isLessThan(Amount.of(1_000))) {
            return;
        }
        say("foreign spend");
        TxOutput output =
                TxOutput.toAddress(spends.devnet.minerAddress(), coin.value().minus(Amount.of(500)));
        try {
            spends.devnet.ledger().submit(spends.keys.spend(payer, spends.devnet.genesisId(), coin.outpoint(), output));
        } catch (RejectedException e) {
            say("foreign spend refused");
        }
    }

    private void jump() {
        long minutes = random.nextInt(31) - 10;
        if (minutes > 0 && minutesJumped + minutes > MOST_MINUTES) {
            return;
        }
        minutesJumped += Math.max(0, minutes);
        say("clock jumps " + minutes + " minutes");
        spends.clock.move(Duration.ofMinutes(minutes));
    }

    private void waitForSome() {
        for (Payment payment : payments.values()) {
            payment.answers.forEach(this::await);
        }
        spends.wake();
    }

    /** Callers of the dead process hear nothing any more. */
    private void crash() {
        spends.restart();
        nobodyHears();
    }

    private void nobodyHears() {
        payments.values().forEach(payment -> payment.answers.forEach(answer -> answer.cancel(false)));
    }

    private void await(CompletableFuture<Receipt> answer) {
        try {
            answer.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException | CancellationException e) {
            return;
        } catch (TimeoutException e) {
            complaints.add("a caller was never answered");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private synchronized void sent(Transaction tx) {
        Hash256 txId = TransactionCodec.txId(SpendHarness.PROFILE, tx);
        if (sent.containsKey(txId)) {
            return;
        }
        long now = spends.clock.millis();
        sent.put(txId, new Sent(tx, now));
        Payment payment = tx.outputs().stream()
                .map(TxOutput::address)
                .flatMap(Optional::stream)
                .map(payments::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (payment == null && payer.equals(signer(tx))) {
            complaints.add("transaction " + txId + " pays nobody that was asked for");
        }
        if (payment == null) {
            return;
        }
        if (!payment.transactions.add(txId) | payment.transactions.size() > 1) {
            complaints.add("second transaction for one payment: " + payment.transactions);
        }
        for (Outpoint input : tx.inputs()) {
            Hash256 before = lastUser.put(input, txId);
            if (before != null && !mayBeSpentAgain(before, now)) {
                complaints.add("coin " + input + " selected by " + txId + " while " + before + " was in flight");
            }
        }
    }

    /** An earlier history's last attempts may still be under way: they are not ours. */
    private static Address signer(Transaction tx) {
        return SpendHarness.PROFILE.addressOf(
                PublicKey.of(tx.witnesses().get(0).data().slice(0, PublicKey.LENGTH)));
    }

    /**
     * A coin of a spend that failed, or whose time is over without the mempool having it, is free. One that a reorganisation gave back is
     * not: it belongs to the spend that will be sent again.
     */
    private boolean mayBeSpentAgain(Hash256 txId, long now) {
        boolean closed = spends.store
                .intents()
                .find(txId)
                .toCompletableFuture()
                .join()
                .map(intent -> !intent.state().inFlight() && !intent.state().succeeded())
                .orElse(true);
        return closed || Math.abs(now - sent.get(txId).at()) >= TTL.toMillis() || minutesJumped >= TTL.toMinutes();
    }

    private void settle() {
        say("all faults end");
        spends.node.faults(method -> LedgerNode.Fault.NONE);
        if (random.nextBoolean()) {
            spends.node.deliverLate();
        } else {
            spends.node.dropLate();
        }
        waitForSome();
        if (random.nextBoolean()) {
            crash();
        }
        spends.devnet.mine(1);
        for (Payment payment : withToken) {
            payment.call();
        }
        waitForSome();
        untilNothingIsInFlight();
        payments.values().forEach(this::check);
        if (spends.spending.inFlightUtxos() != 0) {
            complaints.add(spends.spending.inFlightUtxos() + " reservations are left");
        }
        spends.node.onSend(tx -> {});
        spends.node.dropLate();
    }

    private void untilNothingIsInFlight() {
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (spends.spending.inFlightTransfers() > 0
                || spends.spending.inFlightUtxos() > 0
                || !payments.values().stream().allMatch(this::isSettled)) {
            if (System.nanoTime() > patience) {
                complaints.add("still in flight: " + spends.spending.inFlightTransfers());
                return;
            }
            spends.devnet.mine(1);
            spends.wake();
            LockSupport.parkNanos(10_000_000);
            giveUpTheHopeless();
        }
    }

    /**
     * A reorganisation can take away somebody else's transaction that made a coin; when nobody sends that one again, what spends the coin
     * waits for ever. That is what abandoning is for. Coins that our own spends made are the daemon's business, unless such a spend was given
     * up itself.
     */
    private void giveUpTheHopeless() {
        for (Intent intent : SpendHarness.get(spends.store.intents().inFlight())) {
            List<Outpoint> coins = intent.inputs().stream().map(Coin::outpoint).toList();
            if (coins.stream().anyMatch(this::vanishedForGood)) {
                SpendHarness.get(spends.spending.abandon(coins));
            }
        }
    }

    private boolean vanishedForGood(Outpoint coin) {
        return spends.devnet.ledger().transaction(coin.txId()).isEmpty()
                && stateOf(coin.txId())
                        .map(state -> state == IntentState.ABANDONED)
                        .orElse(true);
    }

    private Optional<IntentState> stateOf(Hash256 txId) {
        return SpendHarness.get(spends.store.intents().find(txId)).map(Intent::state);
    }

    /** Whether every receipt that was given for it is worth something, and the daemon knows it. */
    private boolean isSettled(Payment payment) {
        return payment.answers.stream()
                .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                .map(answer -> answer.join().txId())
                .distinct()
                .allMatch(this::isOnTheChainOrClosed);
    }

    private boolean isOnTheChainOrClosed(Hash256 txId) {
        IntentState state = stateOf(txId).orElse(IntentState.CONFIRMED);
        boolean mined = spends.devnet
                .ledger()
                .transaction(txId)
                .filter(found -> found.blockId() != null)
                .isPresent();
        return state == IntentState.CONFIRMED && mined
                || state == IntentState.CONFLICTED
                || state == IntentState.ABANDONED;
    }

    private void check(Payment payment) {
        long confirmed = payment.transactions.stream()
                .filter(txId -> spends.devnet.ledger().transaction(txId).isPresent())
                .count();
        if (confirmed > 1) {
            complaints.add("paid twice: " + payment.transactions);
        }
        if (payment.answers.isEmpty()) {
            return;
        }
        CompletableFuture<Receipt> last = payment.answers.get(payment.answers.size() - 1);
        boolean success = last.isDone() && !last.isCompletedExceptionally();
        if (!isSettled(payment)) {
            complaints.add("acknowledged, but neither on the chain nor closed: "
                    + payment.transactions.stream()
                            .map(txId -> txId + " " + stateOf(txId))
                            .toList());
        }
        if (success && !payment.transactions.contains(last.join().txId())) {
            complaints.add(
                    "the receipt names another transaction: " + last.join().txId());
        }
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private void say(String what) {
        log.append(what).append("; ");
    }

    /** Runs histories over one chain after the other; prints and returns the complaints with what leads to them. */
    static List<String> runMany(Path folder, long seed, int histories) {
        List<String> all = new ArrayList<>();
        int perChain = 50;
        for (int begun = 0; begun < histories; begun += perChain) {
            Path chain = folder.resolve("chain-" + begun);
            try (SpendHarness spends = new SpendHarness(chain.resolve("start"))) {
                spends.start();
                for (int i = begun; i < Math.min(histories, begun + perChain); i++) {
                    spends.crash();
                    spends.startOver(chain.resolve("history-" + i));
                    SpendHistory history = new SpendHistory(spends, 1 + i % perChain, new Random(seed + i));
                    List<String> complaints = history.run();
                    if (!complaints.isEmpty()) {
                        all.add("history with seed " + (seed + i) + ": " + complaints + " after " + history.log());
                    }
                }
            }
        }
        return all;
    }
}
