package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.SweepStore.Part;
import org.chainwalletd.store.SweepStore.PartState;
import org.chainwalletd.store.SweepStore.State;
import org.chainwalletd.store.SweepStore.Sweep;
import org.chainwalletd.store.sql.StoreFaults;
import org.chainwalletd.sweep.Sweeps;
import org.chainwalletd.sweep.Sweeps.LeftOver;
import org.chainwalletd.sweep.Sweeps.Report;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sweep over a validating development chain: each coin is moved at most once, regardless of crashes, repetitions, caps and conflicting
 * spends.
 */
@Timeout(120)
class SweepTest {
    private static final String TOKEN = "sweep-token-1";

    @TempDir
    Path folder;

    private SweepRig rig;
    private SpendHarness spends;

    @BeforeEach
    void start() {
        rig = new SweepRig(folder).start();
        spends = rig.spends;
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    private Report sweep(Address... from) {
        return rig.swept(TOKEN, from);
    }

    private static long[] values(int count, long each) {
        return SweepRig.values(count, each);
    }

    private void restartWith(AllowanceStore.Limits limits) {
        spends.crash();
        spends.limits = limits;
        rig.start();
    }

    /** Makes a payment to another recipient from an address that is swept. */
    private CompletionStage<Receipt> elsewhere(Address from, long amount, String token) {
        return spends.spending.transfer(request(from, spends.keys.add(98), amount, token));
    }

    /** First part of the sweep. */
    private PartState part() {
        return rig.stored(TOKEN).parts().get(0);
    }

    /** Disconnects the last block, and has another spend of the first coin of the sweep mined instead. */
    private void loseToRival(Address owner, Report sent) {
        Coin coin = sent.sweep().parts().get(0).part().coins().get(0).coin();
        spends.devnet.reorganise(1, false, List.of(spends.returned(owner, coin, 300)));
    }

    private static Set<Hash256> transactions(Report report) {
        return SweepRig.transactions(report.sweep());
    }

    private static long fees(Report report) {
        return SweepRig.fees(report.sweep());
    }

    @Test
    void every_coin_of_many_addresses_goes_to_one_in_transactions_of_several_payers() {
        Address one = spends.funded(11, values(120, 10_000));
        Address two = spends.funded(12, values(3, 20_000));
        Address three = spends.funded(13, 300);

        Report report = sweep(one, two, three);

        assertThat(report.sweep().parts()).hasSize(2);
        assertThat(transactions(report)).hasSize(2);
        spends.confirmAll();
        Report after = sweep(one, two, three);
        assertThat(after.sweep().state()).isEqualTo(State.DONE);
        assertThat(transactions(after)).isEqualTo(transactions(report));
        assertThat(after.leftOver()).hasValueSatisfying(left -> assertThat(left).isEmpty());
        assertThat(rig.arrived()).isEqualTo(120 * 10_000 + 3 * 20_000 + 300 - fees(report));
    }

    @Test
    void what_comes_after_the_coins_were_fixed_and_what_is_too_small_is_left_over() {
        Address one = spends.funded(11, 10_000, 210);
        Report first = sweep(one);
        assertThat(first.leftOver().orElseThrow().get(LeftOver.TOO_SMALL).count())
                .isEqualTo(1);
        spends.confirmAll();
        spends.fund(one, 50_000);

        Report again = sweep(one);

        assertThat(transactions(again)).isEqualTo(transactions(first));
        assertThat(again.leftOver().orElseThrow().get(LeftOver.LATER).amount()).isEqualTo(Amount.of(50_000));
    }

    @Test
    void a_token_stands_for_one_sweep_and_for_nothing_else() {
        Address one = spends.funded(11, 10_000, 20_000);
        sweep(one);

        refusal(SpendRefusal.TokenConflict.class, rig.sweep(TOKEN, Optional.of(Amount.of(5_000)), one));
        refusal(SpendRefusal.TokenConflict.class, spends.spending.transfer(request(one, rig.to, 1_000, TOKEN)));
        spends.fund(one, 30_000);
        get(spends.spending.transfer(request(one, rig.to, 1_000, "transfer-token")));
        refusal(SpendRefusal.TokenConflict.class, rig.sweep("transfer-token", Optional.empty(), one));
    }

    @Test
    void two_callers_at_once_get_the_same_transactions() {
        Address one = spends.funded(11, values(150, 10_000));

        CompletionStage<Report> a = rig.sweep(TOKEN, Optional.empty(), one);
        CompletionStage<Report> b = rig.sweep(TOKEN, Optional.empty(), one);

        assertThat(get(a).sweep().id()).isEqualTo(get(b).sweep().id());
        assertThat(transactions(sweep(one))).hasSize(2);
        spends.confirmAll();
        assertThat(spends.coins(rig.to)).hasSize(2);
    }

    @Test
    void a_cap_stops_further_parts_and_a_repeated_call_continues_with_the_same_ones() {
        Address one = spends.funded(11, values(200, 10_000));
        restartWith(SpendHarness.perDay(1_500_000));

        Report stopped = sweep(one);

        assertThat(stopped.sweep().state()).isEqualTo(State.STOPPED);
        assertThat(stopped.sweep().reason()).isNotEmpty();
        assertThat(transactions(stopped)).hasSize(1);
        spends.confirmAll();
        spends.clock.advance(Duration.ofDays(2));
        Report done = sweep(one);
        assertThat(transactions(done)).hasSize(2).containsAll(transactions(stopped));
        spends.confirmAll();
        assertThat(rig.arrived()).isEqualTo(2_000_000 - fees(done));
    }

    /** Writes a sweep of which nothing is sent while this process runs. */
    private void written(Address from) {
        rig.ended.add(SweepRig.OWNER);
        Report planned = sweep(from);
        assertThat(planned.sweep().state()).isEqualTo(State.STOPPED);
        assertThat(transactions(planned)).isEmpty();
        get(spends.store.sweeps().move(TOKEN, State.STOPPED, State.RUNNING, ""));
        rig.ended.clear();
    }

    @Test
    void a_sweep_that_was_written_down_but_not_sent_continues_by_itself_after_a_crash() {
        Address one = spends.funded(11, values(130, 10_000));
        written(one);

        rig.restart();

        awaitDone();
        spends.confirmAll();
        Report after = sweep(one);
        assertThat(transactions(after)).hasSize(2);
        assertThat(rig.arrived()).isEqualTo(1_300_000 - fees(after));
    }

    @Test
    void a_sweep_of_a_classic_token_that_was_switched_off_stops() {
        rig.owner = Optional.empty();
        rig.ended.add(PayoutStore.CLASSIC);

        Report stopped = sweep(spends.funded(11, 10_000, 20_000));

        assertThat(stopped.sweep().state()).isEqualTo(State.STOPPED);
        assertThat(transactions(stopped)).isEmpty();
    }

    @Test
    void callers_that_wait_keep_no_part_from_being_sent() {
        Address one = spends.funded(11, values(130, 10_000));
        written(one);
        rig.calls = Optional.of(work -> {});

        rig.restart();

        assertThat(rig.sweep(TOKEN, Optional.empty(), one).toCompletableFuture())
                .isNotDone();
        awaitDone();
    }

    @Test
    void callers_that_only_read_keep_no_sweep_from_beginning() {
        rig.reads = Optional.of(work -> {});

        rig.restart();

        assertThat(rig.sweeps.find(TOKEN).toCompletableFuture()).isNotDone();
        assertThat(transactions(sweep(spends.funded(11, 10_000)))).hasSize(1);
    }

    @Test
    void a_caller_for_whose_answer_there_is_no_thread_keeps_no_other_sweep_from_being_sent() {
        AtomicBoolean full = new AtomicBoolean();
        rig.calls = Optional.of(work -> {
            if (full.get()) {
                throw new RejectedExecutionException("full");
            }
            ForkJoinPool.commonPool().execute(work);
        });
        rig.restart();
        spends.node.onSend(tx -> full.set(true));

        CompletionStage<Report> unanswered = rig.sweep(TOKEN, Optional.empty(), spends.funded(11, 10_000));

        assertThat(unanswered.toCompletableFuture())
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(RejectedExecutionException.class);
        spends.node.onSend(tx -> {});
        full.set(false);
        assertThat(transactions(rig.swept("sweep-token-2", spends.funded(12, 10_000))))
                .hasSize(1);
    }

    @Test
    void a_part_whose_coin_another_payment_has_taken_ends_conflicted_and_is_never_built_again() {
        Address one = spends.funded(11, 10_000, 20_000);
        rig.ended.add(SweepRig.OWNER);
        sweep(one);
        get(elsewhere(one, 15_000, "elsewhere"));
        spends.confirmAll();
        rig.ended.clear();

        sweep(one);
        spends.devnet.mine(7);
        Await.until("it is given up", () -> {
            PartState part = sweep(one).sweep().parts().get(0);
            spends.clock.advance(Duration.ofSeconds(1));
            return part.ended();
        });

        assertThat(transactions(sweep(one))).isEmpty();
        assertThat(spends.coins(rig.to)).isEmpty();
        assertThat(sweep(one).leftOver().orElseThrow()).containsKey(LeftOver.OF_FAILED_PART);
    }

    @Test
    void a_coin_that_a_listing_leaves_out_is_not_taken_for_one_that_another_payment_has_taken() {
        Address one = spends.funded(11, 10_000, 20_000);
        plannedAndWaiting(one);
        rig.known = spends::coins;
        Await.until("the part is sent", () -> {
            spends.clock.advance(Duration.ofSeconds(1));
            return !transactions(sweep(one)).isEmpty();
        });
        spends.confirmAll();
        assertThat(spends.coins(rig.to)).hasSize(1);
    }

    /** Hides the coins from the books as soon as they are planned, so that the parts wait. */
    private void plannedAndWaiting(Address from) {
        AtomicBoolean planning = new AtomicBoolean(true);
        rig.listed = address -> planning.getAndSet(false) ? spends.coins(address) : List.of();
        Report planned = sweep(from);
        assertThat(planned.sweep().state()).isEqualTo(State.RUNNING);
        assertThat(transactions(planned)).isEmpty();
    }

    @Test
    void no_other_payment_takes_a_coin_that_a_running_sweep_is_going_to_move() {
        Address one = spends.funded(11, values(130, 10_000));
        plannedAndWaiting(one);

        for (int restarts = 0; restarts < 2; restarts++) {
            SpendRefusal.InFlightExhausted refused =
                    refusal(SpendRefusal.InFlightExhausted.class, elsewhere(one, 15_000, "elsewhere"));
            assertThat(refused.shortage().inFlightCount()).isEqualTo(130);
            refusal(SpendRefusal.InFlightExhausted.class, elsewhere(one, 15_000, null));
            rig.restart();
        }
        spends.fund(one, 40_000);
        get(elsewhere(one, 15_000, "elsewhere"));
        rig.listed = spends::coins;
        awaitDone();
        spends.confirmAll();
        assertThat(rig.arrived()).isEqualTo(1_300_000 - SweepRig.fees(rig.stored(TOKEN)));
    }

    /** Restarts with a store that delays the opening of spends of a kind; completes when the first one would be opened. */
    private CompletableFuture<Void> openingWaits(String kind, CompletionStage<Void> mayOpen) {
        CompletableFuture<Void> made = new CompletableFuture<>();
        spends.crash();
        spends.before = real -> Stub.of(IntentStore.class, call -> {
            if (!call.name().equals("open")
                    || !((Intent) call.arguments()[0]).kind().equals(kind)) {
                return call.on(real);
            }
            made.complete(null);
            return mayOpen.thenComposeAsync(go -> call.stage(real), spends.executor);
        });
        rig.start();
        return made;
    }

    @Test
    void a_payment_that_has_chosen_a_coin_which_is_planned_before_it_is_written_takes_another_one() {
        Address one = spends.funded(11, 30_000);
        CompletableFuture<Void> mayOpen = new CompletableFuture<>();
        CompletableFuture<Void> chosen = openingWaits("transfer", mayOpen);
        CompletionStage<Receipt> transfer = elsewhere(one, 15_000, "elsewhere");
        Await.result(chosen);
        plannedAndWaiting(one);
        spends.fund(one, 20_000);

        mayOpen.complete(null);

        refusal(SpendRefusal.InFlightExhausted.class, transfer);
        assertThat(get(elsewhere(one, 15_000, "elsewhere")).inputs())
                .extracting(Coin::value)
                .containsExactly(Amount.of(20_000));
    }

    @Test
    void a_part_that_lacks_a_coin_keeps_its_other_coins_from_nobody_after_its_sweep_went_on() {
        Address one = spends.funded(11, 10_000, 20_000);
        rig.ended.add(SweepRig.OWNER);
        sweep(one);
        get(elsewhere(one, 15_000, "elsewhere"));
        rig.ended.clear();

        assertThat(sweep(one).sweep().state()).isEqualTo(State.RUNNING);

        assertThat(get(elsewhere(one, 5_000, "another")).inputs())
                .extracting(Coin::value)
                .containsExactly(Amount.of(10_000));
    }

    @Test
    void parts_that_nobody_can_sign_stop_the_sweep_after_all_others_were_made_and_continue_when_the_key_is_there() {
        Address one = spends.funded(11, values(3, 10_000));
        Address two = spends.funded(12, values(3, 20_000));
        rig.lost.add(one);

        Report stopped = get(rig.sweep(TOKEN, Optional.of(Amount.of(400)), one, two));
        Await.until("it has stopped", () -> rig.stored(TOKEN).state() == State.STOPPED);
        assertThat(rig.stored(TOKEN).reason()).contains(one.toString()).contains("keyring");
        stopped = new Report(rig.stored(TOKEN), stopped.waiting(), stopped.others(), stopped.leftOver());
        for (PartState part : stopped.sweep().parts()) {
            boolean signable =
                    part.part().coins().stream().noneMatch(coin -> coin.owner().equals(one));
            assertThat(part.spend().isPresent()).isEqualTo(signable);
        }

        rig.lost.clear();
        Report done = get(rig.sweep(TOKEN, Optional.of(Amount.of(400)), one, two));
        assertThat(done.sweep().parts())
                .allSatisfy(part -> assertThat(part.spend()).isPresent());
        spends.confirmAll();
        assertThat(rig.arrived()).isEqualTo(90_000 - fees(done));
    }

    private void awaitDone() {
        spends.awaitAwake("each part has a spend", () -> rig.stored(TOKEN).state() == State.DONE);
    }

    @Test
    void a_sweep_that_the_store_cannot_write_on_with_continues_by_itself_when_it_can() {
        Address one = spends.funded(11, values(300, 10_000));
        spends.node.onSend(tx -> StoreFaults.failWrites(spends.store, true));

        Report waiting = sweep(one);

        assertThat(transactions(waiting)).hasSize(1);
        assertThat(waiting.sweep().state()).isEqualTo(State.RUNNING);
        assertThat(waiting.waiting().values()).anySatisfy(why -> assertThat(why).contains("cannot be written"));
        spends.node.onSend(tx -> {});
        StoreFaults.failWrites(spends.store, false);
        awaitDone();
        spends.confirmAll();
        assertThat(spends.coins(rig.to)).hasSize(3);
        assertThat(rig.arrived()).isEqualTo(3_000_000 - SweepRig.fees(rig.stored(TOKEN)));
    }

    @Test
    void a_key_that_stops_to_open_in_the_middle_stops_the_sweep_with_its_name_and_the_repeated_call_continues() {
        Address one = spends.funded(11, values(200, 10_000));
        spends.node.onSend(tx -> spends.keys.locked.add(one));

        Report first = sweep(one);
        Await.until("it has stopped", () -> rig.stored(TOKEN).state() == State.STOPPED);

        assertThat(transactions(first)).hasSize(1);
        assertThat(rig.stored(TOKEN).reason()).contains(one.toString()).contains("does not open");
        spends.node.onSend(tx -> {});
        spends.keys.locked.clear();
        assertThat(transactions(sweep(one))).hasSize(2).containsAll(transactions(first));
        spends.confirmAll();
        assertThat(rig.arrived()).isEqualTo(2_000_000 - SweepRig.fees(rig.stored(TOKEN)));
    }

    @Test
    void parts_that_a_cap_has_stopped_continue_after_a_start_with_a_higher_cap_when_the_call_is_repeated() {
        Address one = spends.funded(11, values(200, 10_000));
        restartWith(SpendHarness.perTransaction(900_000));
        assertThat(transactions(sweep(one))).isEmpty();
        assertThat(rig.stored(TOKEN).state()).isEqualTo(State.STOPPED);
        restartWith(SpendHarness.perTransaction(1_000_000));
        assertThat(rig.stored(TOKEN).state()).isEqualTo(State.STOPPED);

        assertThat(transactions(sweep(one))).hasSize(2);

        spends.confirmAll();
        assertThat(rig.arrived()).isEqualTo(2_000_000 - SweepRig.fees(rig.stored(TOKEN)));
    }

    @Test
    void a_restore_of_the_store_stops_a_running_sweep_frees_its_coins_and_the_repeated_call_continues() {
        Address one = spends.funded(11, values(130, 10_000));
        plannedAndWaiting(one);
        StoreCopy copy = copy();
        rig.start();
        get(spends.store.sweeps().move(TOKEN, State.RUNNING, State.RUNNING, ""));
        assertThat(get(rig.sweeps.unfinishedFrom(one))).contains(TOKEN);
        List<Part> parts = parts(rig.stored(TOKEN));

        spends.crash();
        copy.putBack();
        rig.startRestored();

        rig.listed = spends::coins;
        assertThat(rig.stored(TOKEN).state()).isEqualTo(State.STOPPED);
        assertThat(rig.stored(TOKEN).reason()).contains("restored");
        Outpoint coin = parts.get(0).coins().get(0).coin().outpoint();
        assertThat(spends.store.reservations().isPlannedByOther(coin, Optional.empty()))
                .isFalse();
        assertThat(parts(sweep(one).sweep())).isEqualTo(parts);
        awaitDone();
        spends.confirmAll();
        assertThat(rig.arrived()).isEqualTo(1_300_000 - SweepRig.fees(rig.stored(TOKEN)));
    }

    private static List<Part> parts(Sweep sweep) {
        return sweep.parts().stream().map(PartState::part).toList();
    }

    @Test
    void a_sweep_that_is_stopped_for_good_sends_no_further_part_and_its_coins_are_free() {
        Address one = spends.funded(11, values(200, 10_000));
        restartWith(SpendHarness.perDay(1_500_000));
        Report before = sweep(one);
        assertThat(transactions(before)).hasSize(1);

        Report stopped = get(rig.sweeps.stop(TOKEN)).orElseThrow();

        assertThat(stopped.sweep().isEnded()).isTrue();
        assertThat(stopped.leftOver().orElseThrow().get(LeftOver.OF_FAILED_PART).count())
                .isEqualTo(100);
        spends.clock.advance(Duration.ofDays(2));
        spends.confirmAll();
        for (int restarts = 0; restarts < 2; restarts++) {
            assertThat(transactions(sweep(one))).isEqualTo(transactions(before));
            assertThat(get(rig.sweeps.stop(TOKEN)).orElseThrow().sweep()).isEqualTo(rig.stored(TOKEN));
            rig.restart();
        }
        assertThat(rig.stored(TOKEN).state()).isEqualTo(State.DONE);
        assertThat(rig.arrived())
                .isEqualTo(1_000_000
                        - SweepRig.number(stopped.sweep().parts().get(0).part().fee()));
        assertThat(transactions(rig.swept("sweep-token-2", one))).hasSize(1);
    }

    @Test
    void a_part_that_is_being_made_when_its_sweep_is_stopped_for_good_is_not_opened() {
        Address one = spends.funded(11, 10_000, 20_000);
        CompletableFuture<Void> mayOpen = new CompletableFuture<>();
        CompletableFuture<Void> made = openingWaits(SweepStore.KIND, mayOpen);
        CompletionStage<Report> sweep = rig.sweep(TOKEN, Optional.empty(), one);
        Await.result(made);

        Report stopped = get(rig.sweeps.stop(TOKEN)).orElseThrow();
        mayOpen.complete(null);

        assertThat(stopped.sweep().isEnded()).isTrue();
        assertThat(get(sweep).sweep()).isEqualTo(stopped.sweep());
        spends.confirmAll();
        assertThat(transactions(sweep(one))).isEmpty();
        assertThat(spends.coins(rig.to)).isEmpty();
        get(elsewhere(one, 25_000, "elsewhere"));
    }

    @Test
    void a_sweep_that_was_stopped_for_good_is_so_after_a_restore_of_an_older_store() {
        Address one = spends.funded(11, 10_000, 20_000);
        rig.ended.add(SweepRig.OWNER);
        sweep(one);
        StoreCopy copy = copy();
        rig.start();
        get(rig.sweeps.stop(TOKEN));

        spends.crash();
        copy.putBack();
        rig.startRestored();
        rig.ended.clear();

        assertThat(sweep(one).sweep().isEnded()).isTrue();
        spends.confirmAll();
        assertThat(transactions(sweep(one))).isEmpty();
        assertThat(get(rig.sweeps.stop("a-token-of-no-sweep"))).isEmpty();
    }

    @Test
    void an_address_is_needed_until_its_coins_are_on_their_way_and_mined() {
        Address one = spends.funded(11, 10_000);
        sweep(one);
        assertThat(get(rig.sweeps.unfinishedFrom(one))).contains(TOKEN);

        spends.confirmAll();

        spends.awaitAwake(
                "its spend is confirmed",
                () -> get(rig.sweeps.unfinishedFrom(one)).isEmpty());
        assertThat(sweep(one).sweep().parts().get(0).spend().orElseThrow().state())
                .contains(IntentState.CONFIRMED);
    }

    @Test
    void a_part_that_every_node_refused_is_sent_again_as_the_same_transaction_when_the_call_is_repeated() {
        Address one = spends.funded(11, 10_000, 20_000);
        spends.node.refuseSends("mempool is full");
        Report refused = sweep(one);
        assertThat(refused.sweep().parts().get(0).spend().orElseThrow().state()).contains(IntentState.REFUSED);

        spends.node.refuseSends(null);
        Report sent = sweep(one);
        spends.confirmAll();

        assertThat(transactions(sent)).hasSize(1).isEqualTo(transactions(refused));
        assertThat(rig.arrived()).isEqualTo(30_000 - fees(sent));
    }

    @Test
    void a_part_that_was_mined_and_then_lost_its_coin_to_a_final_rival_ends_conflicted_and_is_never_built_again() {
        Address one = spends.funded(11, 10_000, 20_000);
        Report sent = sweep(one);
        spends.confirmAll();
        loseToRival(one, sent);
        spends.devnet.mine(SpendHarness.BURIAL_DEPTH);
        spends.awaitFollowed();

        Await.until("the rival is final", () -> {
            spends.wake();
            rig.restart();
            sweep(one);
            return part().spend().orElseThrow().closed();
        });
        Report after = sweep(one);
        assertThat(after.sweep().parts().get(0).spend().orElseThrow().state()).contains(IntentState.CONFLICTED);
        assertThat(transactions(after)).isEqualTo(transactions(sent));
        assertThat(spends.coins(rig.to)).isEmpty();
    }

    /** Sweeps one address, then lets a rival of the transaction be mined and disconnected: in the end neither is in a block or a mempool. */
    private Report sweptInVain(Address one) {
        Report first = sweep(one);
        spends.confirmAll();
        loseToRival(one, first);
        spends.awaitFollowed();
        Await.until("it has lost", () -> {
            spends.wake();
            sweep(one);
            return part().spend().orElseThrow().state().equals(Optional.of(IntentState.CONFLICTED));
        });
        spends.devnet.reorganise(2, false, List.of());
        spends.devnet.forgetMempool();
        spends.awaitFollowed();
        return first;
    }

    @Test
    void a_sweep_of_coins_whose_sweep_has_lost_makes_another_transaction_and_one_of_the_two_is_mined() {
        Address one = spends.funded(11, 10_000, 20_000);
        Report first = sweptInVain(one);

        Report second = rig.swept("sweep-token-2", one);

        assertThat(fees(second)).isEqualTo(fees(first) + 1);
        assertThat(transactions(second)).hasSize(1).doesNotContainAnyElementsOf(transactions(first));
        sweep(one);
        spends.confirmAll();
        assertThat(spends.coins(rig.to)).hasSize(1);
        assertThat(rig.arrived()).isEqualTo(30_000 - fees(second));
    }

    @Test
    void a_part_that_can_be_no_other_transaction_than_that_of_another_sweep_ends_and_says_so_and_the_other_continues() {
        Address one = spends.funded(11, 10_000, 20_000);
        Optional<Amount> least = Optional.of(Amount.of(fees(sweptInVain(one))));

        Report second = get(rig.sweep("sweep-token-2", least, one));

        Set<Hash256> first = SweepRig.transactions(rig.stored(TOKEN));
        assertThat(second.sweep().parts()).hasSize(1);
        assertThat(second.sweep().parts().get(0).ended()).isTrue();
        assertThat(second.others().get(0).txId()).isEqualTo(first.iterator().next());
        assertThat(second.others().get(0).state()).isEqualTo(IntentState.CONFLICTED);
        assertThat(rig.stored("sweep-token-2").state()).isEqualTo(State.DONE);
        rig.restart();
        assertThat(get(rig.sweep("sweep-token-2", least, one)).others()).containsOnlyKeys(0);
        assertThat(transactions(sweep(one))).isEqualTo(first);
        spends.confirmAll();
        assertThat(rig.arrived()).isEqualTo(30_000 - SweepRig.number(least.orElseThrow()));
        assertThat(get(rig.sweep("sweep-token-2", least, one)).others().get(0).state())
                .isEqualTo(IntentState.CONFIRMED);
    }

    @Test
    void a_part_that_stalled_while_another_sweep_made_its_transaction_ends_and_says_so() {
        Address one = spends.funded(11, 10_000, 20_000);
        rig.ended.add(SweepRig.OWNER);
        sweep(one);
        rig.ended.clear();
        Report other = rig.swept("sweep-token-2", one);

        Report after = sweep(one);

        assertThat(after.sweep().parts().get(0).ended()).isTrue();
        assertThat(after.others().get(0).txId())
                .isEqualTo(transactions(other).iterator().next());
        spends.confirmAll();
        assertThat(spends.coins(rig.to)).hasSize(1);
    }

    @Test
    void a_part_that_was_mined_in_a_block_that_went_is_mined_again_as_the_same_transaction() {
        Address one = spends.funded(11, 10_000, 20_000);
        Report sent = sweep(one);
        spends.confirmAll();
        spends.devnet.reorganise(1, false, List.of());
        spends.awaitFollowed();
        spends.awaitAwake("it is in flight again", () -> part().isUnfinished());

        Await.until("it is mined again", () -> {
            spends.devnet.mine(1);
            spends.wake();
            return spends.coins(rig.to).size() == 1;
        });
        assertThat(transactions(sweep(one))).isEqualTo(transactions(sent));
    }

    @Test
    void two_sweeps_of_the_same_address_under_two_tokens_never_plan_the_same_coin() {
        Address one = spends.funded(11, values(30, 10_000));
        CompletionStage<Report> a = rig.sweep(TOKEN, Optional.of(Amount.of(700)), one);
        CompletionStage<Report> b = rig.sweep("sweep-token-2", Optional.of(Amount.of(700)), one);
        Set<Outpoint> moved = new HashSet<>();
        int coins = 0;
        for (CompletionStage<Report> each : List.of(a, b)) {
            Optional<Report> report = ifBegun(each);
            if (report.isPresent()) {
                for (PartState part : report.get().sweep().parts()) {
                    coins += part.part().coins().size();
                    part.part().coins().forEach(coin -> moved.add(coin.coin().outpoint()));
                }
            }
        }
        assertThat(moved).hasSize(30);
        assertThat(coins).isEqualTo(30);
    }

    private static Optional<Report> ifBegun(CompletionStage<Report> sweep) {
        try {
            return Optional.of(get(sweep));
        } catch (SpendException e) {
            assertThat(e.refusal()).isInstanceOf(SpendRefusal.InFlightExhausted.class);
            return Optional.empty();
        }
    }

    @Test
    void a_store_that_has_lost_a_sweep_gets_it_back_from_the_log_stopped_and_with_the_same_parts() {
        Address one = spends.funded(11, values(130, 10_000));
        StoreCopy copy = copy();
        rig.start();
        Report before = sweep(one);
        assertThat(transactions(before)).hasSize(2);

        spends.crash();
        copy.putBack();
        rig.startRestored();

        Sweep restored = rig.stored(TOKEN);
        assertThat(restored.id()).isEqualTo(before.sweep().id());
        assertThat(restored.order()).isEqualTo(before.sweep().order());
        assertThat(restored.state()).isEqualTo(State.STOPPED);
        assertThat(SweepRig.transactions(restored)).isEqualTo(transactions(before));
        refusal(SpendRefusal.TokenConflict.class, spends.spending.transfer(request(one, rig.to, 1_000, TOKEN)));
        assertThat(transactions(sweep(one))).isEqualTo(transactions(before));
        spends.confirmAll();
        assertThat(rig.arrived()).isEqualTo(1_300_000 - fees(before));
    }

    private StoreCopy copy() {
        spends.crash();
        return StoreCopy.of(spends.folder());
    }

    /** Creates an address whose coins are worth 1,000 and so on; nothing of a sweep of them is sent. */
    private Address ownerOf(int coins) {
        List<NodeClient.Utxo> many = IntStream.range(0, coins)
                .mapToObj(i -> new NodeClient.Utxo(
                        new Outpoint(Hash256.sha256(new byte[] {(byte) i, (byte) (i >> 8)}), 0),
                        Amount.of(1_000 + i),
                        1,
                        false,
                        null))
                .toList();
        rig.listed = address -> many;
        rig.ended.add(SweepRig.OWNER);
        return spends.keys.add(11);
    }

    @Test
    void a_max_fee_for_one_coin_each_plans_a_thousand_parts_and_leaves_the_others_for_later() {
        Address one = ownerOf(1_002);

        Report planned = get(rig.sweep(TOKEN, Optional.of(Amount.of(70)), one));

        assertThat(planned.sweep().parts()).hasSize(1_000);
        assertThat(planned.leftOver().orElseThrow())
                .isEqualTo(Map.of(LeftOver.LATER, new Sweeps.Rest(2, Amount.of(1_000 + 1_001))));
    }

    @Test
    void ten_thousand_coins_are_planned_in_a_hundred_parts_and_what_is_above_is_left_for_later() {
        Address one = ownerOf(10_003);

        Report planned = sweep(one);

        assertThat(planned.sweep().parts()).hasSize(100);
        assertThat(planned.leftOver().orElseThrow()).containsOnlyKeys(LeftOver.LATER);
        assertThat(planned.leftOver().orElseThrow().get(LeftOver.LATER))
                .isEqualTo(new Sweeps.Rest(3, Amount.of(1_000 + 1_001 + 1_002)));
    }

    @Test
    void a_coin_of_the_least_value_that_leaves_no_dust_moves_and_a_smaller_one_does_not() {
        Address one = spends.funded(11, 263);
        Address two = spends.funded(12, 262);

        assertThat(transactions(sweep(one))).hasSize(1);
        refusal(SpendRefusal.InsufficientBalance.class, rig.sweep("sweep-token-2", Optional.empty(), two));
    }

    @Test
    void a_part_costs_no_more_than_max_fee() {
        Address one = spends.funded(11, values(30, 10_000));

        Report report = get(rig.sweep(TOKEN, Optional.of(Amount.of(700)), one));

        assertThat(report.sweep().parts().size()).isGreaterThan(2);
        Set<Outpoint> moved = new HashSet<>();
        report.sweep().parts().forEach(part -> {
            assertThat(part.part().fee()).isLessThanOrEqualTo(Amount.of(700));
            part.part().coins().forEach(each -> moved.add(each.coin().outpoint()));
        });
        assertThat(moved).hasSize(30);
        refusal(SpendRefusal.FeeTooHigh.class, rig.sweep("sweep-token-2", Optional.of(Amount.of(10)), one));
    }
}
