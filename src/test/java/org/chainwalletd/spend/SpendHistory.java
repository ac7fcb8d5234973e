package org.chainwalletd.spend;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;

/**
 * Random history of one payer, with one daemon or two daemons that share its key: payments with and without tokens, repeated, under other
 * tokens, concurrent, and abandoned, while answers get lost, arrive late or come from a lagging node, nodes return false data, disks fail,
 * daemons crash, clocks jump, stores are lost, blocks are mined, reorganisations remove confirmed payments or bring conflicting
 * transactions (also while a daemon is stopped), and another party spends from the same key. {@link SpendJudge} checks the promises.
 */
final class SpendHistory {
    static final Duration RESERVATION_TTL = Duration.ofMinutes(10);

    private static final int TOKENS = 4;
    /** Without large jumps, all forward jumps together stay below the lifetime of a receipt. */
    private static final long MOST_MINUTES = 55;

    /** Time for which a settled payment is kept complete. */
    private static final long WHOLE_MINUTES =
            SpendHarness.RECEIPT_TTL.dividedBy(2).toMinutes() + 1;

    private static final Duration CAP_PERIOD = Duration.ofHours(24);
    /** Deeper reorganisations would reach buried blocks. */
    private static final int DEEPEST_REORGANISATION = SpendHarness.BURIAL_DEPTH - 2;

    private final Random random;
    private final SpendHarness chain;
    private final Address payer;
    private final SpendJudge judge;
    private final List<HistoryDaemon> daemons = new ArrayList<>();
    private final List<SpendJudge.Wish> withToken = new ArrayList<>();
    private final List<List<Outpoint>> givenUp = new ArrayList<>();
    private final StringBuilder log = new StringBuilder();
    private final boolean greatJumps;
    private final boolean failingDisks;
    private int recipients;
    private int tokens;

    /**
     * @param daemons stopped; each is started over an empty store
     */
    SpendHistory(List<SpendHarness> harnesses, Path folder, int key, Random random) {
        this.random = random;
        this.chain = harnesses.get(0);
        this.payer = chain.keys.add(key);
        this.judge = new SpendJudge(chain, payer);
        this.greatJumps = random.nextInt(3) == 0;
        this.failingDisks = random.nextInt(3) == 0;
        boolean lies = random.nextInt(3) == 0;
        boolean beside = random.nextInt(4) == 0;
        for (SpendHarness harness : harnesses.subList(0, beside ? 2 : 1)) {
            HistoryDaemon daemon = new HistoryDaemon(harness, own(), cap(), CAP_PERIOD, beside);
            if (lies) {
                daemon.asksLiar(own(), 10 + random.nextInt(60), random.nextBoolean());
            }
            daemons.add(daemon);
            harness.startOver(folder.resolve("daemon-" + daemons.size()));
            harness.node.onSend(tx -> judge.sent(daemon, tx));
            daemon.disk.onOpen(intent -> judge.opens(daemon, intent));
        }
        say(daemons.size()
                + (lies ? " lied to" : "")
                + (failingDisks ? " with failing disks" : "")
                + (greatJumps ? " and great jumps" : ""));
    }

    private Random own() {
        return new Random(random.nextLong());
    }

    private Optional<Amount> cap() {
        return random.nextBoolean() ? Optional.empty() : Optional.of(Amount.of(20_000 + random.nextInt(80_000)));
    }

    /** Runs to the end and returns the violations of the promises; empty when there are none. Stops the daemons. */
    List<String> run() {
        chain.fund(payer, random.longs(3 + random.nextInt(6), 1_000, 40_000).toArray());
        if (random.nextInt(10) > 0) {
            // Otherwise a reorganisation could remove the funding, and most payments with it.
            chain.devnet.mine(DEEPEST_REORGANISATION);
        }
        for (int i = 0; i < TOKENS; i++) {
            withToken.add(another());
        }
        int steps = 10 + random.nextInt(30);
        for (int i = 0; i < steps; i++) {
            step();
        }
        settle();
        daemons.forEach(daemon -> daemon.spends.crash());
        return judge.complaints();
    }

    String log() {
        return log.toString();
    }

    private void step() {
        int dice = random.nextInt(127);
        if (dice < 28) {
            say("token call");
            pick(withToken).call();
        } else if (dice < 36) {
            say("plain call");
            plain().call();
        } else if (dice < 41) {
            say("storm");
            SpendJudge.Wish wish = pick(withToken);
            for (int i = 0; i < 20; i++) {
                wish.call();
            }
        } else if (dice < 47) {
            say("another token");
            withToken.add(another());
            withToken.get(withToken.size() - 1).call();
        } else if (dice < 60) {
            faults();
        } else if (dice < 69) {
            abandon();
        } else if (dice < 75) {
            jump();
        } else if (dice < 77) {
            lieAboutTip();
        } else if (dice < 82) {
            say("late calls arrive");
            pick(daemons).spends.node.deliverLate();
        } else if (dice < 90) {
            say("wait");
            waitForSome();
        } else {
            chainMoves(dice - 90);
        }
    }

    private void chainMoves(int dice) {
        if (dice < 5) {
            say("mine");
            chain.devnet.mine(1);
        } else if (dice < 9) {
            say("mine and look");
            mineAndLook();
        } else if (dice < 10) {
            say("bury");
            chain.devnet.mine(SpendHarness.BURIAL_DEPTH);
        } else if (dice < 12) {
            say("forget mempool");
            chain.devnet.forgetMempool();
        } else if (dice < 17) {
            reorganise();
        } else if (dice < 20) {
            foreignSpend();
        } else if (dice < 26) {
            say("crash");
            crash(pick(daemons));
        } else if (dice < 30) {
            say("stopped");
            HistoryDaemon daemon = pick(daemons);
            daemon.spends.crash();
            reorganise();
            daemon.spends.start();
            nobodyHears(daemon);
        } else if (dice < 34) {
            storeMoves(pick(daemons));
        } else {
            growOld(pick(daemons));
        }
    }

    /** Makes all payments buried and old enough for their receipts to replace them, which a start does first. */
    private void growOld(HistoryDaemon daemon) {
        say("bury and grow old");
        chain.devnet.mine(SpendHarness.BURIAL_DEPTH);
        long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(40);
        while (!SpendHarness.get(daemon.spends.store.intents().unburied()).isEmpty() && System.nanoTime() < patience) {
            Await.pause(1);
        }
        jump(daemon, WHOLE_MINUTES);
        crash(daemon);
        if (random.nextBoolean()) {
            withToken.forEach(SpendJudge.Wish::call);
        }
    }

    /** Copies the store, replaces the current store with the copy, or removes the store. */
    private void storeMoves(HistoryDaemon daemon) {
        daemon.spends.crash();
        List<Hash256> known = daemon.stopped(() -> judge.knownTo(daemon));
        if (daemon.copyOfStore().isEmpty()) {
            say("copy of the store");
            daemon.copyStore();
            daemon.spends.start();
        } else {
            startOverAnother(daemon, random.nextInt(4) == 0, known);
        }
        nobodyHears(daemon);
    }

    /**
     * Starts over a different store: the daemon must not start over a store that lacks payments, until the right store is found again or
     * the operator declares it lost.
     */
    private void startOverAnother(HistoryDaemon daemon, boolean gone, List<Hash256> known) {
        say(gone ? "store gone" : "older store");
        StoreCopy newest = StoreCopy.of(daemon.spends.folder());
        if (gone) {
            StoreCopy.remove(daemon.spends.folder());
        } else {
            daemon.copyOfStore().orElseThrow().putBack();
        }
        if (startsAsUsual(daemon)) {
            judge.startedOver(daemon, known);
        } else if (random.nextInt(4) > 0) {
            newest.putBack();
            daemon.spends.start();
        } else {
            restore(daemon, known);
        }
    }

    /** Whether it starts normally; if its store lacks payments, it does not start, or spends nothing. */
    private boolean startsAsUsual(HistoryDaemon daemon) {
        try {
            daemon.spends.start();
        } catch (StoreException refused) {
            return false;
        }
        boolean spends = daemon.spends.store.stopped().isEmpty();
        if (!spends) {
            daemon.spends.crash();
        }
        return spends;
    }

    /** Handles a lost store. Payments known from the log count as known; unknown ones are paid again. */
    private void restore(HistoryDaemon daemon, List<Hash256> known) {
        boolean logged = random.nextBoolean();
        say("restored with" + (logged ? "" : "out") + " the log");
        daemon.disk.forget();
        if (logged) {
            daemon.spends.startRestored(false);
            judge.unknownTo(daemon, known).forEach(txId -> judge.complain("a restored store does not know " + txId));
            daemon.dropCopy();
        } else {
            StoreCopy.damageLog(daemon.spends.folder());
            daemon.spends.drawing = daemon.spends.drawing.marking();
            daemon.spends.startRestored(true);
            daemon.forgets(judge.unknownTo(daemon, known));
        }
    }

    private HistoryDaemon daemon() {
        return pick(daemons);
    }

    /** Creates a payment under a new token: to a new recipient, or identical to an earlier one. */
    private SpendJudge.Wish another() {
        return wish("history-token-" + tokens++);
    }

    private SpendJudge.Wish plain() {
        return wish(null);
    }

    private SpendJudge.Wish wish(String token) {
        if (!withToken.isEmpty() && random.nextInt(3) == 0) {
            SpendJudge.Wish same = pick(withToken);
            return judge.wish(daemon(), same.to(), same.amount().bits(), token);
        }
        byte[] seed = ("recipient " + recipients++).getBytes(StandardCharsets.UTF_8);
        Address to = Address.of(Hash256.sha256(payer.toArray(), seed).toArray());
        return judge.wish(daemon(), to, 300 + random.nextInt(30_000), token);
    }

    private void faults() {
        List<LedgerNode.Fault> faults = List.of(LedgerNode.Fault.values());
        int percent = random.nextInt(80);
        Random own = own();
        HistoryDaemon daemon = daemon();
        int commits = failingDisks ? random.nextInt(60) : 0;
        say("faults " + percent + " %" + (failingDisks ? ", of commits " + commits + " %" : ""));
        daemon.disk.fails(commits);
        daemon.spends.node.faults(method -> {
            synchronized (own) {
                return own.nextInt(100) < percent ? faults.get(own.nextInt(faults.size())) : LedgerNode.Fault.NONE;
            }
        });
    }

    /** Abandons payments in flight, or ones abandoned before; then often repeats the payment under another token, and the old token. */
    private void abandon() {
        HistoryDaemon daemon = daemon();
        List<Intent> open = daemon.inFlight();
        boolean again = !givenUp.isEmpty() && random.nextInt(3) == 0;
        if (open.isEmpty() && !again) {
            return;
        }
        Optional<Intent> chosen = again ? Optional.empty() : Optional.of(pick(open));
        List<Outpoint> outpoints = chosen.map(this::someInputs).orElseGet(() -> pick(givenUp));
        if (random.nextInt(3) > 0) {
            // A payment that a node has is not abandoned.
            chain.devnet.forgetMempool();
        }
        Optional<Abandoned> answer = daemon.abandon(outpoints);
        say((again ? "abandon again " : "abandon ") + answer.map(Abandoned::released));
        givenUp.add(outpoints);
        chosen.flatMap(Intent::token).ifPresent(token -> repeat(daemon, token.token()));
    }

    private List<Outpoint> someInputs(Intent intent) {
        List<Outpoint> all = intent.inputs().stream().map(Coin::outpoint).toList();
        return random.nextBoolean() ? all : List.of(pick(all));
    }

    private void repeat(HistoryDaemon daemon, String token) {
        SpendJudge.Wish old = withToken.stream()
                .filter(wish -> wish.request.clientToken().equals(Optional.of(token)))
                .findFirst()
                .orElseThrow();
        if (random.nextBoolean()) {
            say("the same under another token");
            withToken.add(judge.wish(daemon, old.to(), old.amount().bits(), "history-token-" + tokens++));
            withToken.get(withToken.size() - 1).call();
        }
        if (random.nextBoolean()) {
            say("the old token again");
            old.call();
        }
    }

    /** Mines and usually waits long enough for the daemons to notice confirmations. */
    private void mineAndLook() {
        chain.devnet.mine(1);
        long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(40);
        while (daemons.stream().anyMatch(daemon -> daemon.spends.spending.inFlightTransfers() > 0)
                && System.nanoTime() < patience) {
            Await.pause(1);
        }
    }

    private void reorganise() {
        int depth = 1 + random.nextInt(DEEPEST_REORGANISATION);
        boolean keep = random.nextInt(3) == 0;
        List<Transaction> conflicts = random.nextInt(3) == 0 ? conflict(depth) : List.of();
        say((keep ? "reorganisation " : "dropping reorganisation ")
                + depth
                + (conflicts.isEmpty() ? "" : " with conflict"));
        judge.reorganised();
        chain.reorganise(depth, keep, conflicts);
    }

    /** Builds another party's spend of a coin of a payment that the last blocks have confirmed. */
    private List<Transaction> conflict(int depth) {
        return judge.minedAbove(chain.devnet.ledger().tip().height() - depth).stream()
                .limit(1)
                .map(this::foreignSpendOf)
                .toList();
    }

    private Transaction foreignSpendOf(Outpoint coin) {
        TxOutput made = chain.devnet
                .ledger()
                .transaction(coin.txId())
                .orElseThrow()
                .tx()
                .outputs()
                .get((int) coin.index());
        return foreign(coin, made.value().minus(Amount.of(150)));
    }

    private Transaction foreign(Outpoint coin, Amount rest) {
        judge.spentByOther(coin);
        return chain.keys.spend(
                payer, chain.devnet.genesisId(), coin, TxOutput.toAddress(chain.devnet.minerAddress(), rest));
    }

    private void foreignSpend() {
        List<NodeClient.Utxo> coins = chain.coins(payer);
        if (coins.isEmpty()) {
            return;
        }
        NodeClient.Utxo coin = pick(coins);
        if (coin.value().isLessThan(Amount.of(1_000))) {
            return;
        }
        say("foreign spend");
        try {
            chain.devnet.ledger().submit(foreign(coin.outpoint(), coin.value().minus(Amount.of(500))));
        } catch (RejectedException e) {
            say("foreign spend refused");
            return;
        }
        // Does not use the random source, so that the rest of the history stays the same for a seed.
        if (coin.value().bits() % 2 == 0) {
            listSpentCoins();
        }
    }

    /** Mines another party's spends that nodes still list as coins: payments with and without tokens take them, until other faults are set. */
    private void listSpentCoins() {
        say("spent coins are listed");
        chain.devnet.mine(1);
        daemons.forEach(daemon -> daemon.spends.node.fault("get_address_utxos", LedgerNode.Fault.LAGGING));
        withToken.forEach(SpendJudge.Wish::call);
    }

    /** Corrects a clock, or moves it beyond the lifetime of a token and the period of the cap, in either direction. */
    private void jump() {
        HistoryDaemon daemon = daemon();
        long minutes = random.nextInt(31) - 10;
        if (greatJumps && random.nextInt(3) > 0) {
            // Each clock error is corrected in the end.
            minutes = daemon.wrongMinutes() == 0
                    ? (random.nextInt(3) > 0 ? 1 : -1) * (61 + random.nextInt(3 * 24 * 60))
                    : -daemon.wrongMinutes();
            daemon.errs(minutes);
        }
        jump(daemon, minutes);
    }

    private void jump(HistoryDaemon daemon, long minutes) {
        if (!greatJumps && minutes > 0 && daemon.forward().toMinutes() + minutes > MOST_MINUTES) {
            return;
        }
        say("clock jumps " + minutes + " minutes");
        // Old records may be forgotten, after which nobody can tell whose payment they were.
        judge.knownTo(daemon);
        daemon.underWay(judge.underWay(daemon));
        daemon.move(Duration.ofMinutes(minutes));
    }

    private void lieAboutTip() {
        HistoryDaemon daemon = daemon();
        if (daemon.isLiedTo()) {
            say("lie about the tip");
            daemon.spends.claimTip(random.nextBoolean() ? -1 : random.nextInt(1_000_000));
        }
    }

    private void waitForSome() {
        for (SpendJudge.Wish wish : judge.all()) {
            wish.answers().forEach(this::await);
        }
        daemons.forEach(daemon -> daemon.spends.wake());
    }

    private void await(CompletableFuture<Receipt> answer) {
        try {
            answer.get(1, TimeUnit.MINUTES);
        } catch (ExecutionException | CancellationException e) {
            return;
        } catch (TimeoutException e) {
            judge.complain("a caller was never answered");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void crash(HistoryDaemon daemon) {
        daemon.spends.restart();
        nobodyHears(daemon);
    }

    /** Drops the callers of the dead process, who get no more answers. */
    private void nobodyHears(HistoryDaemon daemon) {
        judge.all().stream()
                .filter(wish -> wish.daemon == daemon)
                .forEach(wish -> wish.answers().forEach(answer -> answer.cancel(false)));
    }

    private void settle() {
        say("all faults end");
        daemons.forEach(daemon -> daemon.calm(random.nextBoolean()));
        waitForSome();
        if (random.nextBoolean()) {
            daemons.forEach(this::crash);
        }
        chain.devnet.mine(1);
        withToken.forEach(SpendJudge.Wish::call);
        waitForSome();
        untilNothingIsInFlight();
        judge.verdict(daemons);
        for (HistoryDaemon daemon : daemons) {
            if (daemon.spends.spending.inFlightUtxos() != 0) {
                judge.complain(daemon.spends.spending.inFlightUtxos() + " reservations are left; in the store "
                        + SpendHarness.get(daemon.spends.store.reservations().all()) + " of " + daemon.inFlight());
            }
            daemon.spends.node.onSend(tx -> {});
            daemon.spends.node.dropLate();
        }
    }

    private void untilNothingIsInFlight() {
        long patience = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!isOver()) {
            if (System.nanoTime() > patience) {
                daemons.forEach(
                        daemon -> judge.complain("still in flight: " + daemon.spends.spending.inFlightTransfers()));
                return;
            }
            chain.devnet.mine(1);
            daemons.forEach(daemon -> daemon.spends.wake());
            Await.pause(10);
            daemons.forEach(this::giveUpTheHopeless);
        }
    }

    private boolean isOver() {
        return daemons.stream().noneMatch(SpendHistory::isBusy)
                && judge.all().stream().allMatch(judge::isSettled);
    }

    private static boolean isBusy(HistoryDaemon daemon) {
        return daemon.spends.spending.inFlightTransfers() > 0 || daemon.spends.spending.inFlightUtxos() > 0;
    }

    /**
     * Abandons payments that can never confirm. A reorganisation can remove another party's transaction that created a coin; if nobody
     * sends that transaction again, the spend of the coin waits forever and must be abandoned. Coins created by our own spends are the
     * daemon's responsibility, unless such a spend was itself abandoned, or was made by another daemon.
     */
    private void giveUpTheHopeless(HistoryDaemon daemon) {
        List<Intent> open = daemon.inFlight();
        if (open.stream().noneMatch(intent -> intent.state().inFlight()) && !open.isEmpty()) {
            // A partly abandoned payment keeps its other coins reserved until they time out.
            daemon.move(RESERVATION_TTL.plusMinutes(1));
        }
        for (Intent intent : open) {
            List<Outpoint> coins = intent.inputs().stream().map(Coin::outpoint).toList();
            if (coins.stream().anyMatch(coin -> vanishedForGood(daemon, coin))
                    && daemon.abandon(coins).map(Abandoned::released).orElse(0) == 0) {
                // A coin that was freed, and taken again under the old token, can be freed again only after a while.
                daemon.move(RESERVATION_TTL.plusMinutes(1));
            }
        }
    }

    private boolean vanishedForGood(HistoryDaemon daemon, Outpoint coin) {
        return chain.devnet.ledger().transaction(coin.txId()).isEmpty()
                && daemon.stateOf(coin.txId())
                        .map(state -> state == IntentState.ABANDONED || state == IntentState.CONTESTED)
                        .orElse(true);
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private void say(String what) {
        log.append(what).append("; ");
    }

    /** Runs histories over one chain after the other; returns the complaints with their steps. */
    static List<String> runMany(Path folder, long seed, int seeds, int times) {
        List<String> all = new ArrayList<>();
        int perChain = 50;
        int histories = seeds * times;
        for (int begun = 0; begun < histories; begun += perChain) {
            Path chain = folder.resolve("chain-" + begun);
            try (SpendHarness first = new SpendHarness(chain);
                    SpendHarness second = new SpendHarness(chain, first)) {
                for (int i = begun; i < Math.min(histories, begun + perChain); i++) {
                    HangWatch.alive();
                    SpendHistory history = new SpendHistory(
                            List.of(first, second),
                            chain.resolve("history-" + i),
                            1 + i % perChain,
                            new Random(seed + i / times));
                    List<String> complaints = history.run();
                    if (!complaints.isEmpty()) {
                        String told = "history with seed " + (seed + i / times) + ": " + complaints + " after "
                                + history.log();
                        System.out.println(told);
                        all.add(told);
                    }
                }
                System.out.println(Math.min(histories, begun + perChain) + " histories, " + all.size() + " complaints");
            }
        }
        return all;
    }
}
