package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.SweepStore.OwnedCoin;
import org.chainwalletd.store.SweepStore.Part;
import org.chainwalletd.store.SweepStore.PartSpend;
import org.chainwalletd.store.SweepStore.PartState;
import org.chainwalletd.store.SweepStore.State;
import org.chainwalletd.store.SweepStore.Sweep;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.sweep.Sweeps.Report;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sweeps that are killed at each crash point of the store, one after the other, and random histories of sweeps: kills, lost answers,
 * refusals, reorganisations (also with rivals of a part), a cap, an ended token, permanently stopped sweeps, transfers of the same coins
 * and with the same tokens, an older store or none. In the end the parts of each sweep are those reported first, no part was ever made as
 * two transactions, and each part is on the chain, or another transaction has spent a coin of it.
 */
class SweepHistoryTest {
    private static final int STEPS = 25;
    /** Makes parts of about five coins. */
    private static final Optional<Amount> MAX_FEE = Optional.of(Amount.of(400));

    @TempDir
    Path folder;

    /** Crash points of the store that no sweep passes are skipped. */
    @Test
    void a_sweep_that_dies_at_any_step_moves_each_coin_once_and_the_repeated_call_answers_the_same() {
        Map<CrashPoint, Integer> deaths = new EnumMap<>(CrashPoint.class);
        try (SweepRig rig = new SweepRig(folder);
                StoreDeath death = new StoreDeath(folder)) {
            rig.before = real -> death.before(SweepStore.class, real);
            rig.spends.before = death::before;
            rig.spends.node.faults(method -> death.isDead() ? LedgerNode.Fault.LOST_QUESTION : LedgerNode.Fault.NONE);
            rig.start();
            int number = 0;
            for (CrashPoint point : StoreDeath.OF_SPENDS) {
                boolean died = true;
                for (int passage = 1; died && passage <= 6; passage++) {
                    HangWatch.alive();
                    number++;
                    died = diesAndGoesOn(rig, death, point, passage, number);
                    if (died) {
                        deaths.merge(point, 1, Integer::sum);
                    }
                }
            }
        }
        assertThat(deaths)
                .containsKeys(
                        CrashPoint.SPEND_BEFORE_INTENT,
                        CrashPoint.SPEND_AFTER_INTENT,
                        CrashPoint.SPEND_AFTER_BROADCAST,
                        CrashPoint.SPEND_AFTER_OUTCOME,
                        CrashPoint.STORE_LOGGED,
                        CrashPoint.STORE_BEFORE_COMMIT,
                        CrashPoint.STORE_AFTER_COMMIT);
    }

    private static boolean diesAndGoesOn(SweepRig rig, StoreDeath death, CrashPoint point, int passage, int number) {
        rig.to = PayoutRig.recipient(100 + number);
        Address one = rig.spends.funded(10 + 2 * number, SweepRig.values(4, 1_000 + number));
        Address two = rig.spends.funded(11 + 2 * number, SweepRig.values(6, 2_000 + number));
        String token = "sweep-" + point + "-" + passage;
        death.arm(point, passage);
        CompletableFuture<Report> first = rig.sweep(token, MAX_FEE, one, two).toCompletableFuture();
        rival(rig, one, token + "-rival-1");
        Await.until("an answer, or death", () -> first.isDone() || death.isDead());
        boolean died = death.isDead();
        death.disarm();
        if (died) {
            rig.spends.crash();
            death.putBack();
            rig.start();
        }
        rival(rig, two, token + "-rival-2");
        Sweep again = SpendHarness.get(rig.sweep(token, MAX_FEE, one, two)).sweep();
        rival(rig, one, token + "-rival-3");
        // A part that met a rival while choosing its coins is tried again after a while.
        rig.spends.awaitAwake("each part has a spend", () -> rig.stored(token).state() == State.DONE);
        // A part whose process died between intent and send is resent when the next process looks at it.
        Await.until("each part is mined", () -> {
            rig.spends.devnet.mine(1);
            rig.spends.wake();
            return rig.stored(token).parts().stream().noneMatch(PartState::isUnfinished);
        });
        Sweep after = SpendHarness.get(rig.sweep(token, MAX_FEE, one, two)).sweep();

        String what = point + " at passage " + passage;
        assertThat(after.parts().size()).as(what).isGreaterThan(1);
        assertThat(partsOf(after)).as(what).isEqualTo(partsOf(again));
        assertThat(after.parts())
                .as(what)
                .allSatisfy(
                        part -> assertThat(part.spend().orElseThrow().state()).contains(IntentState.CONFIRMED));
        assertThat(rig.spends.coins(rig.to)).as(what).hasSameSizeAs(after.parts());
        assertThat(rig.arrived()).as(what).isEqualTo(sum(after) - SweepRig.fees(after));
        return died;
    }

    private static long sum(Sweep sweep) {
        return partsOf(sweep).stream()
                .flatMap(part -> part.coins().stream())
                .mapToLong(each -> SweepRig.number(each.coin().value()))
                .sum();
    }

    /** Makes a payment from an address that is being swept: it takes a coin before that is planned, or a new one, or none. */
    private static void rival(SweepRig rig, Address from, String token) {
        rig.spends
                .spending
                .transfer(SpendHarness.request(from, PayoutRig.recipient(97), 500, token))
                .exceptionallyAsync(failure -> null, rig.spends.executor);
    }

    private static List<Part> partsOf(Sweep sweep) {
        return sweep.parts().stream().map(PartState::part).toList();
    }

    /** {@code -Dsweep.histories=1000} takes long. */
    @Test
    void each_coin_moves_at_most_once_whatever_happens_and_parts_are_never_others() {
        run("sweep history", Integer.getInteger("sweep.histories", 4), StorePlace::file);
    }

    /** {@code -Dsweep.server.histories=1000} takes long. */
    @Test
    void each_coin_moves_at_most_once_whatever_happens_to_a_server() {
        run("server sweep history", Integer.getInteger("sweep.server.histories", 2), StorePlace::server);
    }

    private void run(String name, int histories, Supplier<StorePlace> places) {
        MoneyHistory.runMany(name, histories, folder, places, History::new);
    }

    /** Runs a single history. */
    private static final class History extends MoneyHistory {
        private static final Duration PERIOD = Duration.ofHours(6);
        private static final int PAYERS = 3;

        private final SweepRig rig;
        private final List<Address> payers = new ArrayList<>();
        /** Requested sweeps by token, with the addresses of the request. */
        private final Map<String, Address[]> asked = new TreeMap<>();
        /** Parts as first reported. */
        private final Map<String, List<Part>> told = new HashMap<>();
        /** Transactions of each part, by the part's token. */
        private final Map<String, Set<Hash256>> built = new ConcurrentHashMap<>();

        /** Tokens of parts that an answer of {@code sweep_stop} reported as ended. */
        private final Set<String> ended = new HashSet<>();

        /** Numbers of the spends reported to a reader of pages. */
        private final List<Long> read = new ArrayList<>();

        private final List<Intent> opened = new CopyOnWriteArrayList<>();
        private final List<Intent> thefts = new CopyOnWriteArrayList<>();

        History(Path folder, StorePlace place, Random random) {
            this(new SweepRig(folder), folder, place, random);
        }

        private History(SweepRig rig, Path folder, StorePlace place, Random random) {
            super(rig.spends, folder, place, random);
            this.rig = rig;
            Optional<Amount> cap =
                    random.nextBoolean() ? Optional.empty() : Optional.of(Amount.of(20_000 + random.nextInt(50_000)));
            rig.spends.limits = new AllowanceStore.Limits(Optional.empty(), cap, PERIOD);
            rig.spends.before = real -> death.before(noting(real));
            rig.before = real -> death.before(SweepStore.class, real);
            rig.start();
            for (int i = 0; i < PAYERS; i++) {
                payers.add(rig.spends.funded(11 + i, SweepRig.values(4 + random.nextInt(8), 2_000 + 100 * i)));
            }
            bury();
            faults(LedgerNode.Fault.NONE);
            steps.add("cap " + cap);
        }

        /** Records every intent that is opened, or may have been. */
        private IntentStore noting(IntentStore real) {
            return Stub.of(IntentStore.class, call -> {
                if (call.name().equals("open")) {
                    note((Intent) call.arguments()[0]);
                }
                Object answer = call.on(real);
                return call.name().equals("open")
                        ? judged((Intent) call.arguments()[0], (CompletionStage<?>) answer)
                        : answer;
            });
        }

        /** Detects when a spend was opened with a coin that a running sweep is going to move in a part of its own. */
        private CompletionStage<?> judged(Intent intent, CompletionStage<?> answer) {
            Optional<String> token = intent.token().map(TokenBinding::token);
            ReservationStore reservations = rig.spends.store.reservations();
            return answer.thenApplyAsync(
                    opening -> {
                        boolean stolen = opening instanceof Opening.Opened
                                && intent.inputs().stream()
                                        .anyMatch(coin -> reservations.isPlannedByOther(coin.outpoint(), token));
                        if (stolen) {
                            thefts.add(intent);
                        }
                        return opening;
                    },
                    rig.spends.executor);
        }

        private void note(Intent intent) {
            opened.add(intent);
            if (intent.kind().equals(SweepStore.KIND)) {
                built.computeIfAbsent(intent.token().orElseThrow().token(), none -> ConcurrentHashMap.newKeySet())
                        .add(intent.txId());
            }
        }

        private void bury() {
            rig.spends.devnet.mine(SpendHarness.BURIAL_DEPTH);
            rig.spends.awaitFollowed();
        }

        @Override
        void run() {
            for (int i = 0; i < STEPS; i++) {
                step(random.nextInt(21));
                rig.spends.clock.advance(SpendHarness.LONGEST_LOOK);
                rig.spends.rumour();
                readOn();
                if (death.isDead()) {
                    die();
                }
            }
            finish();
        }

        /** Reads the next page of own payments, the only pages that a reader behind {@code list_spends} gets. */
        private int readOn() {
            List<Long> page = new ArrayList<>();
            quietly(() -> get(rig.spends
                            .store
                            .history()
                            .after(read.isEmpty() ? 0 : read.get(read.size() - 1), 1 + random.nextInt(5)))
                    .forEach(spend -> page.add(spend.number())));
            read.addAll(page);
            return page.size();
        }

        private void step(int kind) {
            steps.add(String.valueOf(kind));
            switch (kind) {
                case 0, 1, 2 -> begin();
                case 3, 4 -> repeat();
                case 5, 6 -> rig.spends.devnet.mine(1 + random.nextInt(2));
                case 7, 8 -> reorganise();
                case 9 -> die();
                case 10, 11 -> armDeath();
                case 12 -> faults(LedgerNode.Fault.values()[random.nextInt(LedgerNode.Fault.values().length)]);
                case 13 -> rig.spends.node.refuseSends("Transaction validation failed: whatever");
                case 14 -> heal();
                case 15 -> transfer();
                case 16 -> storeMoves();
                case 17 -> {
                    if (!rig.ended.remove(SweepRig.OWNER)) {
                        rig.ended.add(SweepRig.OWNER);
                    }
                }
                case 18 -> foreignSpend();
                case 19 -> stop();
                default -> {
                    rig.spends.clock.advance(Duration.ofMinutes(random.nextInt(200)));
                    rig.spends.devnet.forgetMempool();
                    rig.spends.fund(payer(), 1_500 + random.nextInt(1_000), 1_700);
                }
            }
        }

        private Address payer() {
            return payers.get(random.nextInt(payers.size()));
        }

        private void begin() {
            List<Address> some =
                    payers.stream().filter(each -> random.nextInt(3) > 0).toList();
            String token = "sweep-token-" + (1 + random.nextInt(50));
            List<Address[]> before = List.copyOf(asked.values());
            // Another sweep of the same addresses makes the same transactions when its coins are the same.
            Address[] from = !before.isEmpty() && random.nextBoolean()
                    ? before.get(random.nextInt(before.size()))
                    : some.isEmpty() ? new Address[] {payer()} : some.toArray(new Address[0]);
            asked.putIfAbsent(token, from);
            call(token);
        }

        private void repeat() {
            List<String> tokens = new ArrayList<>(asked.keySet());
            if (!tokens.isEmpty()) {
                call(tokens.get(random.nextInt(tokens.size())));
            }
        }

        private void call(String token) {
            quietly(() -> {
                Sweep sweep = get(rig.sweep(token, MAX_FEE, asked.get(token))).sweep();
                assertThat(partsOf(sweep)).as(this + ": " + token).isEqualTo(told.getOrDefault(token, partsOf(sweep)));
                told.put(token, partsOf(sweep));
            });
        }

        /** Ends a sweep permanently; its parts without a spend never get one. */
        private void stop() {
            List<String> tokens = new ArrayList<>(asked.keySet());
            if (tokens.isEmpty()) {
                return;
            }
            String token = tokens.get(random.nextInt(tokens.size()));
            quietly(() -> get(rig.sweeps.stop(token))
                    .ifPresent(report -> report.sweep().parts().stream()
                            .filter(PartState::ended)
                            .forEach(part -> ended.add(SweepStore.partToken(
                                    report.sweep().id(), part.part().number())))));
        }

        /** Makes a transfer, also with the token of a sweep, as a worker does that falls back from one method to the other. */
        private void transfer() {
            String token = "sweep-token-" + (1 + random.nextInt(50));
            Address payer = payer();
            quietly(() -> {
                get(rig.spends.spending.transfer(SpendHarness.request(payer, PayoutRig.recipient(98), 1_000, token)));
                assertThat(told).as(this + ": the token of a sweep has paid").doesNotContainKey(token);
            });
        }

        /** Reorganises, and sometimes lets a rival of a part replace it. */
        private void reorganise() {
            int depth = 1 + random.nextInt(SpendHarness.BURIAL_DEPTH - 1);
            boolean keep = random.nextBoolean();
            List<Transaction> rivals = new ArrayList<>();
            if (!opened.isEmpty() && !random.nextBoolean()) {
                Intent last = opened.get(opened.size() - 1);
                rivals.add(rival(last.from(), last.inputs().get(0)));
            }
            rig.spends.reorganise(depth, keep, rivals);
        }

        /** Another party has the same key. */
        private void foreignSpend() {
            Address payer = payer();
            foreignSpend(payer, rig.spends.coins(payer));
        }

        /** Restores and starts, sometimes dying while restoring. Every reported sweep exists again, and continues only when it is requested. */
        @Override
        void startRestored() {
            rig.startRestored();
            told.forEach((token, parts) -> {
                Sweep sweep = rig.stored(token);
                assertThat(partsOf(sweep)).as(this + ": " + token).isEqualTo(parts);
                assertThat(sweep.state()).as(this + ": " + token).isNotEqualTo(State.RUNNING);
            });
        }

        private void finish() {
            death.disarm();
            assertThat(thefts).as(this + ": spends that took a planned coin").isEmpty();
            die();
            heal();
            rig.spends.node.dropLate();
            rig.ended.clear();
            // A sweep exists even if its answer was lost.
            asked.keySet()
                    .forEach(token -> SpendHarness.get(rig.spends.store.sweeps().find(token))
                            .ifPresent(sweep -> told.putIfAbsent(token, partsOf(sweep))));
            try {
                awaitEnds();
            } catch (AssertionError e) {
                told.keySet()
                        .forEach(token ->
                                steps.add(token + " " + rig.stored(token).state() + " "
                                        + rig.stored(token).parts().stream()
                                                .filter(part -> !isFinal(rig.stored(token), part))
                                                .map(PartState::spend)
                                                .toList()));
                throw new AssertionError(toString(), e);
            }
            judge();
        }

        /** A process checks whether a rival is final when it starts, and then each minute. */
        private void awaitEnds() {
            int[] rounds = {0};
            Await.until("each part is final", () -> {
                HangWatch.alive();
                if (++rounds[0] % 20 == 0) {
                    rig.restart();
                }
                rig.spends.clock.advance(PERIOD);
                rig.spends.rumour();
                told.keySet().forEach(this::call);
                if (rig.spends.isFollowed()) {
                    rig.spends.devnet.mine(1);
                }
                return told.keySet().stream()
                        .map(rig::stored)
                        .allMatch(sweep -> sweep.parts().stream().allMatch(part -> isFinal(sweep, part)));
            });
        }

        /**
         * Whether the part is final. True also when its sweep was stopped permanently and sends nothing again, or when a coin of the part
         * was itself created in a disconnected block: such a part is in flight until the coin appears again.
         */
        private boolean isFinal(Sweep sweep, PartState part) {
            return part.ended()
                    || isAbandoned(sweep, part)
                    || part.part().coins().stream()
                            .anyMatch(coin ->
                                    !rig.spends.isMined(coin.coin().outpoint().txId()))
                    || part.spend()
                            .filter(spend -> spend.closed() || rig.spends.isMined(spend.txId()))
                            .isPresent();
        }

        private static boolean isAbandoned(Sweep sweep, PartState part) {
            return sweep.isEnded()
                    && part.spend()
                            .flatMap(PartSpend::state)
                            .filter(IntentState::failed)
                            .isPresent();
        }

        private void judge() {
            Await.until("all pages are read", () -> readOn() == 0);
            assertThat(read)
                    .as(toString())
                    .isSorted()
                    .doesNotHaveDuplicates()
                    .containsAll(SpendHarness.get(rig.spends.store.history().after(0, 10_000)).stream()
                            .map(SpendHistory.PastSpend::number)
                            .toList());
            built.forEach((part, transactions) ->
                    assertThat(transactions).as(this + ": " + part).hasSize(1));
            Map<Address, Set<Outpoint>> unspent = new HashMap<>();
            payers.forEach(payer -> {
                Set<Outpoint> coins = new HashSet<>();
                rig.spends.coins(payer).forEach(coin -> coins.add(coin.outpoint()));
                unspent.put(payer, coins);
            });
            long arrived = 0;
            int arrivals = 0;
            Set<Hash256> seen = new HashSet<>();
            for (String token : told.keySet()) {
                Sweep sweep = rig.stored(token);
                assertThat(partsOf(sweep)).as(this + ": " + token).isEqualTo(told.get(token));
                for (PartState part : sweep.parts()) {
                    assertThat(ended.contains(SweepStore.partToken(
                                            sweep.id(), part.part().number()))
                                    && part.spend().isPresent())
                            .as(this + ": " + token + " goes on after its end")
                            .isFalse();
                    boolean moved = part.spend()
                            .filter(spend -> rig.spends.isMined(spend.txId()))
                            .filter(spend -> seen.add(spend.txId()))
                            .isPresent();
                    ends.add(
                            moved
                                    ? "moved"
                                    : part.ended()
                                            ? "ended"
                                            : String.valueOf(part.spend().flatMap(PartSpend::state)));
                    if (moved) {
                        arrivals++;
                        arrived += value(part.part());
                        assertThat(part.part().coins())
                                .as(this + ": " + token)
                                .noneMatch(coin -> unspent.get(coin.owner())
                                        .contains(coin.coin().outpoint()));
                    } else if (!isAbandoned(sweep, part)
                            && part.spend().flatMap(PartSpend::state).equals(Optional.of(IntentState.CONFLICTED))) {
                        assertThat(part.part().coins())
                                .as(this + ": " + token)
                                .anyMatch(coin -> !unspent.get(coin.owner())
                                        .contains(coin.coin().outpoint()));
                    }
                }
            }
            assertThat(rig.spends.coins(rig.to)).as(toString()).hasSize(arrivals);
            assertThat(rig.arrived()).as(toString()).isEqualTo(arrived);
        }

        private static long value(Part part) {
            long sum = 0;
            for (OwnedCoin coin : part.coins()) {
                sum += SweepRig.number(coin.coin().value());
            }
            return sum - SweepRig.number(part.fee());
        }

        @Override
        void start() {
            rig.start();
        }

        @Override
        void crash() {
            rig.spends.crash();
        }

        @Override
        public void close() {
            death.close();
            rig.close();
        }
    }
}
