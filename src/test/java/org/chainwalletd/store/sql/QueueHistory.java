package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.StoreSample.done;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Change;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.Position;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.PayoutStore.Submission;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.SweepStore.Beginning;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.testkit.HangWatch;

/**
 * Random history of payouts, sweeps and transfers of a store beside its {@link QueueModel}: few ids and coins, so that they collide often. Ids,
 * tokens of transfers and tokens of sweeps share the same names. After each step the store and the model must agree on every payout, and a reader of
 * the change feed must see each change once; every few steps everything else that can be read is compared.
 */
public final class QueueHistory {
    private static final List<Address> PAYERS =
            List.of(Address.parse("a7".repeat(32)), Address.parse("a8".repeat(32)), Address.parse("a9".repeat(32)));
    private static final List<Optional<String>> OWNERS =
            List.of(Optional.empty(), Optional.of("shop"), Optional.of("mill"));
    private static final int COINS = 6;
    /** Number of ids in use: a permanently bound name is replaced by a new one after a while. */
    private static final int IDS = 14;

    /** Copies of a closed store, and the means to restore one. */
    public interface Copies {
        void copy();

        /** Replaces the store by the copy, and restores it. */
        void restore();
    }

    private final Random random;
    private final UnaryOperator<Store> restart;
    private final Optional<Copies> copies;
    private final QueueModel model = new QueueModel();
    private final List<Integer> coins = new ArrayList<>();
    private final Map<String, Integer> done = new TreeMap<>();
    private Optional<QueueModel.Backup> backup = Optional.empty();
    private Store store;
    private Position read = PayoutStore.BEGINNING;
    private int firstId;
    private int lastCoin;
    private int salt;
    private long now = 1_800_000_000_000L;

    /**
     * @param copies empty for a store that is never restored
     */
    public QueueHistory(Store store, UnaryOperator<Store> restart, Optional<Copies> copies, Random random) {
        this.store = opened(store);
        this.restart = restart;
        this.copies = copies;
        this.random = random;
        while (coins.size() < COINS) {
            coins.add(++lastCoin);
        }
    }

    private Store opened(Store fresh) {
        fresh.payouts().endedTokens(model.ended::contains);
        // Changes nothing: a store in PostgreSQL loads its in-memory state in its first transaction.
        done(fresh.sweeps().endUnopened("of no sweep", 0));
        return fresh;
    }

    /** Runs the history, and returns the store as it is at the end, which the caller closes. */
    public Store run(int steps) {
        for (int i = 0; i < steps; i++) {
            HangWatch.alive();
            now += 1 + random.nextInt(20_000);
            step();
            comparePayouts();
            if (i % 10 == 0) {
                firstId += random.nextInt(3);
                compareReads();
            }
        }
        compareReads();
        System.out.println(steps + " steps of payouts and sweeps: " + done);
        return store;
    }

    private void step() {
        switch (random.nextInt(24)) {
            case 0, 1, 2 -> submit();
            case 3, 4, 5, 6 -> openBatch();
            case 7, 8 -> confirm();
            case 9 -> unconfirm();
            case 10 -> bury();
            case 11 -> lose();
            case 12 -> recall();
            case 13 -> cancel();
            case 14, 15 -> release();
            case 16 -> tokens();
            case 17 -> pause();
            case 18 -> transfer();
            case 19 -> refuseOrForget();
            case 20 -> beginSweep();
            case 21 -> openPart();
            case 22 -> moveSweep();
            default -> restartOrRestore();
        }
    }

    private void count(Object answer) {
        done.merge(answer.getClass().getSimpleName(), 1, Integer::sum);
    }

    private <T> T any(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    private <T> Optional<T> oneOf(List<T> some) {
        return some.isEmpty() ? Optional.empty() : Optional.of(any(some));
    }

    private String id() {
        return "name-" + (firstId + random.nextInt(IDS));
    }

    private List<String> ids() {
        List<String> ids = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            ids.add(id());
        }
        return ids;
    }

    private Order order(String id) {
        int number = Integer.parseInt(id.substring("name-".length()));
        int other = random.nextInt(12) == 0 ? 1 : 0;
        return new Order(
                id,
                Address.parse("b2".repeat(32)),
                Amount.of(1_000 + number % 50 + other),
                number % 2 == 0 ? Optional.of(Bytes.parse("0" + number % 10)) : Optional.empty(),
                random.nextBoolean() ? Optional.of("memo " + number) : Optional.empty());
    }

    private void submit() {
        List<Order> orders = ids().stream().map(this::order).toList();
        List<Address> from = random.nextBoolean() ? PAYERS.subList(0, 2) : List.of(any(PAYERS));
        Optional<String> owner = random.nextInt(4) == 0
                ? any(OWNERS)
                : OWNERS.get(orders.get(0).amount().bits() % 2 == 0 ? 0 : 1);
        long most = random.nextInt(5) == 0 ? random.nextInt(8) : 1_000;
        Submission answer = done(store.payouts().submit(orders, from, owner, most, now));
        assertThat(comparable(answer)).isEqualTo(model.submit(orders, from, owner, most, now));
        count(answer);
    }

    private Coin coin(int number) {
        return new Coin(
                new Outpoint(Hash256.sha256(new byte[] {7, (byte) (number >> 8), (byte) number}), number),
                Amount.of(100_000));
    }

    /** Returns coins; a coin that a block has spent is not used by anything else. */
    private List<Coin> coins() {
        Set<Integer> some = new HashSet<>(List.of(any(coins), any(coins)));
        return some.stream().map(this::coin).toList();
    }

    private Intent intent(
            String kind, Address from, List<Coin> inputs, List<TxOutput> outputs, Optional<TokenBinding> token) {
        List<TxOutput> all = new ArrayList<>(outputs);
        all.add(TxOutput.toAddress(from, Amount.of(700 + ++salt)));
        boolean batch = kind.equals(StandIns.PAYOUT_BATCH);
        return StoreSample.signed(
                kind,
                from,
                inputs,
                all,
                OptionalInt.of(outputs.size()),
                txId -> batch ? Optional.of(new TokenBinding(TokenBinding.ofDaemon("batch-" + txId), txId)) : token,
                now);
    }

    private void openBatch() {
        List<Payout> queued = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            boolean wild = random.nextInt(12) == 0;
            oneOf(model.list(payout -> wild || payout.state() == State.QUEUED, 0, 1_000))
                    .ifPresent(queued::add);
        }
        List<Payout> carried =
                random.nextInt(10) == 0 ? queued : queued.stream().distinct().toList();
        Address from = oneOf(carried).map(payout -> any(payout.from())).orElse(PAYERS.get(0));
        List<TxOutput> outputs = new ArrayList<>(
                carried.stream().map(payout -> payout.order().output()).toList());
        if (random.nextInt(12) == 0 && outputs.size() > 1) {
            outputs.set(0, outputs.get(1));
        }
        Intent batch = intent(StandIns.PAYOUT_BATCH, from, coins(), outputs, Optional.empty());
        Opening opening = done(store.intents()
                .openBatch(batch, carried.stream().map(Payout::number).toList(), 0, () -> now));
        assertThat(opening)
                .isEqualTo(model.openBatch(
                        batch,
                        carried.stream()
                                .map(payout -> payout.order().payoutId())
                                .toList()));
        count(opening);
    }

    private BlockPlace place() {
        return new BlockPlace(random.nextInt(100), StoreSample.hash(random.nextInt()));
    }

    private void confirm() {
        oneOf(model.spends(spend -> !spend.isClosed() && spend.intent.state() != IntentState.REFUSED))
                .ifPresent(spend -> {
                    IntentState before =
                            random.nextInt(6) == 0 ? any(List.of(IntentState.values())) : spend.intent.state();
                    BlockPlace place = place();
                    assertThat(done(store.intents().confirm(spend.intent.txId(), before, place, now)))
                            .satisfies(answer -> sameKind(answer, model.confirm(spend, before, place, now)));
                    if (spend.intent.state() == IntentState.CONFIRMED) {
                        coins.replaceAll(number -> spend.intent.inputs().contains(coin(number)) ? ++lastCoin : number);
                    }
                });
    }

    /** Compares types: the two states in flight may be reported interchangeably. */
    private void sameKind(Object answer, Object expected) {
        assertThat(answer).hasSameClassAs(expected);
        count(answer);
    }

    private void unconfirm() {
        oneOf(model.spends(spend -> spend.intent.state() == IntentState.CONFIRMED && !spend.buried))
                .ifPresent(spend -> {
                    assertThat(done(store.intents().unconfirm(spend.intent.txId(), now)))
                            .isInstanceOf(IntentStore.Unconfirmation.BackInFlight.class);
                    model.unconfirm(spend, now);
                });
    }

    private void bury() {
        oneOf(model.spends(spend -> random.nextInt(6) == 0 || spend.intent.state() == IntentState.CONFIRMED))
                .ifPresent(spend -> {
                    done(store.intents().bury(List.of(spend.intent.txId())));
                    model.bury(spend);
                });
    }

    private void lose() {
        oneOf(model.spends(spend -> StandIns.onlyChainCloses(spend.intent.kind()) && !spend.isClosed()))
                .ifPresent(spend -> {
                    IntentState before = random.nextInt(4) == 0 ? IntentState.PREPARED : spend.intent.state();
                    if (before != IntentState.CONFIRMED) {
                        sameKind(
                                done(store.intents().loseForGood(spend.intent.txId(), before, "lost", now)),
                                model.loseForGood(spend, before, "lost", now));
                    }
                });
    }

    private void recall() {
        oneOf(model.spends(QueueModel.Spend::isBatch)).ifPresent(batch -> {
            Coin coin = any(batch.intent.inputs());
            TokenBinding token = new TokenBinding(StandIns.recallToken(batch.intent.txId()), batch.intent.txId());
            Intent recall =
                    intent(StandIns.PAYOUT_RECALL, batch.intent.from(), List.of(coin), List.of(), Optional.of(token));
            var answer = store.intents().recall(batch.intent.txId(), recall, "recalled", () -> now);
            Optional<IntentStore.Transition> expected = model.recall(batch, recall, "recalled", now);
            if (expected.isPresent()) {
                sameKind(done(answer), expected.get());
            } else {
                assertThatThrownBy(() -> done(answer)).hasStackTraceContaining("cannot be recalled");
            }
        });
    }

    private Claimant claimant() {
        return random.nextInt(3) == 0 ? new Claimant(any(OWNERS)) : Claimant.ANYBODY;
    }

    private List<String> idsOf(State... states) {
        List<String> ids = new ArrayList<>(random.nextInt(4) == 0 ? ids() : List.of());
        for (int i = random.nextInt(3); i >= 0; i--) {
            oneOf(model.list(payout -> List.of(states).contains(payout.state()), 0, 1_000))
                    .ifPresent(payout -> ids.add(payout.order().payoutId()));
        }
        return ids;
    }

    private void cancel() {
        List<String> ids = idsOf(State.QUEUED, State.HELD, State.IN_FLIGHT);
        Claimant claimant = claimant();
        Change answer = done(store.payouts().cancel(ids, claimant, now));
        assertThat(comparable(answer)).isEqualTo(model.cancel(ids, claimant, now));
        count(answer);
    }

    private void release() {
        List<String> ids = idsOf(State.HELD, State.HELD, State.QUEUED);
        Claimant claimant = claimant();
        assertThat(comparable(done(store.payouts().release(ids, claimant, now))))
                .isEqualTo(model.release(ids, claimant, now));
    }

    private void tokens() {
        String name = any(OWNERS).orElse(PayoutStore.CLASSIC);
        if (random.nextInt(3) > 0) {
            model.ended.remove(name);
        } else {
            model.ended.add(name);
        }
        if (random.nextBoolean()) {
            Set<String> names = new HashSet<>(model.ended);
            assertThat(done(store.payouts().holdEnded(names, now))).isEqualTo(model.holdEnded(names, now));
        }
    }

    private void pause() {
        boolean paused = random.nextInt(4) == 0;
        done(store.payouts().pause(paused));
        model.paused = paused;
    }

    private void transfer() {
        Intent transfer =
                intent("transfer", any(PAYERS), coins(), List.of(), Optional.of(new TokenBinding(id(), Hash256.ZERO)));
        Opening opening = done(store.intents().open(transfer, 0));
        assertThat(opening).isEqualTo(model.open(transfer));
        count(opening);
    }

    private void refuseOrForget() {
        if (random.nextInt(3) == 0) {
            assertThat(done(store.intents().forget(Long.MAX_VALUE, 1_000))).isEqualTo(model.forget());
            return;
        }
        oneOf(model.spends(spend ->
                        spend.intent.state().inFlight() && spend.intent.kind().equals("transfer")))
                .ifPresent(spend -> {
                    done(store.intents()
                            .fail(spend.intent.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", now));
                    model.refuse(spend, "no", now);
                });
    }

    private void beginSweep() {
        List<SweepStore.Part> parts = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            List<SweepStore.OwnedCoin> owned = coins().stream()
                    .map(coin -> new SweepStore.OwnedCoin(any(PAYERS), coin))
                    .toList();
            parts.add(new SweepStore.Part(parts.size(), Amount.of(61), owned));
        }
        SweepStore.Order order = new SweepStore.Order(
                id(),
                any(OWNERS),
                StoreSample.hash(random.nextInt(2)),
                PAYERS,
                PAYERS.get(0),
                Amount.of(61),
                Optional.empty());
        Set<Integer> held = new HashSet<>();
        Set<Integer> expected = new HashSet<>(coins);
        expected.removeIf(number -> !model.isTaken(coin(number)));
        Beginning answer = done(store.sweeps()
                .begin(
                        order,
                        StoreContract.cutter(isTaken -> {
                            coins.stream()
                                    .filter(number -> isTaken.test(coin(number).outpoint()))
                                    .forEach(held::add);
                            return parts;
                        }),
                        now));
        boolean cut = answer instanceof Beginning.Nothing
                || answer instanceof Beginning.Begun && !model.sweepTokens().contains(order.clientToken());
        assertThat(held).isEqualTo(cut ? expected : Set.of());
        Optional<SweepStore.Sweep> made =
                answer instanceof Beginning.Begun begun ? Optional.of(begun.sweep()) : Optional.empty();
        assertThat(
                        answer instanceof Beginning.Taken taken
                                ? new Beginning.Taken(
                                        taken.txId().map(txId -> model.bearer(txId, order.clientToken())),
                                        taken.other())
                                : answer)
                .isEqualTo(model.begin(order, parts, made));
        count(answer);
    }

    private void openPart() {
        oneOf(List.copyOf(model.sweepTokens())).ifPresent(token -> {
            SweepStore.Sweep sweep = model.sweep(token).orElseThrow();
            SweepStore.Part part = any(sweep.parts()).part();
            Optional<TokenBinding> binding =
                    Optional.of(new TokenBinding(SweepStore.partToken(sweep.id(), part.number()), Hash256.ZERO));
            boolean forgotten = sweep.parts().get(part.number()).spend().isPresent();
            List<Coin> inputs =
                    part.coins().stream().map(SweepStore.OwnedCoin::coin).toList();
            boolean spent =
                    inputs.stream().anyMatch(coin -> coins.stream().noneMatch(number -> coin.equals(coin(number))));
            if (!forgotten && !spent) {
                Intent spend = intent(SweepStore.KIND, PAYERS.get(0), inputs, List.of(), binding);
                Opening opening = done(store.intents().open(spend, 0));
                assertThat(opening).isEqualTo(model.open(spend));
                count(opening);
            }
        });
    }

    private void moveSweep() {
        oneOf(List.copyOf(model.sweepTokens())).ifPresent(token -> {
            if (random.nextInt(4) == 0) {
                assertThat(done(store.sweeps().stop(token))).isEqualTo(model.stop(token));
            } else if (random.nextBoolean()) {
                int part = any(model.sweep(token).orElseThrow().parts()).part().number();
                done(store.sweeps().endUnopened(token, part));
                model.endUnopened(token, part);
            } else {
                SweepStore.State before = any(List.of(SweepStore.State.values()));
                SweepStore.State after = any(List.of(SweepStore.State.values()));
                done(store.sweeps().move(token, before, after, "why"));
                model.move(token, before, after, "why");
            }
        });
    }

    private void restartOrRestore() {
        if (copies.isEmpty() || random.nextInt(3) > 0) {
            store = opened(restart.apply(store));
            model.restart();
        } else if (backup.isEmpty() || random.nextInt(3) == 0) {
            store.close();
            copies.get().copy();
            backup = Optional.of(model.new Backup());
            store = opened(restart.apply(store));
            model.restart();
        } else {
            // Makes a commit that the copy lacks, so that there is something to restore.
            done(store.payouts().pause(model.paused));
            store.close();
            copies.get().restore();
            store = opened(restart.apply(store));
            backup.get().restore(store);
            count(backup.get());
        }
    }

    private static Payout comparable(Payout payout) {
        return new Payout(
                payout.number(),
                payout.order(),
                payout.state(),
                payout.owner(),
                payout.from(),
                payout.attempts(),
                payout.outputIndex(),
                payout.height(),
                payout.feeShare(),
                payout.submittedAt(),
                payout.changedAt(),
                PayoutStore.BEGINNING);
    }

    private static List<Payout> comparable(List<Payout> payouts) {
        return payouts.stream().map(QueueHistory::comparable).toList();
    }

    private Submission comparable(Submission submission) {
        if (submission instanceof Submission.Accepted accepted) {
            return new Submission.Accepted(comparable(accepted.payouts()));
        }
        return submission instanceof Submission.Taken taken
                ? new Submission.Taken(
                        taken.index(),
                        taken.payoutId(),
                        taken.txId().map(txId -> model.bearer(txId, taken.payoutId())),
                        taken.other().map(QueueHistory::comparable))
                : submission;
    }

    private static Change comparable(Change change) {
        return change instanceof Change.Done done ? new Change.Done(comparable(done.payouts())) : change;
    }

    private void comparePayouts() {
        assertThat(comparable(done(store.payouts().list(Optional.empty(), 0, 10_000))))
                .containsExactlyElementsOf(model.all());
        assertThat(done(store.payouts().unfinished())).isEqualTo(model.unfinished());
        List<Payout> news = new ArrayList<>();
        read = readOn(read, news);
        assertThat(news).isEqualTo(model.news());
    }

    /** @return position after the last change */
    private Position readOn(Position from, List<Payout> found) {
        int most = 1 + random.nextInt(5);
        PayoutStore.Changes page = done(store.payouts().changes(from, most));
        found.addAll(comparable(page.payouts()));
        assertThat(page.payouts().size())
                .isEqualTo(page.more() ? most : page.payouts().size());
        return page.more() ? readOn(page.next(), found) : page.next();
    }

    private void compareReads() {
        List<Payout> feed = new ArrayList<>();
        readOn(PayoutStore.BEGINNING, feed);
        assertThat(feed).isEqualTo(model.feed());
        for (State state : State.values()) {
            long after = random.nextInt(10);
            int most = 1 + random.nextInt(10);
            assertThat(comparable(done(store.payouts().list(Optional.of(state), after, most))))
                    .as(state.name())
                    .isEqualTo(model.list(payout -> payout.state() == state, after, most));
        }
        assertThat(done(store.payouts().find(id())).map(QueueHistory::comparable))
                .satisfies(found -> found.ifPresent(payout ->
                        assertThat(model.find(payout.order().payoutId())).contains(payout)));
        for (Address payer : PAYERS) {
            Set<String> waiting = model.waitingFrom(payer);
            Optional<String> found = done(store.payouts().waitingFrom(payer));
            assertThat(found.isPresent()).isEqualTo(!waiting.isEmpty());
            found.ifPresent(id -> assertThat(waiting).contains(id));
        }
        assertThat(done(store.payouts().isPaused())).isEqualTo(model.paused);
        assertThat(Set.copyOf(done(store.payouts().unrecalled()))).isEqualTo(model.unrecalled());
        assertThat(Set.copyOf(done(store.reservations().all()))).isEqualTo(model.reservations());
        for (String token : model.sweepTokens()) {
            assertThat(done(store.sweeps().find(token))).isEqualTo(model.sweep(token));
        }
        assertThat(done(store.sweeps().running())).isEqualTo(model.running());
        for (int number : coins) {
            assertThat(store.reservations().isPlannedByOther(coin(number).outpoint(), Optional.empty()))
                    .isEqualTo(model.isPlanned(coin(number)));
        }
        model.spends(any -> true)
                .forEach(spend -> assertThat(
                                done(store.intents().find(spend.intent.txId())).map(Intent::state))
                        .hasValueSatisfying(state -> assertThat(state.isStill(spend.intent.state()))
                                .as(spend.intent.kind() + " is " + state + ", not " + spend.intent.state())
                                .isTrue()));
    }
}
