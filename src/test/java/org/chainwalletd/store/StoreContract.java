package org.chainwalletd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.chainwalletd.store.AccountSendSample.CHAIN;
import static org.chainwalletd.store.AccountSendSample.copy;
import static org.chainwalletd.store.AccountSendSample.renamed;
import static org.chainwalletd.store.Payments.bury;
import static org.chainwalletd.store.Payments.confirm;
import static org.chainwalletd.store.Payments.fail;
import static org.chainwalletd.store.Payments.failConflicted;
import static org.chainwalletd.store.Payments.failSent;
import static org.chainwalletd.store.Payments.found;
import static org.chainwalletd.store.Payments.inFlight;
import static org.chainwalletd.store.Payments.opening;
import static org.chainwalletd.store.Payments.pay;
import static org.chainwalletd.store.Payments.reserved;
import static org.chainwalletd.store.Payments.spendOfToken;
import static org.chainwalletd.store.Payments.stateOf;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;
import static org.chainwalletd.store.StoreSample.outpoint;
import static org.chainwalletd.store.StoreSample.raw;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.IntentStore.Unconfirmation;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.store.sql.QueueHistory;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contract that every store implementation must satisfy; tested by extending this class. */
public abstract class StoreContract {
    public static final Address PAYER = Address.parse("ab".repeat(32));

    @TempDir
    protected Path folder;

    Store store;

    /** Opens the store that belongs to the folder, creating it if absent. */
    protected abstract Store open(Path folder);

    @BeforeEach
    void open() {
        store = open(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    void restart() {
        store.close();
        open();
    }

    @Test
    void an_intent_comes_back_as_it_was_with_every_u64() {
        Intent intent = pay(store, intent(1, "token-one", 7, 8));
        restart();

        assertThat(found(store, intent.txId())).contains(intent);
        assertThat(inFlight(store)).containsExactly(intent);
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE))).contains(intent);
        assertThat(reserved(store))
                .extracting(ReservationStore.Reservation::coin)
                .containsExactlyInAnyOrderElementsOf(intent.inputs());
        assertThat(done(store.allowance().spentSince(0)))
                .containsExactly(new AllowanceStore.Minute(
                        AllowanceStore.Minute.startOf(intent.createdAt()),
                        intent.allowance().toBigInteger()));
    }

    @Test
    void an_intent_whose_coin_is_taken_leaves_nothing_behind() {
        pay(store, intent(1, Optional.empty(), 7));

        assertThat(opening(store, intent(2, "token-two", 8, 7)))
                .isEqualTo(new Opening.CoinTaken(new Coin(outpoint(7), Amount.MAX), hash(1)));

        assertThat(found(store, hash(2))).isEmpty();
        assertThat(spendOfToken(store, "token-two")).isEmpty();
        assertThat(reserved(store)).hasSize(1);
        assertThat(used()).isEqualTo(1);
    }

    @Test
    void a_refused_unit_does_not_spoil_the_others_of_its_batch() {
        List<Opening> answers = atOnce(50, i -> store.intents().open(intent(100 + i, Optional.empty(), i / 2), 0));

        assertThat(answers).filteredOn(Opening.CoinTaken.class::isInstance).hasSize(25);
        assertThat(reserved(store)).hasSize(25);
    }

    @Test
    void a_coin_of_a_running_sweep_is_spent_by_the_spend_of_its_part_alone() {
        SweepStore.Sweep sweep = sweep("sweep-one", parts(2, 7, 8));
        Intent other = intent(2, "token-two", 8);

        assertThat(opening(store, other))
                .isEqualTo(new Opening.CoinTaken(other.inputs().get(0), Hash256.ZERO));
        assertThat(store.reservations().isPlannedByOther(outpoint(8), Optional.of("token-two")))
                .isTrue();
        restart();
        assertThat(opening(store, other)).isInstanceOf(Opening.CoinTaken.class);
        pay(store, partSpend(sweep, 0, 1, 7));
        assertThat(opening(store, other)).isInstanceOf(Opening.CoinTaken.class);

        done(store.sweeps().endUnopened("sweep-one", 1));

        assertThat(isPlanned(8)).isFalse();
        pay(store, other);
    }

    @Test
    void a_coin_of_a_refused_part_is_free_although_its_sweep_is_running() {
        SweepStore.Sweep sweep = sweep("sweep-one", parts(2, 7, 8));
        Intent part = pay(store, partSpend(sweep, 0, 1, 7));
        fail(store, part.txId(), IntentState.REFUSED, 50);

        pay(store, intent(2, Optional.empty(), 7));
    }

    @Test
    void a_sweep_that_stops_leaves_its_coins_to_others_and_takes_back_whole_parts_only() {
        sweep("sweep-one", List.of(part(0, 7, 8), part(1, 9, 10)));
        moved("sweep-one", SweepStore.State.RUNNING, SweepStore.State.STOPPED);
        pay(store, intent(2, Optional.empty(), 7));

        moved("sweep-one", SweepStore.State.STOPPED, SweepStore.State.RUNNING);

        for (int restarts = 0; restarts < 2; restarts++) {
            assertThat(isPlanned(8)).as("its part lacks a coin").isFalse();
            assertThat(isPlanned(9)).isTrue();
            restart();
            // A shared store reads its rows in its first write.
            done(store.intents().findForCertain(hash(99)));
        }
    }

    @Test
    void a_sweep_plans_no_coin_that_a_spend_holds_or_another_running_sweep_plans() {
        pay(store, intent(2, Optional.empty(), 7));
        sweep("sweep-one", parts(1, 8));
        List<Integer> free = new ArrayList<>();

        done(store.sweeps()
                .begin(
                        order("sweep-two"),
                        cutter(taken -> {
                            List.of(7, 8, 9).stream()
                                    .filter(coin -> !taken.test(outpoint(coin)))
                                    .forEach(free::add);
                            return parts(1, 9);
                        }),
                        50));

        assertThat(free).containsExactly(9);
    }

    private boolean isPlanned(int coin) {
        return store.reservations().isPlannedByOther(outpoint(coin), Optional.empty());
    }

    private SweepStore.Sweep sweep(String token, List<SweepStore.Part> parts) {
        return begun(store, token, parts);
    }

    /** Begins a sweep with these parts. */
    public static SweepStore.Sweep begun(Store store, String token, List<SweepStore.Part> parts) {
        SweepStore.Beginning begun = done(store.sweeps().begin(order(token), cutter(parts), 40));
        return ((SweepStore.Beginning.Begun) begun).sweep();
    }

    private void moved(String token, SweepStore.State before, SweepStore.State after) {
        done(store.sweeps().move(token, before, after, "a cap"));
    }

    private static SweepStore.Order order(String token) {
        Address to = Address.parse("cd".repeat(32));
        return new SweepStore.Order(
                token, Optional.empty(), hash(77), List.of(PAYER), to, Amount.of(61), Optional.empty());
    }

    /** Returns parts of one coin each. */
    private static List<SweepStore.Part> parts(int count, int... coins) {
        List<SweepStore.Part> parts = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            parts.add(part(number, coins[number]));
        }
        return parts;
    }

    public static SweepStore.Cutter cutter(List<SweepStore.Part> parts) {
        return cutter(taken -> parts);
    }

    /** Returns a cutter whose parts have transactions that no spend has. */
    public static SweepStore.Cutter cutter(Function<Predicate<Outpoint>, List<SweepStore.Part>> cut) {
        return new SweepStore.Cutter() {
            @Override
            public List<SweepStore.Part> cut(Predicate<Outpoint> taken) {
                return cut.apply(taken);
            }

            @Override
            public Hash256 txId(SweepStore.Part part) {
                return Hash256.ZERO;
            }

            @Override
            public Optional<SweepStore.Part> otherwise(SweepStore.Part part) {
                return Optional.empty();
            }
        };
    }

    public static SweepStore.Part part(int number, int... coins) {
        List<SweepStore.OwnedCoin> owned = new ArrayList<>();
        for (int coin : coins) {
            owned.add(new SweepStore.OwnedCoin(PAYER, new Coin(outpoint(coin), Amount.MAX)));
        }
        return new SweepStore.Part(number, Amount.of(300), owned);
    }

    public static Intent partSpend(SweepStore.Sweep sweep, int part, int id, int... coins) {
        Intent any = intent(id, SweepStore.partToken(sweep.id(), part), coins);
        return StoreSample.ofKind(SweepStore.KIND, any);
    }

    @Test
    void a_failed_spend_gives_its_coins_and_its_allowance_back() {
        Intent intent = pay(store, intent(1, "token-one", 7));

        done(store.intents()
                .fail(intent.txId(), IntentState.PREPARED, IntentState.REFUSED, "node error -32602: no", 50));

        assertThat(reserved(store)).isEmpty();
        assertThat(used()).isZero();
        assertThat(spendOfToken(store, "token-one"))
                .contains(intent.in(IntentState.REFUSED, "node error -32602: no", 50));
    }

    @Test
    void a_confirmed_spend_frees_its_coins_and_keeps_its_allowance() {
        Intent intent = pay(store, intent(1, Optional.empty(), 7));

        confirm(store, intent.txId(), 50);

        assertThat(reserved(store)).isEmpty();
        assertThat(used()).isEqualTo(1);
        assertThat(inFlight(store)).isEmpty();
    }

    @Test
    void a_confirmed_spend_keeps_its_block_until_it_is_buried() {
        Intent intent = pay(store, intent(1, Optional.empty(), 7));
        confirm(store, intent.txId(), 50);
        done(store.intents().confirm(intent.txId(), IntentState.CONFIRMED, new BlockPlace(10, hash(10)), 60));
        restart();

        assertThat(done(store.intents().unburied()))
                .containsExactly(
                        new ConfirmedSpend(intent.txId(), intent.inputs(), Optional.of(new BlockPlace(10, hash(10)))));
        assertThat(found(store, intent.txId()).orElseThrow().changedAt())
                .as("another block is no new confirmation")
                .isEqualTo(50);
        bury(store, intent.txId());
        assertThat(done(store.intents().unburied())).isEmpty();
    }

    @Test
    void a_spend_that_left_the_chain_is_in_flight_again_with_all_coins_that_nobody_else_has() {
        Intent intent = pay(store, intent(1, "token-one", 7, 8));
        confirm(store, intent.txId(), 50);
        pay(store, intent(2, Optional.empty(), 8));

        Intent again = ((Unconfirmation.BackInFlight) done(store.intents().unconfirm(intent.txId(), 70))).intent();
        restart();

        assertThat(again).isEqualTo(intent.in(IntentState.ACCEPTED, "", 70));
        assertThat(spendOfToken(store, "token-one")).contains(again);
        assertThat(inFlight(store)).contains(again);
        assertThat(done(store.intents().unburied())).isEmpty();
        assertThat(used()).isEqualTo(2);
        assertThat(reserved(store))
                .extracting(ReservationStore.Reservation::coin, ReservationStore.Reservation::txId)
                .containsExactlyInAnyOrder(
                        tuple(new Coin(outpoint(7), Amount.MAX), hash(1)),
                        tuple(new Coin(outpoint(8), Amount.MAX), hash(2)));
        assertThat(done(store.intents().unconfirm(intent.txId(), 80)))
                .isEqualTo(new Unconfirmation.NotConfirmed(Optional.of(IntentState.ACCEPTED)));
    }

    @Test
    void a_refused_spend_can_be_opened_again_unless_its_coin_is_taken() {
        Intent first = pay(store, intent(1, "token-one", 7));
        fail(store, first.txId(), IntentState.REFUSED, 50);
        assertThat(done(store.intents().reopen(first.in(IntentState.REFUSED, "no", 50), 60)))
                .isEqualTo(new Opening.Opened(false));
        assertThat(inFlight(store)).hasSize(1);
        fail(store, first.txId(), IntentState.REFUSED, 70);
        pay(store, intent(2, Optional.empty(), 7));

        assertThat(done(store.intents().reopen(first.in(IntentState.REFUSED, "no", 70), 80)))
                .isEqualTo(new Opening.CoinTaken(first.inputs().get(0), hash(2)));

        assertThat(stateOf(store, first.txId())).isEqualTo(IntentState.REFUSED);
    }

    /** Otherwise a transaction that turns up later would be the receipt of two payments. */
    @Test
    void two_tokens_never_share_a_transaction_however_the_first_ended_unless_it_was_refused() {
        List<Intent> ended = new ArrayList<>();
        for (IntentState state : IntentState.values()) {
            Intent first = pay(store, intent(10 + state.ordinal(), "token-" + state, state.ordinal()));
            bring(first, state);
            ended.add(found(store, first.txId()).orElseThrow());
        }

        for (Intent there : ended) {
            Intent second = intent(
                    10 + there.state().ordinal(), "token-new", there.state().ordinal());
            if (there.state() != IntentState.REFUSED) {
                assertThat(opening(store, second)).isEqualTo(new Opening.SameTransaction(there));
                assertThat(found(store, there.txId())).contains(there);
            }
        }
        assertThat(spendOfToken(store, "token-new")).isEmpty();
    }

    @Test
    void a_refused_spend_makes_room_for_the_same_transaction_and_its_token_is_forgotten() {
        Intent first = pay(store, intent(1, "token-one", 7));
        bring(first, IntentState.REFUSED);

        Intent second = intent(1, "token-two", 7);
        assertThat(opening(store, second)).isEqualTo(new Opening.Opened(true));

        assertThat(spendOfToken(store, "token-one")).isEmpty();
        assertThat(spendOfToken(store, "token-two")).contains(second);
        assertThat(done(store.intents().reopen(first.in(IntentState.REFUSED, "no", 50), 80)))
                .isEqualTo(new Opening.SameTransaction(second));
    }

    private void lose(Intent intent) {
        pay(store, intent);
        failConflicted(store, intent.txId(), 50);
    }

    private Optional<Bound> bound(String token) {
        return done(store.receipts().bound(token, 0));
    }

    private Optional<Hash256> boundTo(String token) {
        return spendOfToken(store, token).map(Intent::txId);
    }

    @Test
    void a_payment_that_lost_is_built_again_only_with_a_coin_of_each_earlier_try() {
        Intent first = intent(1, "token-one", 1, 2);
        lose(first);
        Intent apart = intent(2, "token-one", 3);
        assertThat(opening(store, apart)).isEqualTo(new Opening.TokenTaken(first.txId()));
        Intent second = intent(3, "token-one", 2, 3);
        lose(second);
        assertThat(boundTo("token-one")).contains(second.txId());
        assertThat(done(store.intents().reopen(first.in(IntentState.CONFLICTED, "spent", 50), 60)))
                .as("the bytes of before are never sent again")
                .isEqualTo(new Opening.Moved(Optional.of(IntentState.CONFLICTED)));
        Intent besideTheFirst = intent(4, "token-one", 3, 4);
        assertThat(opening(store, besideTheFirst)).isEqualTo(new Opening.TokenTaken(second.txId()));

        restart();
        Intent third = pay(store, intent(5, "token-one", 2, 5));
        assertThat(opening(store, intent(6, "token-one", 2, 6)))
                .as("one that has not lost")
                .isEqualTo(new Opening.TokenTaken(third.txId()));
    }

    @Test
    void a_payment_is_built_from_other_coins_when_every_earlier_try_has_lost_for_good() {
        Intent first = intent(1, "token-one", 1, 2);
        lose(first);
        Intent second = intent(2, "token-one", 2, 3);
        lose(second);
        Intent apart = intent(3, "token-one", 4);
        bury(store, second.txId());
        assertThat(opening(store, apart))
                .as("the first may still be mined")
                .isEqualTo(new Opening.TokenTaken(second.txId()));
        bury(store, first.txId());

        pay(store, apart);
        assertThat(boundTo("token-one")).contains(apart.txId());
    }

    @Test
    void a_token_stands_for_whichever_of_its_tries_a_block_has() {
        Intent first = intent(1, "token-one", 1, 2);
        lose(first);
        Intent second = pay(store, intent(2, "token-one", 2, 3));

        done(store.intents().confirm(first.txId(), IntentState.CONFLICTED, new BlockPlace(9, hash(9)), 60));
        assertThat(boundTo("token-one")).contains(first.txId());
        failConflicted(store, second.txId(), 61);
        restart();
        assertThat(boundTo("token-one")).contains(first.txId());

        done(store.intents().unconfirm(first.txId(), 62));
        done(store.intents().confirm(second.txId(), IntentState.CONFLICTED, new BlockPlace(9, hash(8)), 63));
        assertThat(boundTo("token-one")).contains(second.txId());
    }

    @Test
    void other_parameters_other_kinds_and_other_ends_are_not_built_again() {
        for (IntentState state : List.of(IntentState.REFUSED, IntentState.ABANDONED, IntentState.CONTESTED)) {
            Intent ended = pay(store, intent(10 + state.ordinal(), "token-" + state, state.ordinal(), 20));
            bring(ended, state);
            done(store.reservations().abandon(Map.of(ended.txId(), Set.of(outpoint(20)))));
            Intent again = intent(30 + state.ordinal(), "token-" + state, state.ordinal(), 40);
            assertThat(opening(store, again)).isEqualTo(new Opening.TokenTaken(ended.txId()));
        }
        Intent lock = StoreSample.ofKind("htlc_lock", intent(1, "token-lock", 50, 51));
        lose(lock);
        Intent another = StoreSample.ofKind("htlc_lock", intent(2, "token-lock", 50, 52));
        assertThat(opening(store, another)).isEqualTo(new Opening.TokenTaken(lock.txId()));
    }

    private void bring(Intent intent, IntentState state) {
        Hash256 txId = intent.txId();
        switch (state) {
            case PREPARED -> {}
            case ACCEPTED -> done(store.intents().accept(txId, Set.of(IntentState.PREPARED), 50));
            case CONFIRMED -> confirm(store, txId, 50);
            case REFUSED, CONFLICTED -> fail(store, txId, state, 50);
            case CONTESTED -> done(store.intents().contest(txId, "a node had it", 50));
            case ABANDONED -> giveUp(txId, intent.inputs().get(0).outpoint(), 50);
        }
    }

    @Test
    void a_change_takes_only_from_the_state_that_was_named() {
        for (IntentState found : IntentState.values()) {
            for (IntentState before : IntentState.values()) {
                int number = 100 + 10 * found.ordinal() + before.ordinal();
                Intent intent = pay(store, intent(number, Optional.empty(), number));
                bring(intent, found);

                Transition failed =
                        done(store.intents().fail(intent.txId(), before, IntentState.CONFLICTED, "spent", 60));

                assertThat(failed)
                        .as(found + " when " + before + " was expected")
                        .isEqualTo(
                                before.isStill(found)
                                        ? new Transition.Made()
                                        : new Transition.Stale(Optional.of(found)));
                assertThat(stateOf(store, intent.txId()))
                        .isEqualTo(before.isStill(found) ? IntentState.CONFLICTED : found);
            }
        }
        assertThat(done(store.intents().abandon(hash(999), "unknown", 60)))
                .isEqualTo(new Transition.Stale(Optional.empty()));
    }

    @Test
    void of_many_that_ask_at_once_one_has_the_token_and_one_has_the_coin() {
        List<Opening> all = atOnce(
                60,
                i -> i % 2 == 0
                        ? store.intents().open(intent(200 + i, "token-wanted", 200 + i), 0)
                        : store.intents().open(intent(200 + i, Optional.empty(), 200 + i, 7), 0));

        List<Opening> sameToken =
                IntStream.range(0, 30).mapToObj(i -> all.get(2 * i)).toList();
        List<Opening> sameCoin =
                IntStream.range(0, 30).mapToObj(i -> all.get(2 * i + 1)).toList();
        Intent winner = spendOfToken(store, "token-wanted").orElseThrow();
        assertThat(sameToken.stream().distinct())
                .containsExactlyInAnyOrder(new Opening.Opened(false), new Opening.TokenTaken(winner.txId()));
        List<ReservationStore.Reservation> coin = reserved(store).stream()
                .filter(held -> held.coin().outpoint().equals(outpoint(7)))
                .toList();
        assertThat(coin).hasSize(1);
        assertThat(sameCoin).filteredOn(Opening.Opened.class::isInstance).hasSize(1);
        assertThat(sameCoin)
                .contains(new Opening.CoinTaken(
                        new Coin(outpoint(7), Amount.MAX), coin.get(0).txId()));
    }

    /** Makes all calls before awaiting the first answer. */
    private static <T> List<T> atOnce(int times, IntFunction<CompletionStage<T>> ask) {
        List<CompletableFuture<T>> asked = IntStream.range(0, times)
                .mapToObj(i -> ask.apply(i).toCompletableFuture())
                .toList();
        return asked.stream().map(Await::result).toList();
    }

    @Test
    void a_use_of_the_allowance_counts_since_it_is_written_however_long_before_the_spend_was_made() {
        Intent late = intent(2, Optional.empty(), 8);
        long written = late.createdAt() + 3 * AllowanceStore.MINUTE_MILLIS;

        done(store.intents().open(late, 0, true, () -> written));
        restart();

        assertThat(done(store.allowance().spentSince(0)))
                .containsExactly(new AllowanceStore.Minute(
                        AllowanceStore.Minute.startOf(written), late.allowance().toBigInteger()));
        fail(store, late.txId(), IntentState.REFUSED, written);
        assertThat(StoreSample.used(store))
                .as("it gives back what it took where it took it")
                .isZero();
    }

    @Test
    void of_many_outcomes_that_are_told_at_once_one_is_made_and_the_others_hear_which() {
        Intent intent = pay(store, intent(1, Optional.empty(), 7));

        List<Transition> answers = atOnce(
                40,
                i -> i % 2 == 0
                        ? store.intents().fail(intent.txId(), IntentState.PREPARED, IntentState.CONFLICTED, "spent", 50)
                        : store.intents().confirm(intent.txId(), IntentState.PREPARED, new BlockPlace(9, hash(9)), 50));

        IntentState now = stateOf(store, intent.txId());
        assertThat(answers).containsOnlyOnce(new Transition.Made());
        assertThat(answers.stream().distinct())
                .containsExactlyInAnyOrder(new Transition.Made(), new Transition.Stale(Optional.of(now)));
    }

    @Test
    void what_was_reserved_again_is_not_ended_by_an_end_that_comes_late() {
        Intent intent = pay(store, intent(1, "token-one", 7, 8));
        giveUp(intent.txId(), outpoint(7), 50);
        Intent abandoned = found(store, intent.txId()).orElseThrow();
        done(store.intents().reopen(abandoned, 60));

        Transition late = done(store.reservations().end(intent.txId(), IntentState.ABANDONED));

        assertThat(late).isEqualTo(new Transition.Stale(Optional.of(IntentState.PREPARED)));
        assertThat(reserved(store)).hasSize(2);
        restart();
        assertThat(reserved(store)).hasSize(2);
    }

    @Test
    void coins_whose_time_was_over_are_reserved_again_as_far_as_nobody_else_has_them() {
        Intent intent = pay(store, intent(1, Optional.empty(), 7, 8, 9));
        done(store.reservations().end(intent.txId(), IntentState.PREPARED));
        assertThat(reserved(store)).isEmpty();
        pay(store, intent(2, Optional.empty(), 8));

        done(store.reservations().reserveAgain(intent.txId()));
        restart();

        assertThat(reserved(store))
                .extracting(held -> held.coin().outpoint(), ReservationStore.Reservation::txId)
                .containsExactlyInAnyOrder(
                        tuple(outpoint(7), hash(1)), tuple(outpoint(9), hash(1)), tuple(outpoint(8), hash(2)));
        assertThat(opening(store, intent(3, Optional.empty(), 9)))
                .isEqualTo(new Opening.CoinTaken(new Coin(outpoint(9), Amount.MAX), hash(1)));
    }

    @Test
    void what_is_out_of_date_is_forgotten_in_bites_the_oldest_first() {
        for (int i = 0; i < 10; i++) {
            Intent intent = pay(store, intent(i, "token-" + i, i));
            fail(store, intent.txId(), IntentState.REFUSED, 50 + i);
        }

        assertThat(done(store.intents().forget(58, 5))).isEqualTo(5);
        assertThat(spendOfToken(store, "token-4")).isEmpty();
        assertThat(spendOfToken(store, "token-5")).isPresent();
        assertThat(done(store.intents().forget(58, 5))).isEqualTo(3);
        assertThat(spendOfToken(store, "token-8")).isPresent();
    }

    private static final Duration HOUR = Duration.ofHours(1);
    private final ManualClock clock = new ManualClock(Instant.EPOCH.plus(HOUR.multipliedBy(10)));

    private static final Amount ONE = Amount.of(1_000);

    private static Intent paying(int number) {
        Intent intent = intent(number, "token-" + number, number);
        return Copies.with(intent, "allowance", ONE);
    }

    /** Sets the cap per transaction to {@link #ONE}, and the cap per hour to this number of payments. */
    private void cap(int payments) {
        cap(ONE, Amount.of(ONE.bits() * payments));
    }

    private void cap(Amount perTransaction, Amount perPeriod) {
        AllowanceStore.Limits limits =
                new AllowanceStore.Limits(Optional.of(perTransaction), Optional.of(perPeriod), HOUR);
        done(store.allowance().govern(limits, clock, () -> OptionalLong.of(clock.millis())));
    }

    private CompletionStage<Opening> openNow(int number) {
        return store.intents().open(paying(number), 0, true, clock::millis);
    }

    @Test
    void of_many_that_ask_at_once_as_many_are_opened_as_the_cap_allows_and_not_one_more() {
        cap(2);

        List<Opening> answers = atOnce(30, i -> openNow(i));

        assertThat(answers).filteredOn(Opening.Opened.class::isInstance).hasSize(2);
        Amount two = ONE.plus(ONE);
        assertThat(answers)
                .filteredOn(answer -> !(answer instanceof Opening.Opened))
                .hasSize(28)
                .containsOnly(new Opening.CapExceeded("per_period", two, two, ONE, Amount.ZERO, HOUR.toSeconds()));
        assertThat(StoreSample.used(store)).isEqualTo(two.toBigInteger());
        assertThat(reserved(store)).as("what is refused holds nothing").hasSize(2);
        assertThat(done(store.allowance().status()).remaining()).contains(Amount.ZERO);
    }

    @Test
    void the_cap_is_judged_by_the_rows_of_an_earlier_process_too() {
        cap(2);
        done(openNow(1));
        restart();
        cap(2);

        assertThat(done(openNow(2))).isInstanceOf(Opening.Opened.class);
        assertThat(done(openNow(3))).isInstanceOf(Opening.CapExceeded.class);
        assertThat(spendOfToken(store, "token-3")).isEmpty();

        clock.advance(HOUR.plusMinutes(1));
        assertThat(done(openNow(3))).isInstanceOf(Opening.Opened.class);
    }

    private CompletionStage<Opening> openFor(String tokenName, int number) {
        Intent.Details details = new Intent.Details(Optional.of(tokenName), Optional.empty(), Optional.empty());
        return store.intents().open(paying(number).with(details), 0, true, clock::millis);
    }

    @Test
    void the_cap_per_period_of_a_named_token_holds_for_it_alone_slides_and_survives_a_restart() {
        Amount two = ONE.plus(ONE);
        Runnable govern = () -> {
            cap(20);
            store.allowance().governTokens(name -> name.equals("shop") ? Optional.of(two) : Optional.empty());
        };
        govern.run();

        List<Opening> answers = atOnce(10, i -> openFor("shop", i));
        assertThat(answers).filteredOn(Opening.Opened.class::isInstance).hasSize(2);
        Opening.CapExceeded exceeded = new Opening.CapExceeded(
                "per_period", two, two, ONE, Amount.ZERO, HOUR.toSeconds(), Optional.of("shop"));
        assertThat(answers)
                .filteredOn(answer -> !(answer instanceof Opening.Opened))
                .containsOnly(exceeded);
        assertThat(done(openFor("other", 11))).isInstanceOf(Opening.Opened.class);
        assertThat(done(openNow(12))).isInstanceOf(Opening.Opened.class);

        restart();
        govern.run();
        assertThat(done(openFor("shop", 13))).isEqualTo(exceeded);
        fail(store, hash(0), IntentState.REFUSED, clock.millis());
        assertThat(done(openFor("shop", 13)))
                .as("what never left is given back")
                .isInstanceOf(Opening.Opened.class);
        assertThat(done(openFor("shop", 14))).isEqualTo(exceeded);

        clock.advance(HOUR.plusMinutes(1));
        assertThat(done(openFor("shop", 14))).isInstanceOf(Opening.Opened.class);
    }

    @Test
    void a_spend_above_the_cap_of_one_is_not_opened_unless_no_cap_may_refuse_it_and_then_it_counts() {
        Amount less = ONE.minus(Amount.of(1));
        cap(less, ONE);

        assertThat(done(openNow(1)))
                .isEqualTo(new Opening.CapExceeded("per_tx", less, Amount.ZERO, ONE, less, HOUR.toSeconds()));
        for (int i = 2; i < 4; i++) {
            assertThat(done(store.intents().open(paying(i), 0, false, clock::millis)))
                    .isInstanceOf(Opening.Opened.class);
        }
        assertThat(done(store.allowance().status()).spent()).isEqualTo(ONE.plus(ONE));
    }

    @Test
    void a_spend_that_is_opened_again_counts_once_against_the_cap_and_only_while_there_is_room() {
        cap(1);
        done(openNow(1));
        failSent(store, hash(1), IntentState.REFUSED, clock.millis());
        Intent refused = found(store, hash(1)).orElseThrow();

        assertThat(done(store.intents().reopen(refused, true, clock::millis))).isEqualTo(new Opening.Opened(false));
        assertThat(StoreSample.used(store)).isEqualTo(ONE.toBigInteger());

        fail(store, hash(1), IntentState.REFUSED, clock.millis());
        done(openNow(2));
        Intent unsent = found(store, hash(1)).orElseThrow();
        assertThat(done(store.intents().reopen(unsent, true, clock::millis))).isInstanceOf(Opening.CapExceeded.class);
        assertThat(found(store, hash(1))).contains(unsent);
        assertThat(done(store.intents().reopen(unsent, false, clock::millis))).isEqualTo(new Opening.Opened(false));
    }

    @Test
    void uses_stamped_by_a_clock_that_was_ahead_count_since_it_is_set_right_also_after_a_restart() {
        clock.advance(HOUR.multipliedBy(90));
        cap(1);
        done(openNow(1));
        clock.advance(HOUR.multipliedBy(-90));

        assertThat(done(openNow(2))).isInstanceOf(Opening.CapExceeded.class);
        restart();
        cap(1);
        assertThat(done(store.allowance().spentSince(0)))
                .extracting(AllowanceStore.Minute::start)
                .containsExactly(AllowanceStore.Minute.startOf(clock.millis()));
        clock.advance(HOUR.plusMinutes(1));
        assertThat(done(openNow(2))).isInstanceOf(Opening.Opened.class);
        fail(store, hash(1), IntentState.REFUSED, clock.millis());
        assertThat(StoreSample.used(store))
                .as("it gives back what counts since then")
                .isEqualTo(ONE.toBigInteger());
    }

    @Test
    void a_minute_counts_until_its_last_use_has_left_the_period() {
        long minute = AllowanceStore.MINUTE_MILLIS;
        for (int i = 0; i < 3; i++) {
            Intent intent = pay(store, StoreSample.madeAt(10 * minute + 20_000L * i, intent(i, Optional.empty(), i)));
            confirm(store, intent.txId(), 0);
        }
        BigInteger all =
                intent(1, Optional.empty(), 1).allowance().toBigInteger().multiply(BigInteger.valueOf(3));

        for (long since : List.of(10 * minute, 10 * minute + 30_000, 11 * minute - 1)) {
            List<AllowanceStore.Minute> spent = done(store.allowance().spentSince(since));
            assertThat(spent).containsExactly(new AllowanceStore.Minute(10 * minute, all));
            assertThat(spent.get(0).last()).isGreaterThanOrEqualTo(since);
        }
        done(store.allowance().forgetUses(11 * minute - 1, 0));
        assertThat(StoreSample.used(store)).isEqualTo(all);
        done(store.allowance().forgetUses(11 * minute, 0));
        assertThat(StoreSample.used(store)).isZero();
    }

    @Test
    void a_token_expires_only_after_its_spend_is_closed() {
        Intent first = pay(store, intent(1, "token-one", 7));
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE))).isPresent();
        confirm(store, first.txId(), 50);
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE)))
                .as("not buried")
                .isPresent();
        assertThat(done(store.intents().forget(Long.MAX_VALUE, 100))).isZero();
        bury(store, first.txId());
        assertThat(done(store.receipts().find("token-one", 50))).isPresent();
        assertThat(done(store.receipts().find("token-one", 51))).isEmpty();
        assertThat(done(store.intents().open(intent(2, "token-one", 8), 50))).isInstanceOf(Opening.TokenTaken.class);

        done(store.intents().open(intent(2, "token-one", 8), 51));

        assertThat(done(store.receipts().find("token-one", 51)).orElseThrow().txId())
                .isEqualTo(hash(2));
        assertThat(done(store.intents().forget(51, 100))).isEqualTo(1);
        assertThat(done(store.receipts().find("token-one", 51))).isPresent();
    }

    /** Otherwise a batch that spends its change could stay in flight indefinitely. */
    @Test
    void what_is_lost_for_good_stays_so_when_its_token_has_expired() {
        Intent paid = settled(1, "token-paid", 50);
        Intent lost = pay(store, intent(2, "token-lost", 2));
        done(store.intents().fail(lost.txId(), IntentState.PREPARED, IntentState.CONFLICTED, "another was first", 50));
        Set<Hash256> both = Set.of(paid.txId(), lost.txId());
        assertThat(done(store.intents().lostForGood(both))).contains(lost.txId());
        assertThat(done(store.intents().forget(51, 100))).isEqualTo(2);
        assertThat(found(store, lost.txId())).isEmpty();
        assertThat(done(store.intents().lostForGood(both))).contains(lost.txId());
        assertThat(done(store.intents().lostForGood(Set.of(paid.txId(), hash(3)))))
                .isEmpty();
    }

    /** Otherwise a payment made from its change would be paid again. */
    @Test
    void what_was_never_sent_is_not_lost_for_good_because_the_same_transaction_may_be_made_again() {
        Intent refused = pay(store, intent(2, "token-unsent", 2));
        fail(store, refused.txId(), IntentState.REFUSED, 50);
        assertThat(done(store.intents().lost(0, 10))).isEmpty();
        assertThat(done(store.intents().lostForGood(Set.of(refused.txId())))).isEmpty();
        assertThat(done(store.intents().forget(51, 100))).isEqualTo(1);
        assertThat(found(store, refused.txId())).isEmpty();
        assertThat(done(store.intents().lostForGood(Set.of(refused.txId())))).isEmpty();
    }

    /** The store does not know whether they were never sent or are lost; the chain can tell by their coins. */
    @Test
    void refused_spends_are_listed_with_their_coins_until_they_are_forgotten() {
        Intent unsent = pay(store, intent(1, "token-unsent", 1));
        fail(store, unsent.txId(), IntentState.REFUSED, 50);
        Intent sent = pay(store, intent(2, "token-sent", 2));
        done(store.intents().failSent(sent.txId(), IntentState.PREPARED, IntentState.REFUSED, "not wanted", 50));
        Intent lost = pay(store, intent(3, "token-lost", 3));
        fail(store, lost.txId(), IntentState.CONFLICTED, 50);
        Set<Hash256> all = Set.of(unsent.txId(), sent.txId(), lost.txId(), hash(4));
        assertThat(done(store.intents().refused(all)))
                .containsExactlyInAnyOrder(
                        PackedSpend.of(unsent.txId(), unsent.inputs()), PackedSpend.of(sent.txId(), sent.inputs()));
        done(store.intents().bury(List.of(sent.txId())));
        assertThat(done(store.intents().refused(all))).hasSize(2);
        assertThat(done(store.intents().forget(51, 100))).isEqualTo(3);
        assertThat(done(store.intents().refused(all))).isEmpty();
    }

    @Test
    void what_is_confirmed_is_not_lost_for_good_even_if_an_earlier_spend_with_the_same_transaction_was() {
        Intent lost = pay(store, intent(2, "token-lost", 2));
        fail(store, lost.txId(), IntentState.CONFLICTED, 50);
        assertThat(done(store.intents().forget(51, 100))).isEqualTo(1);
        assertThat(done(store.intents().lostForGood(Set.of(lost.txId())))).contains(lost.txId());
        settled(2, "token-again", 60);
        assertThat(done(store.intents().lostForGood(Set.of(lost.txId())))).isEmpty();
        assertThat(done(store.intents().forget(61, 100))).isEqualTo(1);
        assertThat(found(store, lost.txId())).isEmpty();
        assertThat(done(store.intents().lostForGood(Set.of(lost.txId())))).isEmpty();
    }

    /** Creates a spend confirmed at {@code at} and buried. */
    private Intent settled(int id, String token, long at) {
        Intent intent = pay(store, intent(id, token, id));
        confirm(store, intent.txId(), at);
        bury(store, intent.txId());
        return intent;
    }

    private static final Bytes ANSWER = Bytes.parse("0badcafe");

    @Test
    void a_token_whose_spend_has_made_room_for_its_answer_stays_bound_and_its_transaction_known() {
        Intent paid = settled(1, "token-paid", 50);
        Intent twin = intent(1, "token-twin", 1);

        assertThat(done(store.receipts().keep(Map.of(paid.txId(), ANSWER)))).isEqualTo(1);
        restart();

        Bound kept = new Bound.ToReceipt(paid.txId(), paid.token().orElseThrow().digest(), ANSWER);
        assertThat(done(store.receipts().bound("token-paid", 50))).contains(kept);
        assertThat(done(store.receipts().bound("token-paid", 51))).as("expired").isEmpty();
        assertThat(bound("token-other")).isEmpty();
        assertThat(spendOfToken(store, "token-paid")).isEmpty();
        assertThat(found(store, paid.txId())).isEmpty();
        assertThat(done(store.receipts().fingerprints(10))).containsExactly(TokenBinding.fingerprint("token-paid"));
        assertThat(done(store.intents().open(intent(2, "token-paid", 8), 50)))
                .isEqualTo(new Opening.TokenTaken(paid.txId()));
        assertThat(done(store.intents().open(twin, 50)))
                .isEqualTo(new Opening.CoinTaken(twin.inputs().get(0), paid.txId()));
        assertThat(done(store.intents().unconfirm(paid.txId(), 60)))
                .isEqualTo(new Unconfirmation.NotConfirmed(Optional.empty()));

        done(store.intents().open(intent(2, "token-paid", 8), 51));
        assertThat(bound("token-paid").map(Bound::digest))
                .as("of two the living one")
                .contains(hash(77));
        assertThat(spendOfToken(store, "token-paid").map(Intent::txId)).contains(hash(2));
    }

    @Test
    void only_a_buried_payment_with_a_token_of_its_own_makes_room_for_its_answer() {
        List<Intent> others = new ArrayList<>();
        for (IntentState state : IntentState.values()) {
            Intent intent = pay(store, intent(10 + state.ordinal(), "token-" + state, 10 + state.ordinal()));
            bring(intent, state);
            others.add(intent);
        }
        Intent tokenless = pay(store, intent(30, Optional.empty(), 30));
        confirm(store, tokenless.txId(), 50);
        others.add(tokenless);
        Intent lock = pay(store, StoreSample.ofKind("htlc_lock", intent(31, "token-lock", 31)));
        confirm(store, lock.txId(), 50);
        others.add(lock);
        done(store.intents()
                .bury(others.stream()
                        .filter(intent -> !intent.token().equals(token("token-CONFIRMED")))
                        .map(Intent::txId)
                        .toList()));
        List<Optional<Intent>> before =
                others.stream().map(intent -> found(store, intent.txId())).toList();

        assertThat(done(store.receipts().settled(Long.MAX_VALUE, 100))).isEmpty();
        assertThat(done(store.receipts()
                        .keep(others.stream().collect(Collectors.toMap(Intent::txId, intent -> ANSWER)))))
                .isZero();

        assertThat(others.stream().map(intent -> found(store, intent.txId()))).containsExactlyElementsOf(before);
    }

    private static Optional<TokenBinding> token(String token) {
        return Optional.of(new TokenBinding(token, hash(77)));
    }

    @Test
    void what_is_settled_is_reported_and_its_answers_are_forgotten_in_bites_the_oldest_first() {
        for (int i = 0; i < 10; i++) {
            settled(i, "token-" + i, 50 + i);
        }
        assertThat(done(store.receipts().settled(54, 100)).stream().map(Intent::txId))
                .containsExactly(hash(0), hash(1), hash(2), hash(3));
        for (List<Intent> bite = done(store.receipts().settled(100, 3));
                !bite.isEmpty();
                bite = done(store.receipts().settled(100, 3))) {
            assertThat(bite).hasSizeLessThanOrEqualTo(3);
            Map<Hash256, Bytes> answers = new LinkedHashMap<>();
            bite.forEach(intent -> answers.put(intent.txId(), ANSWER));
            done(store.receipts().keep(answers));
        }

        assertThat(done(store.receipts().forgetKept(58, 5))).isEqualTo(5);
        assertThat(bound("token-4")).isEmpty();
        assertThat(bound("token-5")).isPresent();
        assertThat(done(store.receipts().forgetKept(58, 5))).isEqualTo(3);
        assertThat(done(store.receipts().forgetKept(58, 5))).isZero();
        assertThat(bound("token-8")).isPresent();
        assertThat(opening(store, intent(0, "token-0", 0)))
                .as("no other payment can be made by a transaction that a block has had")
                .isInstanceOf(Opening.CoinTaken.class);
        pay(store, intent(20, "token-0", 20));
    }

    private void giveUp(Hash256 txId, Outpoint coin, long now) {
        done(store.intents().abandon(txId, "abandoned by the operator", now));
        done(store.reservations().abandon(Map.of(txId, Set.of(coin))));
    }

    @Test
    void a_spend_that_was_opened_again_after_it_was_abandoned_keeps_its_coins() {
        Intent intent = pay(store, intent(1, "token-one", 7, 8));
        done(store.intents().abandon(intent.txId(), "abandoned by the operator", 50));
        done(store.intents().reopen(found(store, intent.txId()).orElseThrow(), 60));

        assertThat(done(store.reservations().abandon(Map.of(intent.txId(), Set.of(outpoint(7))))))
                .isEmpty();

        assertThat(stateOf(store, intent.txId())).isEqualTo(IntentState.PREPARED);
        assertThat(reserved(store)).hasSize(2);
    }

    @Test
    void an_abandoned_outpoint_is_free_and_its_spend_is_no_longer_in_flight() {
        Intent intent = pay(store, intent(1, Optional.empty(), 7, 8));

        giveUp(intent.txId(), outpoint(7), 90);

        assertThat(reserved(store))
                .extracting(reservation -> reservation.coin().outpoint())
                .containsExactly(outpoint(8));
        assertThat(stateOf(store, intent.txId())).isEqualTo(IntentState.ABANDONED);
        assertThat(used()).isEqualTo(1);
        assertThat(inFlight(store)).as("still holds a coin").hasSize(1);
        giveUp(intent.txId(), outpoint(8), 91);
        assertThat(inFlight(store)).isEmpty();
    }

    @Test
    void abandoning_frees_no_coin_that_another_spend_holds_by_now() {
        Intent former = pay(store, intent(1, Optional.empty(), 7, 8));
        done(store.reservations().end(former.txId(), IntentState.PREPARED));
        Intent holder = pay(store, intent(2, Optional.empty(), 7));
        done(store.reservations().reserveAgain(former.txId()));
        done(store.intents().abandon(former.txId(), "given up", 89));
        Map<Hash256, Set<Outpoint>> named = Map.of(former.txId(), Set.of(outpoint(7), outpoint(8)));

        List<ReservationStore.Reservation> ended = done(store.reservations().abandon(named));

        assertThat(ended)
                .extracting(reservation -> reservation.coin().outpoint())
                .containsExactly(outpoint(8));
        assertThat(reserved(store))
                .extracting(ReservationStore.Reservation::txId)
                .containsExactly(holder.txId());
        assertThat(stateOf(store, holder.txId())).isEqualTo(IntentState.PREPARED);
    }

    @Test
    void a_spend_that_was_abandoned_in_part_keeps_its_token_as_long_as_it_holds_a_coin() {
        Intent intent = pay(store, intent(1, "token-one", 7, 8));
        giveUp(intent.txId(), outpoint(7), 90);

        assertThat(done(store.intents().forget(Long.MAX_VALUE, 100))).isZero();
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE))).isPresent();
        assertThat(done(store.intents().open(intent(2, "token-one", 9), Long.MAX_VALUE)))
                .isInstanceOf(Opening.TokenTaken.class);

        done(store.reservations().end(intent.txId(), IntentState.ABANDONED));
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE)))
                .as("whoever has seen its bytes can have them mined")
                .isPresent();
        assertThat(done(store.intents().forget(Long.MAX_VALUE, 100))).isZero();
        bury(store, intent.txId());
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE))).isEmpty();
        assertThat(done(store.intents().forget(Long.MAX_VALUE, 100))).isEqualTo(1);
    }

    @Test
    void the_token_of_a_spend_that_was_sent_and_refused_never_expires_before_its_coin_is_spent_for_good() {
        Intent sent = pay(store, intent(1, "token-sent", 7));
        failSent(store, sent.txId(), IntentState.REFUSED, 50);
        Intent unsent = pay(store, intent(2, "token-unsent", 8));
        fail(store, unsent.txId(), IntentState.REFUSED, 50);

        assertThat(done(store.intents().forget(Long.MAX_VALUE, 100)))
                .as("what never left")
                .isEqualTo(1);
        assertThat(done(store.receipts().find("token-unsent", Long.MAX_VALUE))).isEmpty();
        assertThat(done(store.receipts().find("token-sent", Long.MAX_VALUE))).isPresent();
        assertThat(done(store.intents().open(intent(3, "token-sent", 9), Long.MAX_VALUE)))
                .isInstanceOf(Opening.TokenTaken.class);

        bury(store, sent.txId());
        assertThat(done(store.receipts().find("token-sent", 50))).isPresent();
        assertThat(done(store.intents().forget(51, 100))).isEqualTo(1);
    }

    @Test
    void what_was_closed_as_lost_is_accepted_in_one_step_by_who_names_that_state_too() {
        Intent intent = pay(store, intent(1, Optional.empty(), 7));
        done(store.intents().failSent(intent.txId(), IntentState.PREPARED, IntentState.CONFLICTED, "another", 90));

        assertThat(done(store.intents().accept(intent.txId(), Set.of(IntentState.PREPARED), 91)))
                .isEqualTo(new Transition.Stale(Optional.of(IntentState.CONFLICTED)));
        assertThat(done(store.intents()
                        .accept(intent.txId(), Set.of(IntentState.PREPARED, IntentState.CONFLICTED), 91)))
                .isEqualTo(new Transition.Made());

        assertThat(stateOf(store, intent.txId())).isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void what_the_operator_abandoned_stays_abandoned_when_a_mempool_is_found_to_have_it() {
        Intent intent = pay(store, intent(1, Optional.empty(), 7));
        giveUp(intent.txId(), outpoint(7), 90);

        done(store.intents().accept(intent.txId(), Set.of(IntentState.PREPARED), 91));

        assertThat(stateOf(store, intent.txId())).isEqualTo(IntentState.ABANDONED);
    }

    @Test
    void a_spend_in_flight_concerns_who_pays_and_who_is_paid_until_it_is_settled() {
        Intent spend = StoreSample.intents().get(0);
        Address paid = Address.parse("b2".repeat(32));
        pay(store, spend);

        assertThat(done(store.intents().openSpendOf(spend.from()))).contains(spend.txId());
        assertThat(done(store.intents().openSpendOf(paid))).contains(spend.txId());
        assertThat(done(store.intents().openSpendOf(Address.parse("c3".repeat(32)))))
                .isEmpty();
        confirm(store, spend.txId(), 50);
        assertThat(done(store.intents().openSpendOf(paid))).isEmpty();
    }

    @Test
    void nothing_is_taken_after_the_store_is_closed() {
        store.close();

        assertThatThrownBy(() -> opening(store, intent(1, Optional.empty(), 7)))
                .hasCauseInstanceOf(StoreException.class);
        assertThatThrownBy(() -> found(store, hash(1))).hasCauseInstanceOf(StoreException.class);
    }

    /** Run longer with {@code -Dstore.steps=100000}. */
    @Test
    void whatever_is_asked_in_whatever_order_it_answers_as_the_rules_say() {
        Random random = Seeded.random("store history");
        store = new StoreHistory(store, this::reopened, random).run(Integer.getInteger("store.steps", steps()));
    }

    /** Run longer with {@code -Dstore.steps=100000}. */
    @Test
    void whatever_happens_to_payouts_and_sweeps_it_tells_as_the_rules_say() {
        Random random = Seeded.random("queue history");
        store = new QueueHistory(store, this::reopened, copies(), random)
                .run(Integer.getInteger("store.steps", steps() / 2));
    }

    /** Returns how to restore an older copy; empty for a store that cannot. */
    protected Optional<QueueHistory.Copies> copies() {
        return Optional.empty();
    }

    /** Number of steps of a random history in the normal build. */
    protected int steps() {
        return 1_500;
    }

    private Store reopened(Store closing) {
        closing.close();
        return open(folder);
    }

    /** Returns the number of spends that count against the allowance. */
    private int used() {
        return StoreSample.used(store)
                .divide(intent(1, Optional.empty(), 1).allowance().toBigInteger())
                .intValueExact();
    }

    private static AccountSend journalled(int number) {
        return AccountSendSample.send(number, AccountSend.State.JOURNALLED);
    }

    private AccountSendStore.Journalled journal(AccountSend... sends) {
        return done(store.accountSends().open(List.of(sends)));
    }

    private List<AccountSend> page() {
        return done(store.accountSends().page(CHAIN, Long.MAX_VALUE, 9));
    }

    @Test
    void a_send_of_the_account_chain_comes_back_as_it_was_with_all_its_versions() {
        AccountSendSample.write(store);
        String before = AccountSendSample.read(store);
        restart();

        assertThat(AccountSendSample.read(store)).isEqualTo(before);
        assertThat(done(store.accountSends().nextNonce(CHAIN, AccountSendSample.FROM)))
                .hasValue(AccountSend.State.values().length);
        assertThat(done(store.accountSends().open(CHAIN)))
                .extracting(AccountSend::state)
                .containsExactly(AccountSend.State.JOURNALLED, AccountSend.State.SENT, AccountSend.State.MINED);
        assertThat(done(store.accountSends().open(CHAIN.add(BigInteger.ONE)))).isEmpty();
    }

    @Test
    void a_nonce_or_a_reference_that_is_taken_leaves_nothing_of_the_batch_behind() {
        AccountSend first = journalled(0);
        journal(first);
        AccountSend sameReference = renamed(AccountSendSample.send(1, first.state()), "ref-0");
        AccountSend sameNonce = renamed(first, "another");

        for (AccountSend taken : List.of(sameReference, sameNonce)) {
            assertThat(journal(journalled(7), taken))
                    .isInstanceOfSatisfying(
                            AccountSendStore.Journalled.Taken.class,
                            by -> assertThat(by.by().reference()).isEqualTo("ref-0"));
        }
        assertThat(page()).hasSize(1);
    }

    /** Paying the same invoice on both chains would pay it twice. */
    @Test
    void an_id_of_a_payout_is_no_token_of_a_send_on_the_account_chain_and_the_other_way_round() {
        AccountSend send = AccountSendSample.send(0, AccountSend.State.LOST);
        AccountSend invoice = renamed(send, AccountSendStore.reference("invoice-17"));
        journal(invoice);
        assertThat(submitted("invoice-17")).isInstanceOf(PayoutStore.Submission.Taken.class);
        assertThat(submitted("invoice-18")).isInstanceOf(PayoutStore.Submission.Accepted.class);
        submitted("invoice-17@50");
        assertThat(journal(copy(invoice, 50)))
                .as("a caller's name for a payout keeps no copy from another nonce")
                .isInstanceOf(AccountSendStore.Journalled.Done.class);
        restart();

        String taken = AccountSendStore.reference("invoice-18");
        assertThat(done(store.accountSends().isBoundElsewhere(taken))).isTrue();
        assertThat(done(store.accountSends().isBoundElsewhere("invoice-18"))).isFalse();
        assertThat(journal(journalled(1), renamed(journalled(2), taken)))
                .isEqualTo(new AccountSendStore.Journalled.BoundElsewhere(taken));
        assertThat(page()).hasSize(2);
    }

    @Test
    void a_token_tells_whose_payout_sweep_or_send_on_the_account_chain_it_is() {
        Optional<String> worker = Optional.of("worker");
        PayoutStore.Payout payout = PayoutSample.submit(store, worker, 1).get(0);
        String id = payout.order().payoutId();
        assertThat(bound(id)).contains(new ReceiptStore.Bound.ToPayout(worker, Optional.empty()));
        Intent batch = PayoutSample.open(store, 0, payout);
        ReceiptStore.Bound carried = new ReceiptStore.Bound.ToPayout(worker, Optional.of(batch.txId()));
        assertThat(bound(id)).contains(carried);
        done(store.intents().loseForGood(batch.txId(), IntentState.PREPARED, "another is final", 60));
        assertThat(bound(id)).contains(carried);

        sweep("sweep-one", parts(1, 7));
        assertThat(bound("sweep-one")).contains(new ReceiptStore.Bound.ToSweep(Optional.empty()));
        AccountSend send = AccountSendSample.owned(
                renamed(journalled(0), AccountSendStore.reference("invoice-17")),
                AccountSendStore.ACCESS_TOKEN + "worker");
        journal(send);
        assertThat(bound("invoice-17")).contains(new ReceiptStore.Bound.ToAccountSend(worker));
    }

    @Test
    void a_token_of_a_send_on_the_account_chain_is_that_of_no_spend_and_no_sweep_and_the_other_way_round() {
        AccountSend send = AccountSendSample.send(0, AccountSend.State.LOST);
        journal(renamed(send, AccountSendStore.reference("invoice-17")));
        Intent spend = StoreSample.intent(1, "invoice-17", 7);
        assertThat(opening(store, spend)).isEqualTo(new Opening.TokenTaken(Hash256.ZERO));
        assertThat(bound("invoice-17")).contains(new ReceiptStore.Bound.ToAccountSend(Optional.of("swap-0")));

        Intent other = pay(store, StoreSample.intent(2, "invoice-18", 8));
        fail(store, other.txId(), IntentState.REFUSED, 20);
        done(store.intents().forget(Long.MAX_VALUE, 10));
        restart();
        String taken = AccountSendStore.reference("invoice-18");
        assertThat(done(store.accountSends().isBoundElsewhere(taken)))
                .as("also when the row is erased")
                .isTrue();
        assertThat(journal(renamed(journalled(2), taken)))
                .isEqualTo(new AccountSendStore.Journalled.BoundElsewhere(taken));
    }

    private PayoutStore.Submission submitted(String payoutId) {
        Address to = Address.parse("b2".repeat(32));
        return done(store.payouts()
                .submit(
                        List.of(new PayoutStore.Order(
                                payoutId, to, Amount.of(1_000), Optional.empty(), Optional.empty())),
                        List.of(to),
                        Optional.empty(),
                        9,
                        5));
    }

    /** Copies may have any nonce, even an assigned one; once a copy is in a block, its nonce is not assigned again. */
    @Test
    void copies_take_no_nonce_before_a_block_has_them() {
        AccountSend first = journalled(0);
        AccountSend next = copy(first, 1);
        journal(first, copy(first, 0), next, copy(first, 50));
        assertThat(nextNonce()).hasValue(1);

        enter("ref-0@1", AccountSend.State.MINED);
        enter("ref-0@50", AccountSend.State.FINAL);

        assertThat(nextNonce()).hasValue(2);
        restart();
        assertThat(nextNonce()).hasValue(2);
        assertThat(journal(next)).isInstanceOf(AccountSendStore.Journalled.Taken.class);
    }

    @Test
    void a_nonce_that_a_copy_of_ours_has_used_was_not_used_by_others() {
        AccountSend first = journalled(0);
        journal(first, copy(first, 0));
        enter("ref-0", AccountSend.State.LOST);
        assertThat(lastLost()).hasValue(0);

        enter("ref-0@0", AccountSend.State.FINAL);

        assertThat(lastLost()).isEmpty();
    }

    private OptionalLong nextNonce() {
        return done(store.accountSends().nextNonce(CHAIN, AccountSendSample.FROM));
    }

    private OptionalLong lastLost() {
        return done(store.accountSends().lastLost(CHAIN, AccountSendSample.FROM));
    }

    private void enter(String reference, AccountSend.State state) {
        AccountSend row = done(store.accountSends().find(reference)).orElseThrow();
        assertThat(done(store.accountSends().enter(row.id(), row.state(), state, Optional.empty(), 9)))
                .isTrue();
    }

    @Test
    void a_send_that_is_over_gets_no_version_and_no_other_state() {
        journal(AccountSendSample.send(0, AccountSend.State.LOST));

        assertThat(done(store.accountSends().addVersion(1, 2, AccountSendSample.version(3, 3))))
                .isFalse();
        assertThat(done(store.accountSends()
                        .enter(1, AccountSend.State.SENT, AccountSend.State.MINED, Optional.empty(), 9)))
                .isFalse();
        assertThat(done(store.accountSends().find("ref-0"))
                        .orElseThrow()
                        .progress()
                        .state())
                .isEqualTo(AccountSend.State.LOST);
    }

    @Test
    void two_replacements_of_one_version_are_never_both_written() {
        journal(AccountSendSample.send(0, AccountSend.State.SENT));

        assertThat(atOnce(2, i -> store.accountSends().addVersion(1, 2, AccountSendSample.version(3 + i, 3 + i))))
                .containsExactly(true, false);
    }

    private Optional<SwapEntry> swap(String id) {
        return done(store.swaps().find(id));
    }

    @Test
    void a_swap_comes_back_as_it_was_and_pages_go_from_the_newest_to_the_oldest() {
        SwapSample.write(store);
        String before = SwapSample.read(store);
        restart();

        assertThat(SwapSample.read(store)).isEqualTo(before);
        assertThat(done(store.swaps().page(Optional.empty(), Long.MAX_VALUE, 2)))
                .extracting(SwapEntry::number)
                .containsExactly(3L, 2L);
        assertThat(done(store.swaps().page(Optional.empty(), 2, 2)))
                .extracting(SwapEntry::number)
                .containsExactly(1L);
        assertThat(done(store.swaps().page(Optional.of("expired"), Long.MAX_VALUE, 9)))
                .extracting(SwapEntry::id)
                .containsExactly("swap-3");
        assertThat(done(store.swaps().watched())).extracting(SwapEntry::id).containsExactly("swap-1", "swap-2");
    }

    @Test
    void a_hash_lock_a_pools_id_and_an_id_of_ours_are_used_once() {
        SwapSample.write(store);
        SwapEntry first = swap("swap-1").orElseThrow();
        SwapEntry other = SwapSample.entry(9, "quoted", true);

        for (SwapEntry taken : List.of(
                Copies.with(other, "id", first.id()),
                Copies.with(other, "poolId", first.poolId()),
                Copies.with(other, "hashLock", first.hashLock()))) {
            assertThat(done(store.swaps().add(taken))).isEmpty();
        }
        assertThat(done(store.swaps().newest()).orElseThrow().number()).isEqualTo(3);
        assertThat(done(store.swaps().add(other)).orElseThrow().number()).isEqualTo(4);
    }

    @Test
    void of_two_writers_of_a_swap_the_one_with_the_older_version_loses() {
        SwapSample.write(store);
        SwapEntry read = swap("swap-1").orElseThrow();

        assertThat(atOnce(2, i -> store.swaps().replace(SwapSample.next(read, i == 0 ? "locking" : "expired"))))
                .containsExactly(true, false);
        assertThat(swap("swap-1").orElseThrow().status()).isEqualTo("locking");
        assertThat(done(store.swaps().ofHashLock(read.hashLock())))
                .map(SwapEntry::id)
                .contains("swap-1");
        assertThat(done(store.swaps().ofHashLock(StoreSample.hash(99)))).isEmpty();
        assertThat(done(store.swaps().replace(SwapSample.next(SwapSample.entry(77, "quoted", true), "locking"))))
                .isFalse();
    }

    @Test
    void an_address_without_a_key_has_one_row_which_the_last_call_decides() {
        WatchStore.WatchOnly first = watched(2, Optional.of("cold"), OptionalLong.empty());
        WatchStore.WatchOnly other = watched(1, Optional.empty(), OptionalLong.of(7));
        done(store.watchOnly().put(first));
        done(store.watchOnly().put(other));
        assertThat(done(store.watchOnly().all())).containsExactlyInAnyOrder(first, other);
        WatchStore.WatchOnly again = watched(2, Optional.empty(), OptionalLong.of(0));
        done(store.watchOnly().put(again));
        assertThat(done(store.watchOnly().all())).containsExactlyInAnyOrder(again, other);
        done(store.watchOnly()
                .remove(List.of(again.address(), Address.of(StoreSample.hash(9).toArray()))));
        assertThat(done(store.watchOnly().all())).containsExactly(other);
    }

    private static WatchStore.WatchOnly watched(int number, Optional<String> label, OptionalLong birth) {
        return new WatchStore.WatchOnly(Address.of(StoreSample.hash(number).toArray()), label, birth);
    }

    @Test
    void a_cursor_never_goes_back_and_each_scan_has_its_own() {
        assertThat(done(store.scans().of("locks"))).isEmpty();
        done(store.scans().move("locks", 7));
        done(store.scans().move("locks", 6));
        done(store.scans().move("others", 1));
        assertThat(done(store.scans().of("locks"))).hasValue(7);
        assertThat(done(store.scans().of("others"))).hasValue(1);
        done(store.scans().move("locks", 8));
        assertThat(done(store.scans().of("locks"))).hasValue(8);
    }

    @Test
    void only_swaps_that_nobody_looks_after_are_forgotten() {
        SwapSample.write(store);

        assertThat(done(store.swaps().remove("quoted", Long.MAX_VALUE))).isZero();
        assertThat(done(store.swaps().remove("expired", SwapSample.BEGUN + 3))).isZero();
        assertThat(done(store.swaps().remove("expired", SwapSample.BEGUN + 4))).isEqualTo(1);
        assertThat(swap("swap-3")).isEmpty();
    }

    private void end(RawSendStore.Sending sending, IntentState outcome, long now) {
        done(store.rawSends().end(sending, outcome, now));
    }

    private RawSendStore.Sending begun(int number, long now) {
        return done(store.rawSends().begin(raw(number), now)).orElseThrow();
    }

    private PastSpend told(int number) {
        return done(store.history().ofTransaction(hash(number))).orElseThrow();
    }

    @Test
    void a_transaction_that_is_passed_on_is_told_in_its_place_among_the_spends_from_before_it_is_sent() {
        pay(store, intent(1, Optional.empty(), 1));
        RawSendStore.Sending sending = begun(2, 5_000);
        pay(store, intent(3, Optional.empty(), 3));
        restart();

        PastSpend before = told(2);
        assertThat(before.number()).isEqualTo(sending.number());
        assertThat(before)
                .isEqualTo(new PastSpend(
                        sending.number(),
                        hash(2),
                        "raw",
                        IntentState.PREPARED,
                        raw(2).from(),
                        Optional.empty(),
                        OptionalLong.of(5_000),
                        5_000,
                        OptionalLong.empty(),
                        new Intent.Details(Optional.of("worker"), Optional.empty(), Optional.empty()),
                        new SpendHistory.Told.Answer(Bytes.parse("02aa02"))));
        assertThat(done(store.history().after(0, 10)))
                .extracting(PastSpend::txId)
                .containsExactly(hash(1), hash(2), hash(3));
        assertThat(done(store.history().ofNumber(sending.number()))).contains(before);

        end(sending, IntentState.ACCEPTED, 6_000);
        done(store.history().setMemo(sending.number(), Optional.of("for audit")));
        restart();
        assertThat(told(2).state()).isEqualTo(IntentState.ACCEPTED);
        assertThat(told(2).changedAt()).isEqualTo(6_000);
        assertThat(told(2).details().memo()).contains("for audit");
        assertThat(inFlight(store)).extracting(Intent::txId).containsExactly(hash(1), hash(3));
    }

    @Test
    void a_transaction_that_is_passed_on_again_keeps_its_row_and_its_success() {
        RawSendStore.Sending first = begun(1, 5_000);
        end(first, IntentState.ACCEPTED, 6_000);
        RawSendStore.Sending second = begun(1, 7_000);
        assertThat(second.number()).isEqualTo(first.number());
        end(second, IntentState.REFUSED, 8_000);
        assertThat(told(1).state()).isEqualTo(IntentState.ACCEPTED);
        assertThat(told(1).createdAt()).hasValue(5_000);
        end(second, IntentState.CONFLICTED, 9_000);
        assertThat(told(1).state()).isEqualTo(IntentState.CONFLICTED);
        RawSendStore.Sending third = begun(1, 10_000);
        assertThat(told(1).state()).isEqualTo(IntentState.PREPARED);
        end(third, IntentState.ACCEPTED, 11_000);
        assertThat(told(1).state()).isEqualTo(IntentState.ACCEPTED);
        assertThat(done(store.history().after(0, 10))).hasSize(1);
    }

    @Test
    void a_refusal_decides_only_while_no_other_send_of_the_transaction_may_have_arrived() {
        RawSendStore.Sending alone = begun(1, 5_000);
        end(alone, IntentState.REFUSED, 5_000);
        assertThat(told(1).state()).isEqualTo(IntentState.REFUSED);
        assertThat(told(1).changedAt()).isEqualTo(5_001);

        RawSendStore.Sending one = begun(1, 5_000);
        RawSendStore.Sending other = begun(1, 5_000);
        end(one, IntentState.REFUSED, 6_000);
        end(other, IntentState.REFUSED, 6_000);
        assertThat(told(1).state()).isEqualTo(IntentState.PREPARED);
    }

    @Test
    void of_many_that_pass_on_the_same_transaction_at_once_all_have_one_row() {
        assertThat(atOnce(30, i -> store.rawSends().begin(raw(1 + i % 3), 5_000)))
                .extracting(sending -> sending.orElseThrow().number())
                .containsOnly(told(1).number(), told(2).number(), told(3).number());
        assertThat(done(store.history().after(0, 100))).hasSize(3);
    }

    @Test
    void a_part_of_a_sweep_tells_every_address_whose_coins_it_spends() {
        Address other = Address.parse("ef".repeat(32));
        SweepStore.Part part = new SweepStore.Part(
                0,
                Amount.of(300),
                List.of(
                        new SweepStore.OwnedCoin(PAYER, new Coin(outpoint(60), Amount.MAX)),
                        new SweepStore.OwnedCoin(other, new Coin(outpoint(61), Amount.MAX)),
                        new SweepStore.OwnedCoin(other, new Coin(outpoint(62), Amount.MAX))));
        SweepStore.Sweep sweep = sweep("sweep-token", List.of(part, part(1, 63)));
        for (Intent spend :
                List.of(partSpend(sweep, 0, 1, 60, 61, 62), partSpend(sweep, 1, 2, 63), intent(3, "token-one", 64))) {
            pay(store, spend);
        }

        Map<Long, Set<Address>> payers =
                done(store.history().payers(done(store.history().after(0, 10))));

        assertThat(payers).isEqualTo(Map.of(told(1).number(), Set.of(PAYER, other), told(2).number(), Set.of(PAYER)));
    }

    @Test
    void a_spend_of_the_daemon_tells_of_itself_and_is_never_mistaken_for_what_was_passed_on() {
        Intent spend = pay(store, intent(1, "token-one", 1));
        assertThat(done(store.rawSends().begin(raw(1), 5_000))).isEmpty();
        assertThat(done(store.history().after(0, 10))).hasSize(1);

        RawSendStore.Sending sending = begun(2, 5_000);
        end(sending, IntentState.REFUSED, 6_000);
        assertThat(done(store.intents().lostForGood(Set.of(hash(2))))).isEmpty();
        Intent same = intent(2, "token-two", 2);
        assertThat(opening(store, same)).isEqualTo(new Opening.Opened(false));
        assertThat(told(2).kind()).isEqualTo("transfer");
        assertThat(done(store.history().ofNumber(sending.number())))
                .hasValueSatisfying(there -> assertThat(there.kind()).isEqualTo("raw"));
        done(store.intents().confirm(hash(2), IntentState.PREPARED, new BlockPlace(7, hash(70)), 7_000));
        bury(store, hash(2));
        done(store.receipts().keep(Map.of(hash(2), Bytes.parse("01"))));
        assertThat(told(2).kind()).isEqualTo("transfer");
        assertThat(done(store.rawSends().begin(raw(2), 8_000))).isEmpty();
    }

    @Test
    void what_was_passed_on_stays_whole_until_it_is_erased_and_its_number_is_not_given_again() {
        RawSendStore.Sending sending = begun(1, 5_000);
        assertThat(done(store.history()
                        .shorten(6_000, 10, spend -> new SpendHistory.Amounts(Optional.empty(), Optional.empty()))))
                .isZero();
        assertThat(told(1).told()).isInstanceOf(SpendHistory.Told.Answer.class);
        assertThat(done(store.history().erase(5_000, 10))).isZero();
        assertThat(done(store.history().erase(5_001, 10))).isEqualTo(1);
        end(sending, IntentState.ACCEPTED, 7_000);
        assertThat(done(store.history().ofTransaction(hash(1)))).isEmpty();
        restart();
        assertThat(begun(2, 8_000).number()).isGreaterThan(sending.number());
    }
}
