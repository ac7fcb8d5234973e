package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.bury;
import static org.chainwalletd.store.Payments.fail;
import static org.chainwalletd.store.Payments.failSent;
import static org.chainwalletd.store.Payments.found;
import static org.chainwalletd.store.Payments.inFlight;
import static org.chainwalletd.store.Payments.pay;
import static org.chainwalletd.store.Payments.reserved;
import static org.chainwalletd.store.Payments.stateOf;
import static org.chainwalletd.store.StoreSample.done;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ObservedIntentStore;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.PayoutStore.Submission;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A payout is bound to a batch in the commit that opens the batch, and released in the commit that closes it, whenever the process dies. */
@Walks({CrashPoint.PAYOUTS_IN_OPEN, CrashPoint.PAYOUTS_IN_REQUEUE, CrashPoint.PAYOUTS_IN_RECALL})
class PayoutStoreTest {
    private static final Address PAYER = Address.parse("a1".repeat(32));
    private static final Address OTHER = Address.parse("a2".repeat(32));
    private static final BlockPlace BLOCK = new BlockPlace(9, Hash256.sha256(new byte[] {9}));

    @TempDir
    Path folder;

    @TempDir
    Path copies;

    private SqliteStore store;
    private final Set<String> ended = new HashSet<>();

    @BeforeEach
    void open() {
        store = SqliteStore.open(folder);
        store.payouts().endedTokens(ended::contains);
    }

    @AfterEach
    void close() {
        CrashPoint.watch(null);
        store.close();
    }

    private void restart() {
        store.close();
        open();
    }

    private static Order order(int number) {
        return new Order(
                "payout-" + number,
                Address.parse("b2".repeat(32)),
                Amount.of(1_000 + number),
                number % 2 == 0 ? Optional.of(Bytes.parse("0" + number % 10)) : Optional.empty(),
                Optional.of("memo " + number));
    }

    private List<Payout> submit(Optional<String> owner, int... numbers) {
        List<Order> orders =
                Arrays.stream(numbers).mapToObj(PayoutStoreTest::order).toList();
        Submission submission = done(store.payouts().submit(orders, List.of(PAYER), owner, 100, 5));
        return ((Submission.Accepted) submission).payouts();
    }

    private List<Payout> submit(int... numbers) {
        return submit(Optional.empty(), numbers);
    }

    private static Intent batch(int coin, int... numbers) {
        return batch(PAYER, coin, numbers);
    }

    private static Intent batch(Address from, int coin, int... numbers) {
        List<TxOutput> outputs = new ArrayList<>();
        for (int number : numbers) {
            outputs.add(order(number).output());
        }
        outputs.add(TxOutput.toAddress(from, Amount.of(700)));
        return StoreSample.signed(
                StandIns.PAYOUT_BATCH,
                from,
                List.of(input(coin)),
                outputs,
                OptionalInt.of(numbers.length),
                txId -> Optional.of(new TokenBinding(TokenBinding.ofDaemon("batch-" + txId), txId)),
                10);
    }

    private static Coin input(int coin) {
        return new Coin(new Outpoint(Hash256.sha256(new byte[] {7, (byte) coin}), 0), Amount.of(100_000));
    }

    private static Intent recall(Intent batch, int coin) {
        return StoreSample.signed(
                StandIns.PAYOUT_RECALL,
                PAYER,
                List.of(input(coin)),
                List.of(TxOutput.toAddress(PAYER, Amount.of(99_000))),
                OptionalInt.empty(),
                txId -> Optional.of(new TokenBinding(StandIns.recallToken(batch.txId()), batch.txId())),
                20);
    }

    private Opening carry(Intent batch, List<Payout> payouts) {
        return done(store.intents()
                .openBatch(batch, payouts.stream().map(Payout::number).toList(), 0, () -> 10));
    }

    private Payout find(int number) {
        return done(store.payouts().find("payout-" + number)).orElseThrow();
    }

    private State state(int number) {
        return find(number).state();
    }

    @Test
    void a_payout_follows_the_row_of_its_batch() {
        List<Payout> payouts = submit(1, 2);
        Intent batch = batch(1, 1, 2);
        assertThat(carry(batch, payouts)).isEqualTo(new Opening.Opened(false));
        restart();
        Payout carried = find(2);
        assertThat(carried.state()).isEqualTo(State.IN_FLIGHT);
        assertThat(carried.attempts()).containsExactly(batch.txId());
        assertThat(carried.outputIndex()).hasValue(1);
        assertThat(find(1).feeShare().orElseThrow().plus(find(2).feeShare().orElseThrow()))
                .isEqualTo(Amount.of(100_000 - 700 - 1_001 - 1_002));
        done(store.intents().confirm(batch.txId(), IntentState.PREPARED, BLOCK, 20));
        assertThat(state(1)).isEqualTo(State.CONFIRMED);
        assertThat(find(1).height()).hasValue(9);
        done(store.intents().unconfirm(batch.txId(), 21));
        assertThat(state(1)).isEqualTo(State.IN_FLIGHT);
        done(store.intents().confirm(batch.txId(), IntentState.ACCEPTED, BLOCK, 22));
        bury(store, batch.txId());
        assertThat(state(1)).isEqualTo(State.FINAL);
        assertThat(done(store.payouts().unfinished())).isZero();
        assertThat(done(store.intents().forget(Long.MAX_VALUE, 10)))
                .as("batches stay")
                .isZero();
    }

    @Test
    void a_batch_is_opened_only_while_all_its_payouts_are_queued_and_pays_exactly_them() {
        List<Payout> payouts = submit(1, 2, 3);
        Opening moved = new Opening.PayoutsMoved();
        assertThat(carry(batch(1, 1, 2), List.of(payouts.get(1), payouts.get(0))))
                .as("in other outputs")
                .isEqualTo(moved);
        assertThat(carry(batch(1, 1, 1), List.of(payouts.get(0), payouts.get(0))))
                .as("twice")
                .isEqualTo(moved);
        assertThat(carry(batch(OTHER, 1, 1), payouts.subList(0, 1)))
                .as("from an address it may not")
                .isEqualTo(moved);
        done(store.payouts().cancel(List.of("payout-1"), Claimant.ANYBODY, 6));
        assertThat(carry(batch(1, 1, 2), payouts.subList(0, 2))).isEqualTo(moved);
        done(store.payouts().pause(true));
        assertThat(carry(batch(1, 2), payouts.subList(1, 2))).as("paused").isEqualTo(moved);
        done(store.payouts().pause(false));
        assertThat(carry(batch(1, 2), payouts.subList(1, 2))).isEqualTo(new Opening.Opened(false));
        assertThat(carry(batch(2, 2, 3), payouts.subList(1, 3)))
                .as("carried already")
                .isEqualTo(moved);
        done(store.payouts().cancel(List.of("payout-2"), Claimant.ANYBODY, 6));
        assertThat(state(2)).isEqualTo(State.IN_FLIGHT);
        assertThat(state(3)).isEqualTo(State.QUEUED);
    }

    @Test
    void of_batches_that_open_at_once_no_more_do_than_the_cap_permits_and_the_payouts_of_the_others_stay_queued() {
        done(store.allowance()
                .govern(
                        new AllowanceStore.Limits(Optional.empty(), Optional.of(Amount.of(2)), Duration.ofDays(1)),
                        Clock.fixed(Instant.ofEpochMilli(10), ZoneOffset.UTC),
                        OptionalLong::empty));
        List<Payout> payouts = submit(1, 2, 3);
        List<CompletionStage<Opening>> openings = new ArrayList<>();
        for (Payout payout : payouts) {
            int number = (int) payout.number();
            openings.add(store.intents().openBatch(batch(number, number), List.of(payout.number()), 0, () -> 10));
        }
        assertThat(openings.stream().map(StoreSample::done).map(Object::getClass))
                .containsExactly(Opening.Opened.class, Opening.Opened.class, Opening.CapExceeded.class);
        assertThat(List.of(state(1), state(2), state(3)))
                .containsExactly(State.IN_FLIGHT, State.IN_FLIGHT, State.QUEUED);
        assertThat(reserved(store)).hasSize(2);
    }

    @Test
    void a_payout_of_a_token_that_has_ended_never_leaves_and_is_held() {
        List<Payout> payouts = submit(Optional.of("worker"), 1, 2);
        assertThat(carry(batch(1, 1), payouts.subList(0, 1))).isEqualTo(new Opening.Opened(false));
        ended.add("worker");
        assertThat(carry(batch(2, 2), payouts.subList(1, 2))).isEqualTo(new Opening.PayoutsMoved());
        assertThat(done(store.payouts().holdEnded(Set.of("worker"), 7))).isEqualTo(1);
        assertThat(state(2)).isEqualTo(State.HELD);
        done(store.intents().loseForGood(batch(1, 1).txId(), IntentState.PREPARED, "another is final", 30));
        assertThat(state(1)).isEqualTo(State.HELD);
        assertThat(find(1).attempts()).containsExactly(batch(1, 1).txId());
        done(store.payouts().release(List.of("payout-1"), Claimant.ANYBODY, 31));
        assertThat(state(1)).isEqualTo(State.QUEUED);
        assertThat(done(store.payouts().holdEnded(Set.of("worker"), 32)))
                .as("what the operator has released is not held again")
                .isZero();
        assertThat(done(store.payouts().cancel(List.of("payout-1"), new Claimant(Optional.of("thief")), 32)))
                .isEqualTo(new PayoutStore.Change.Foreign("payout-1"));
        assertThat(carry(batch(3, 1), List.of(find(1)))).isEqualTo(new Opening.Opened(false));
    }

    @Test
    void payouts_of_a_token_that_has_ended_are_held_however_many_others_wait_before_and_between_them() {
        int number = 0;
        for (int i = 0; i < 11; i++) {
            number = submitMany(Optional.empty(), number, 1_000);
        }
        number = submitMany(Optional.of("worker"), number, 1_000);
        number = submitMany(Optional.empty(), number, 1);
        submitMany(Optional.of("worker"), number, 500);
        ended.add("worker");

        assertThat(done(store.payouts().holdEnded(Set.of("worker", "nobody"), 7)))
                .isEqualTo(1_500);
        assertThat(done(store.payouts().list(Optional.of(State.HELD), 0, 2_000)))
                .hasSize(1_500)
                .extracting(Payout::owner)
                .containsOnly(Optional.of("worker"));
        assertThat(done(store.payouts().holdEnded(Set.of("worker"), 8))).isZero();
        assertThat(done(store.payouts().list(Optional.of(State.QUEUED), 0, 20_000)))
                .hasSize(11_001);
    }

    private int submitMany(Optional<String> owner, int first, int count) {
        List<Order> orders = IntStream.range(first, first + count)
                .mapToObj(PayoutStoreTest::order)
                .toList();
        assertThat(done(store.payouts().submit(orders, List.of(PAYER), owner, 100_000, 5)))
                .isInstanceOf(Submission.Accepted.class);
        return first + count;
    }

    @Test
    void no_word_of_a_node_and_no_operator_closes_a_batch() {
        Intent batch = batch(1, 1);
        carry(batch, submit(1));
        for (IntentState outcome : List.of(IntentState.REFUSED, IntentState.CONFLICTED)) {
            assertThatThrownBy(() -> failSent(store, batch.txId(), outcome, 20)).isInstanceOf(Exception.class);
            assertThatThrownBy(() -> fail(store, batch.txId(), outcome, 20)).isInstanceOf(Exception.class);
        }
        assertThatThrownBy(() -> done(store.intents().contest(batch.txId(), "no", 20)))
                .isInstanceOf(Exception.class);
        assertThatThrownBy(() -> done(store.reservations().end(batch.txId(), IntentState.PREPARED)))
                .isInstanceOf(Exception.class);
        assertThat(done(store.reservations()
                        .abandon(Map.of(
                                batch.txId(), Set.of(batch.inputs().get(0).outpoint())))))
                .isEmpty();
        assertThat(state(1)).isEqualTo(State.IN_FLIGHT);
        assertThat(reserved(store)).hasSize(1);
    }

    @Test
    void an_id_that_a_spend_ever_bore_is_no_payout_also_after_its_row_is_erased() {
        Intent spend = pay(store, StoreSample.intent(1, "payout-1", 7));
        fail(store, spend.txId(), IntentState.REFUSED, 20);
        Submission taken = new Submission.Taken(0, "payout-1", Optional.of(spend.txId()));
        assertThat(done(store.payouts().submit(List.of(order(1)), List.of(PAYER), Optional.empty(), 100, 5)))
                .isEqualTo(taken);
        assertThat(done(store.intents().forget(Long.MAX_VALUE, 10))).isEqualTo(1);
        assertThat(done(store.payouts().submit(List.of(order(1)), List.of(PAYER), Optional.empty(), 100, 5)))
                .isEqualTo(taken);
        submit(2);
        assertThat(done(store.payouts().firstUnbound(List.of("payout-2", "payout-1", "payout-3", "payout-4"))))
                .hasValue("payout-3");
        assertThat(done(store.payouts().firstUnbound(List.of("payout-1", "payout-2"))))
                .isEmpty();
        Intent other = StoreSample.intent(2, "payout-2", 8);
        assertThat(done(store.intents().open(other, Long.MAX_VALUE)))
                .as("and a payout's id is no token")
                .isEqualTo(new Opening.TokenTaken(Hash256.ZERO));
    }

    @Test
    void more_than_may_be_unfinished_are_refused_together() {
        submit(1, 2);
        assertThat(done(store.payouts()
                        .submit(List.of(order(2), order(3), order(4)), List.of(PAYER), Optional.empty(), 3, 5)))
                .isEqualTo(new Submission.Full(2, 3));
        assertThat(done(store.payouts().find("payout-3"))).isEmpty();
        done(store.payouts().cancel(List.of("payout-1"), Claimant.ANYBODY, 6));
        assertThat(done(store.payouts()
                        .submit(List.of(order(2), order(3), order(4)), List.of(PAYER), Optional.empty(), 3, 5)))
                .isInstanceOf(Submission.Accepted.class);
    }

    private void copyAt(CrashPoint wanted, List<Path> taken) {
        CrashPoint.watch(point -> {
            if (point == wanted) {
                Path copy = copies.resolve(point + "-" + taken.size());
                copyFolder(copy);
                taken.add(copy);
            }
        });
    }

    private void copyFolder(Path copy) {
        try (Stream<Path> files = Files.list(folder)) {
            Files.createDirectories(copy);
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_death_within_the_commit_that_binds_or_frees_payouts_leaves_all_of_it_or_nothing() {
        List<Path> deaths = Collections.synchronizedList(new ArrayList<>());
        List<Payout> payouts = submit(1, 2);
        Intent batch = batch(1, 1, 2);
        copyAt(CrashPoint.PAYOUTS_IN_OPEN, deaths);
        carry(batch, payouts);
        assertThat(deaths).hasSize(1);
        try (SqliteStore dead = SqliteStore.open(deaths.get(0))) {
            assertThat(found(dead, batch.txId())).isEmpty();
            assertThat(done(dead.payouts().find("payout-1")).orElseThrow().state())
                    .isEqualTo(State.QUEUED);
        }
        deaths.clear();
        copyAt(CrashPoint.PAYOUTS_IN_REQUEUE, deaths);
        done(store.intents().loseForGood(batch.txId(), IntentState.PREPARED, "another is final", 30));
        assertThat(deaths).hasSize(1);
        try (SqliteStore dead = SqliteStore.open(deaths.get(0))) {
            assertThat(stateOf(dead, batch.txId())).isEqualTo(IntentState.PREPARED);
            assertThat(done(dead.payouts().find("payout-2")).orElseThrow().state())
                    .isEqualTo(State.IN_FLIGHT);
        }
        restart();
        assertThat(state(1)).isEqualTo(State.QUEUED);
        assertThat(reserved(store)).isEmpty();
        assertThat(done(store.intents().lostForGood(Set.of(batch.txId())))).isPresent();
    }

    @Test
    void a_batch_is_abandoned_in_the_commit_that_has_its_recall_or_not_at_all() {
        List<Path> deaths = Collections.synchronizedList(new ArrayList<>());
        List<Payout> payouts = submit(1);
        Intent batch = batch(1, 1);
        carry(batch, payouts);
        Intent recall = recall(batch, 1);
        copyAt(CrashPoint.PAYOUTS_IN_RECALL, deaths);
        assertThat(done(store.intents().recall(batch.txId(), recall, "recalled", () -> 20)))
                .isInstanceOf(IntentStore.Transition.Made.class);
        assertThat(deaths).hasSize(1);
        try (SqliteStore dead = SqliteStore.open(deaths.get(0))) {
            assertThat(stateOf(dead, batch.txId())).isEqualTo(IntentState.PREPARED);
            assertThat(found(dead, recall.txId())).isEmpty();
        }
        restart();
        assertThat(stateOf(store, batch.txId())).isEqualTo(IntentState.ABANDONED);
        assertThat(found(store, recall.txId()).orElseThrow().transaction()).isEqualTo(recall.transaction());
        assertThat(state(1)).isEqualTo(State.IN_FLIGHT);
    }

    /** Returns the store's intents with a listener that is called on the calling thread. */
    private IntentStore observed(List<IntentState> reported) {
        ObservedIntentStore.IntentListener listener = new ObservedIntentStore.IntentListener() {
            @Override
            public boolean isListening() {
                return true;
            }

            @Override
            public void changed(Intent intent, IntentState state, String reason) {
                reported.add(state);
            }
        };
        return new ObservedIntentStore(store.intents(), listener, Runnable::run);
    }

    @Test
    void a_recalled_batch_that_a_block_had_is_not_sent_again_after_a_reorganisation_or_a_restore() throws IOException {
        store.close();
        store = SqliteStore.open(folder, Optional.empty(), 20_000);
        Intent batch = batch(1, 1);
        carry(batch, submit(1));
        done(store.intents().recall(batch.txId(), recall(batch, 1), "recalled", () -> 20));
        done(store.intents().confirm(batch.txId(), IntentState.ABANDONED, BLOCK, 21));
        List<IntentState> reported = new CopyOnWriteArrayList<>();
        assertThat(done(observed(reported).unconfirm(batch.txId(), 22)))
                .isInstanceOfSatisfying(
                        IntentStore.Unconfirmation.BackInFlight.class,
                        back -> assertThat(back.intent().state()).isEqualTo(IntentState.ABANDONED));
        Await.until("the listener was called", () -> !reported.isEmpty());
        assertThat(reported).containsExactly(IntentState.ABANDONED);
        done(store.intents().confirm(batch.txId(), IntentState.ABANDONED, BLOCK, 23));
        writeLogAnew(1);
        store.close();
        for (String name : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(folder.resolve(SqliteStore.FILE_NAME + name));
        }
        SqliteStore.restore(folder, Optional.empty(), false, mark -> {});
        open();
        assertThat(stateOf(store, batch.txId())).isEqualTo(IntentState.ABANDONED);
        assertThat(done(store.payouts().unrecalled())).isEmpty();
        assertThat(state(1)).isEqualTo(State.IN_FLIGHT);
    }

    /** Only the spend monitor closes a batch, and it watches the spends listed by {@code inFlight}. */
    @Test
    void a_recalled_batch_is_watched_until_the_chain_has_decided_even_when_its_recall_holds_the_coin() {
        Intent batch = batch(1, 1);
        Intent recall = recall(batch, 1);
        carry(batch, submit(1));
        done(store.intents().recall(batch.txId(), recall, "recalled", () -> 20));
        done(store.intents().confirm(batch.txId(), IntentState.ABANDONED, BLOCK, 21));
        done(store.reservations().reserveAgain(recall.txId()));
        done(store.intents().unconfirm(batch.txId(), 22));
        assertThat(reserved(store))
                .extracting(ReservationStore.Reservation::txId)
                .containsExactly(recall.txId());

        assertThat(inFlight(store)).extracting(Intent::txId).contains(batch.txId(), recall.txId());
        assertThat(done(store.intents().lost(0, 10))).isEmpty();
        bury(store, batch.txId());
        assertThat(inFlight(store)).extracting(Intent::txId).contains(batch.txId());
        assertThat(done(store.intents().loseForGood(batch.txId(), IntentState.ABANDONED, "lost", 23)))
                .isInstanceOf(IntentStore.Transition.Made.class);
        assertThat(state(1)).isEqualTo(State.QUEUED);
        assertThat(inFlight(store)).extracting(Intent::txId).containsExactly(recall.txId());
    }

    @Test
    void a_recall_that_another_spend_keeps_from_opening_leaves_the_batch_in_flight() {
        List<Payout> payouts = submit(1, 2);
        Intent batch = batch(1, 1);
        carry(batch, payouts.subList(0, 1));
        carry(batch(2, 2), payouts.subList(1, 2));
        CompletionStage<IntentStore.Transition> refused =
                store.intents().recall(batch.txId(), recall(batch, 2), "recalled", () -> 20);
        assertThatThrownBy(() -> done(refused)).hasStackTraceContaining("cannot be recalled");
        assertThat(stateOf(store, batch.txId())).isEqualTo(IntentState.PREPARED);
        assertThat(done(store.payouts().unrecalled())).isEmpty();
    }

    /** A restored store that lacks the id of a payout would let it be paid again. */
    @Test
    void the_log_keeps_the_lines_of_payouts_however_often_it_is_rewritten() throws IOException {
        store.close();
        store = SqliteStore.open(folder, Optional.empty(), 20_000);
        Intent open = batch(1, 1);
        Intent lost = batch(2, 2);
        Intent last = batch(3, 4);
        submit(1, 2, 3, 4);
        carry(open, List.of(find(1)));
        carry(lost, List.of(find(2)));
        done(store.intents().loseForGood(lost.txId(), IntentState.PREPARED, "another is final", 30));
        done(store.payouts().cancel(List.of("payout-3"), Claimant.ANYBODY, 31));
        carry(last, List.of(find(4)));
        done(store.intents().confirm(last.txId(), IntentState.PREPARED, BLOCK, 32));
        bury(store, last.txId());
        writeLogAnew(3);
        store.close();
        for (String name : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(folder.resolve(SqliteStore.FILE_NAME + name));
        }
        SqliteStore.restore(folder, Optional.empty(), false, mark -> {});
        open();

        assertThat(state(1)).isEqualTo(State.IN_FLIGHT);
        assertThat(find(1).attempts()).containsExactly(open.txId());
        assertThat(state(2)).isEqualTo(State.HELD);
        assertThat(find(2).attempts()).containsExactly(lost.txId());
        assertThat(state(3)).isEqualTo(State.CANCELLED);
        assertThat(find(4).attempts()).containsExactly(last.txId());
        assertThat(state(4)).as("the chain will tell that it is final").isEqualTo(State.IN_FLIGHT);
        assertThat(done(store.payouts()
                        .submit(
                                List.of(new Order(
                                        "payout-4",
                                        order(4).to(),
                                        Amount.of(5_000),
                                        Optional.empty(),
                                        Optional.empty())),
                                List.of(PAYER),
                                Optional.empty(),
                                100,
                                50)))
                .isInstanceOf(Submission.Taken.class);
    }

    /** Keeps a store with a small log busy with spends that are forgotten, until the log was rewritten this number of times. */
    private void writeLogAnew(int times) {
        AtomicInteger written = new AtomicInteger();
        CrashPoint.watch(point -> {
            if (point == CrashPoint.FILE_RENAMED) {
                written.incrementAndGet();
            }
        });
        int number = 100;
        while (written.get() < times && number < 3_000) {
            for (int i = 0; i < 5; i++, number++) {
                Intent spend = pay(store, StoreSample.intent(number, "token-" + number, 1_000 + number));
                fail(store, spend.txId(), IntentState.REFUSED, number);
            }
            done(store.intents().forget(Long.MAX_VALUE, 100));
        }
        assertThat(written.get()).isEqualTo(times);
    }

    /** The backup is older than the log's base, so no line describes a change; only the base has the state of the spend. */
    @Test
    void a_restored_store_knows_what_has_become_of_its_spends_also_from_a_log_that_was_rewritten() throws IOException {
        store.close();
        store = SqliteStore.open(folder, Optional.empty(), 20_000);
        Intent lost = batch(1, 1);
        Intent next = batch(2, 1);
        Intent recalled = batch(3, 2);
        Intent recall = recall(recalled, 3);
        Intent refused = StoreSample.intent(1, "refused", 71);
        Intent again = StoreSample.intent(2, "sent again", 72);
        Intent kept = StoreSample.intent(3, "kept", 73);
        AccountSend raised = AccountSendSample.send(0, AccountSend.State.JOURNALLED);
        AccountSend.Version newer = AccountSendSample.version(5, 1);
        submit(1, 2);
        carry(lost, List.of(find(1)));
        carry(recalled, List.of(find(2)));
        pay(store, refused);
        pay(store, again);
        fail(store, again.txId(), IntentState.REFUSED, 20);
        pay(store, kept);
        AccountSend journalled = ((AccountSendStore.Journalled.Done)
                        done(store.accountSends().open(List.of(raised))))
                .sends()
                .get(0);
        StoreContract.begun(store, "sweep", List.of(StoreContract.part(0, 74)));
        store.close();
        Path backup = copies.resolve("backup");
        Files.copy(folder.resolve(SqliteStore.FILE_NAME), backup);
        store = SqliteStore.open(folder, Optional.empty(), 20_000);
        done(store.intents().loseForGood(lost.txId(), IntentState.PREPARED, "another is final", 30));
        carry(next, List.of(find(1)));
        done(store.intents().confirm(next.txId(), IntentState.PREPARED, BLOCK, 31));
        done(store.intents().recall(recalled.txId(), recall, "recalled", () -> 32));
        failSent(store, refused.txId(), IntentState.REFUSED, 33);
        Intent known = found(store, again.txId()).orElseThrow();
        done(store.intents().reopen(known, 34));
        done(store.intents().confirm(kept.txId(), IntentState.PREPARED, BLOCK, 35));
        bury(store, kept.txId());
        done(store.receipts().keep(Map.of(kept.txId(), Bytes.parse("01"))));
        done(store.accountSends().addVersion(journalled.id(), raised.versions().size(), newer));
        done(store.accountSends().enter(journalled.id(), raised.state(), AccountSend.State.SENT, Optional.empty(), 36));
        done(store.sweeps().endUnopened("sweep", 0));
        writeLogAnew(1);
        Optional<CommitMark> books = store.confirmed();
        store.close();
        Files.copy(backup, folder.resolve(SqliteStore.FILE_NAME), StandardCopyOption.REPLACE_EXISTING);
        SqliteStore.restore(folder, books, false, mark -> {});
        open();

        assertThat(stateOf(store, refused.txId())).as("its caller was told so").isEqualTo(IntentState.REFUSED);
        assertThat(stateOf(store, again.txId())).as("in doubt, with its coin").isEqualTo(IntentState.ABANDONED);
        assertThat(reserved(store))
                .extracting(ReservationStore.Reservation::txId)
                .containsExactlyInAnyOrder(next.txId(), recalled.txId(), again.txId());
        assertThat(done(store.intents().lostForGood(Set.of(lost.txId())))).isPresent();
        assertThat(stateOf(store, next.txId())).isEqualTo(IntentState.ACCEPTED);
        assertThat(find(1).attempts()).containsExactly(lost.txId(), next.txId());
        assertThat(find(1).outputIndex()).hasValue(0);
        assertThat(stateOf(store, recalled.txId())).isEqualTo(IntentState.ABANDONED);
        assertThat(done(store.payouts().unrecalled())).isEmpty();
        assertThat(done(store.receipts().bound("kept", 0))).containsInstanceOf(ReceiptStore.Bound.ToReceipt.class);
        AccountSend restored =
                done(store.accountSends().find(raised.reference())).orElseThrow();
        assertThat(restored.state()).isEqualTo(AccountSend.State.SENT);
        assertThat(restored.newest()).isEqualTo(newer);
        assertThat(done(store.sweeps().find("sweep")).orElseThrow().parts())
                .extracting(SweepStore.PartState::ended)
                .containsExactly(true);
    }

    @Test
    void a_position_of_another_store_counts_as_the_beginning() throws IOException {
        submit(1, 2, 3);
        PayoutStore.Position last =
                done(store.payouts().changes(PayoutStore.BEGINNING, 10)).next();
        assertThat(done(store.payouts().changes(last, 10)).payouts()).isEmpty();
        PayoutStore.Position ahead = new PayoutStore.Position(last.generation(), last.change() + 1, 0);
        assertThat(done(store.payouts().changes(ahead, 10)).payouts()).hasSize(3);
        try (SqliteStore other = SqliteStore.open(Files.createDirectory(copies.resolve("other")))) {
            done(other.payouts().submit(List.of(order(9)), List.of(PAYER), Optional.empty(), 100, 5));
            assertThat(done(other.payouts().changes(last, 10)).payouts())
                    .as("missed by nobody who asks the wrong daemon")
                    .hasSize(1);
        }
    }

    @Test
    void a_restored_store_knows_what_the_log_has_of_batches_and_holds_everything_that_is_unfinished()
            throws IOException {
        submit(1, 2, 3, 4);
        store.close();
        Path backup = copies.resolve("backup");
        Files.copy(folder.resolve(SqliteStore.FILE_NAME), backup);
        open();
        Intent batch = batch(1, 1, 5);
        carry(batch, List.of(find(1), submit(5).get(0)));
        Intent lost = batch(2, 2);
        carry(lost, List.of(find(2)));
        done(store.intents().loseForGood(lost.txId(), IntentState.PREPARED, "another is final", 30));
        done(store.payouts().cancel(List.of("payout-3"), Claimant.ANYBODY, 31));
        Optional<CommitMark> books = store.confirmed();
        store.close();
        Files.copy(backup, folder.resolve(SqliteStore.FILE_NAME), StandardCopyOption.REPLACE_EXISTING);

        for (int again = 0; again < 2; again++) {
            if (again == 0) {
                SqliteStore.restore(folder, books, false, mark -> {});
            }
            open();
            assertThat(state(1)).isEqualTo(State.IN_FLIGHT);
            assertThat(state(5)).isEqualTo(State.IN_FLIGHT);
            assertThat(find(5).attempts()).containsExactly(batch.txId());
            assertThat(state(2)).isEqualTo(State.HELD);
            assertThat(find(2).attempts()).containsExactly(lost.txId());
            assertThat(state(3)).isEqualTo(State.CANCELLED);
            assertThat(state(4)).isEqualTo(State.HELD);
            assertThat(stateOf(store, batch.txId())).isEqualTo(IntentState.PREPARED);
            store.close();
        }
        open();
        done(store.intents().loseForGood(batch.txId(), IntentState.PREPARED, "another is final", 40));
        assertThat(state(1)).as("it was in flight when the store was restored").isEqualTo(State.HELD);
    }
}
