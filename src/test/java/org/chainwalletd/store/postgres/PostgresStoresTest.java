package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.assertAnswer;
import static org.chainwalletd.store.Payments.assertFails;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;
import static org.chainwalletd.store.StoreSample.raw;

import java.math.BigInteger;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.KeyringRow;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.StoreHistory;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SwapSample;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.WatchStore;
import org.chainwalletd.store.sql.KeyringTable;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several stores on one database, as used by several daemons. */
@Tag("postgres")
class PostgresStoresTest {
    private final List<PostgresStore> stores = new ArrayList<>();

    @AutoClose
    private final SharedStores database = new SharedStores();

    @BeforeEach
    void open() {
        for (int i = 0; i < 3; i++) {
            stores.add(database.keep(database.open()));
        }
    }

    /** The stores share one start number, because otherwise each may only claim of its own spends that they were never sent. */
    @Test
    void whichever_store_is_asked_next_they_answer_as_one() {
        Random random = Seeded.random("store.seed");
        long start = stores.get(0).start();
        restart(start);
        Store any = Stub.of(Store.class, call -> call.on(stores.get(random.nextInt(stores.size()))));
        new StoreHistory(
                        any,
                        same -> {
                            restart(start);
                            return same;
                        },
                        random)
                .run(Integer.getInteger("store.steps", 150));
    }

    /** Ends all before it opens one: a store that finds the start ended by another one is stopped. */
    private void restart(long start) {
        stores.forEach(database::end);
        stores.replaceAll(ended -> database.keep(SharedStores.open(database, OptionalLong.of(start), false)));
    }

    @Test
    void of_many_that_ask_three_stores_at_once_one_has_the_token_and_one_has_the_coin() {
        List<CompletionStage<Opening>> answers = new ArrayList<>();
        for (int i = 0; i < 45; i++) {
            answers.add(stores.get(i % 3).intents().open(intent(i, Optional.of("token-" + i / 9), i / 2), 0));
        }
        List<Opening> made = new ArrayList<>();
        answers.forEach(answer -> made.add(done(answer)));

        List<ReservationStore.Reservation> held =
                done(stores.get(0).reservations().all());
        assertThat(made.stream().filter(Opening.Opened.class::isInstance)).hasSameSizeAs(held);
        assertThat(held.stream().map(ReservationStore.Reservation::coin)).doesNotHaveDuplicates();
        for (int token = 0; token < 5; token++) {
            String name = "token-" + token;
            assertThat(done(stores.get(1).intents().inFlight()).stream()
                            .filter(open -> open.token().orElseThrow().token().equals(name)))
                    .hasSize(1);
        }
    }

    @Test
    void only_the_process_that_opened_a_spend_says_that_it_never_left_and_nobody_once_another_has_sent_it_again() {
        Intent spend = intent(1, Optional.of("token-one"), 7);
        done(stores.get(0).intents().open(spend, 0));

        assertThat(fail(1, spend)).isEqualTo(new IntentStore.Transition.Stale(Optional.of(IntentState.PREPARED)));
        assertAnswer(
                stores.get(1).intents().contest(spend.txId(), "two of them", 50), IntentStore.Transition.Stale.class);
        assertThat(fail(0, spend)).isInstanceOf(IntentStore.Transition.Made.class);

        done(stores.get(1).intents().reopen(spend.in(IntentState.REFUSED, "no", 50), 60));
        assertThat(fail(0, spend)).isInstanceOf(IntentStore.Transition.Stale.class);
        assertThat(fail(1, spend)).isInstanceOf(IntentStore.Transition.Stale.class);
    }

    private IntentStore.Transition fail(int store, Intent spend) {
        return done(
                stores.get(store).intents().fail(spend.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 50));
    }

    @Test
    void a_spend_is_abandoned_once_its_runners_have_signed_it_off_and_nobody_says_that_it_never_left() {
        Intent spend = intent(1, Optional.of("token-one"), 7).in(IntentState.PREPARED, "", System.currentTimeMillis());
        IntentStore runner = stores.get(0).intents();
        IntentStore keeper = stores.get(1).intents();
        done(runner.open(spend, 0));
        assertAnswer(keeper.adopt(spend.txId()), IntentStore.Adoption.Elsewhere.class);
        assertFails(keeper.abandon(spend.txId(), "by hand", 50), StoreException.Reason.BUSY);

        done(runner.signOff(Set.of(spend.txId(), hash(99))));

        assertThat(fail(0, spend)).isInstanceOf(IntentStore.Transition.Stale.class);
        assertAnswer(keeper.adopt(spend.txId()), IntentStore.Adoption.Ours.class);
        assertThat(fail(1, spend)).isInstanceOf(IntentStore.Transition.Stale.class);
        assertFails(runner.abandon(spend.txId(), "by hand", 50), StoreException.Reason.BUSY);
        // A former runner takes it back, and must sign it off again.
        done(keeper.signOff(Set.of(spend.txId())));
        assertAnswer(runner.adopt(spend.txId()), IntentStore.Adoption.Ours.class);
        assertThat(fail(0, spend)).isInstanceOf(IntentStore.Transition.Stale.class);
        assertFails(keeper.abandon(spend.txId(), "by hand", 50), StoreException.Reason.BUSY);
        done(runner.signOff(Set.of(spend.txId())));
        assertAnswer(keeper.abandon(spend.txId(), "by hand", 50), IntentStore.Transition.Made.class);
    }

    @Test
    void an_acceptance_signs_off_what_its_process_has_run() {
        List<Intent> spends = List.of(
                intent(1, Optional.of("token-one"), 7),
                intent(2, Optional.empty(), 8),
                intent(3, Optional.of("token-three"), 9));
        IntentStore runner = stores.get(0).intents();
        IntentStore other = stores.get(1).intents();
        List<CompletionStage<?>> opened = new ArrayList<>();
        spends.forEach(spend -> opened.add(runner.open(spend, 0)));
        opened.forEach(StoreSample::done);
        database.run("UPDATE daemons SET beaten = 0");
        Hash256 adopted = spends.get(2).txId();
        assertAnswer(other.adopt(adopted), IntentStore.Adoption.Ours.class);
        done(runner.accept(spends.get(0).txId(), Set.of(IntentState.PREPARED), 40));
        assertFails(lose(other, spends.get(0)), StoreException.Reason.BUSY);

        List<CompletionStage<?>> accepted = new ArrayList<>();
        spends.forEach(spend -> accepted.add(
                runner.accept(spend.txId(), Set.of(IntentState.PREPARED, IntentState.ACCEPTED), 50, true)));
        accepted.forEach(StoreSample::done);

        assertAnswer(lose(other, spends.get(0)), IntentStore.Transition.Made.class);
        assertAnswer(lose(other, spends.get(1)), IntentStore.Transition.Made.class);
        // Its own run of the adopted spend has ended, but the run of the other process has not.
        assertFails(lose(runner, spends.get(2)), StoreException.Reason.BUSY);
        done(other.accept(adopted, Set.of(IntentState.CONFLICTED), 60, true));
        assertAnswer(lose(runner, spends.get(2)), IntentStore.Transition.Made.class);
    }

    private static CompletionStage<IntentStore.Transition> lose(IntentStore intents, Intent spend) {
        return intents.failSent(spend.txId(), IntentState.ACCEPTED, IntentState.CONFLICTED, "lost", 70);
    }

    @Test
    void a_former_runner_that_signs_off_leaves_the_mark_that_the_spend_may_have_been_sent() {
        Intent spend = intent(1, Optional.of("token-one"), 7);
        done(stores.get(0).intents().open(spend, 0));
        database.run("UPDATE daemons SET beaten = 0");
        assertAnswer(stores.get(1).intents().adopt(spend.txId()), IntentStore.Adoption.Ours.class);

        done(stores.get(0).intents().signOff(Set.of(spend.txId())));

        assertThat(fail(0, spend)).isInstanceOf(IntentStore.Transition.Stale.class);
        assertThat(fail(1, spend)).isInstanceOf(IntentStore.Transition.Stale.class);
        assertFails(stores.get(2).intents().abandon(spend.txId(), "by hand", 50), StoreException.Reason.BUSY);
        assertAnswer(stores.get(1).intents().abandon(spend.txId(), "by hand", 50), IntentStore.Transition.Made.class);
    }

    @Test
    void a_spend_of_a_living_daemon_is_adopted_when_it_is_old() {
        long now = System.currentTimeMillis();
        Intent old = intent(1, Optional.empty(), 7).in(IntentState.PREPARED, "", now - 31_000);
        Intent fresh = intent(2, Optional.empty(), 8).in(IntentState.PREPARED, "", now);
        done(stores.get(0).intents().open(old, 0));
        done(stores.get(0).intents().open(fresh, 0));

        assertAnswer(stores.get(1).intents().adopt(fresh.txId()), IntentStore.Adoption.Elsewhere.class);
        assertAnswer(stores.get(1).intents().adopt(old.txId()), IntentStore.Adoption.Ours.class);
    }

    @Test
    void a_coin_that_another_daemon_has_spent_stays_out_of_the_plan_of_its_sweep_when_the_next_write_here_is_refused() {
        PostgresStore store = stores.get(0);
        SweepStore.Sweep sweep = StoreContract.begun(store, "sweep", List.of(StoreContract.part(0, 7)));
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch opened = new CountDownLatch(1);
        // Between two transactions its writer waits until the other daemon has written.
        CompletionStage<Void> refused = store.write(session -> {
                    Await.opened(waits);
                    return null;
                })
                .thenCompose(done -> {
                    CompletionStage<Void> next = store.write(session -> {
                        throw new IllegalStateException("refused");
                    });
                    Await.opened(opened);
                    return next;
                });
        waits.countDown();
        done(stores.get(1).intents().open(StoreContract.partSpend(sweep, 0, 1, 7), 0));
        opened.countDown();
        assertFails(refused, StoreException.Reason.UNAVAILABLE);

        assertThat(store.reservations().isPlannedByOther(StoreSample.outpoint(7), Optional.empty()))
                .isFalse();
    }

    /** Every daemon writes changes that callers may request from any of them. */
    @Test
    void a_daemon_that_has_lost_the_lease_writes_no_journal_of_background_work() {
        Store stale = stores.get(0);
        done(stale.accountSends().open(List.of(AccountSendSample.send(1, AccountSend.State.JOURNALLED))));
        SwapStore.SwapEntry swap =
                done(stale.swaps().add(SwapSample.entry(1, "quoted", true))).orElseThrow();
        PayoutStore.Payout payout =
                PayoutSample.submit(stale, Optional.empty(), 1).get(0);
        try (PostgresLease first = stores.get(0).lease();
                PostgresLease second = stores.get(1).lease()) {
            second.take(first.take(first.read()));
        }

        writes(stale, swap, payout).forEach(write -> assertFails(write, StoreException.Reason.NOT_KEEPER));
        assertThat(done(stores.get(2).accountSends().open(AccountSendSample.CHAIN)))
                .hasSize(1);
        assertThat(done(stores.get(2).swaps().find(swap.id())).orElseThrow().version())
                .isZero();

        PayoutSample.submit(stale, Optional.empty(), 2);
        done(stale.payouts().pause(true));
        done(stale.payouts().pause(false));
        done(stale.payouts().cancel(List.of("payout-2"), PayoutStore.Claimant.ANYBODY, 60));
        done(stale.sweeps().move("sweep", SweepStore.State.STOPPED, SweepStore.State.RUNNING, ""));
        Store keeper = stores.get(1);
        assertThat(done(keeper.swaps().replace(SwapSample.next(swap, "locking"))))
                .isTrue();
        assertAnswer(
                keeper.accountSends().open(List.of(AccountSendSample.send(2, AccountSend.State.JOURNALLED))),
                AccountSendStore.Journalled.Done.class);
    }

    private static List<CompletionStage<?>> writes(Store store, SwapStore.SwapEntry swap, PayoutStore.Payout payout) {
        AccountSendStore sends = store.accountSends();
        Intent batch = intent(5, Optional.empty(), 9);
        return List.of(
                sends.open(List.of(AccountSendSample.send(2, AccountSend.State.JOURNALLED))),
                sends.addVersion(1, 1, AccountSendSample.version(3, 3)),
                sends.enter(1, AccountSend.State.JOURNALLED, AccountSend.State.SENT, Optional.empty(), 60),
                store.swaps().add(SwapSample.entry(2, "quoted", true)),
                store.swaps().replace(SwapSample.next(swap, "locking")),
                store.swaps().remove("expired", Long.MAX_VALUE),
                store.sweeps().endUnopened("sweep", 0),
                store.sweeps().move("sweep", SweepStore.State.RUNNING, SweepStore.State.DONE, ""),
                store.intents().openBatch(batch, List.of(payout.number()), 0, () -> 60),
                store.payouts().release(List.of(payout.order().payoutId()), PayoutStore.Claimant.ANYBODY, 60),
                store.payouts().holdEnded(Set.of("worker"), 60));
    }

    /**
     * Each statement changes the lease while a write of its holder waits for the lock: another daemon takes it, or two take it and the second dies.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {"UPDATE keeper SET start = start + 1, epoch = epoch + 1", "UPDATE keeper SET epoch = epoch + 2"})
    void what_the_holder_of_the_lease_queued_before_it_lost_it_is_refused(String takeOver) throws SQLException {
        Store store = stores.get(0);
        try (PostgresLease lease = stores.get(0).lease();
                Connection other = database.connect();
                Statement locking = other.createStatement()) {
            PostgresLease.Lease held = lease.take(lease.read());
            done(store.accountSends().open(List.of(AccountSendSample.send(1, AccountSend.State.JOURNALLED))));
            locking.execute(PostgresTransactions.LOCK);

            CompletionStage<?> write =
                    store.accountSends().open(List.of(AccountSendSample.send(2, AccountSend.State.JOURNALLED)));
            Await.until("it waits for the lock", () -> {
                try {
                    return locking.executeQuery(
                                    "SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")
                            .next();
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            locking.execute(takeOver);
            locking.execute("COMMIT");

            assertFails(write, StoreException.Reason.NOT_KEEPER);
            assertThat(lease.renew(held)).isFalse();
            lease.take(lease.read());
            assertAnswer(
                    store.accountSends().open(List.of(AccountSendSample.send(2, AccountSend.State.JOURNALLED))),
                    AccountSendStore.Journalled.Done.class);
        }
    }

    @Test
    void a_daemon_that_has_lost_the_lease_confirms_buries_abandons_and_frees_nothing() {
        Intent spend = intent(1, Optional.empty(), 7);
        Intent others = intent(2, Optional.empty(), 8);
        IntentStore stale = stores.get(0).intents();
        done(stale.open(spend, 0));
        done(stores.get(2).intents().open(others, 0));
        done(stores.get(2).intents().signOff(Set.of(others.txId())));
        try (PostgresLease first = stores.get(0).lease();
                PostgresLease second = stores.get(1).lease()) {
            second.take(first.take(first.read()));
        }

        List<CompletionStage<?>> writes = List.of(
                stale.confirm(spend.txId(), IntentState.PREPARED, new BlockPlace(7, hash(70)), 60),
                stale.bury(List.of(spend.txId())),
                stale.abandon(spend.txId(), "by hand", 60),
                stale.failSent(others.txId(), IntentState.PREPARED, IntentState.CONFLICTED, "lost", 60),
                stores.get(0).reservations().end(spend.txId(), IntentState.PREPARED),
                stores.get(0)
                        .reservations()
                        .abandon(Map.of(
                                spend.txId(), Set.of(spend.inputs().get(0).outpoint()))),
                stale.forget(Long.MAX_VALUE, 10, any -> Optional.empty()));
        writes.forEach(write -> assertFails(write, StoreException.Reason.NOT_KEEPER));

        // It may close spends that it runs itself.
        assertAnswer(
                stale.failSent(spend.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 60),
                IntentStore.Transition.Made.class);
        assertAnswer(
                stores.get(1).intents().confirm(others.txId(), IntentState.PREPARED, new BlockPlace(7, hash(70)), 60),
                IntentStore.Transition.Made.class);
    }

    @Test
    void a_store_tells_which_spends_others_have_changed_and_which_coins_they_hold() {
        Intent spend = intent(1, Optional.empty(), 7);
        IntentStore other = stores.get(1).intents();
        done(other.findForCertain(spend.txId()));
        other.changedByOthers();

        done(stores.get(0).intents().open(spend, 0));

        Await.until(
                "it is known",
                () -> stores.get(1)
                        .reservations()
                        .isReservedInShared(spend.inputs().get(0).outpoint()));
        IntentStore.Changes changes = other.changedByOthers();
        assertThat(changes.incomplete()).isFalse();
        assertThat(changes.spends()).singleElement().satisfies(changed -> {
            assertThat(changed.spend().txId()).isEqualTo(spend.txId());
            assertThat(changed.holdsCoins()).isTrue();
        });
        assertThat(other.changedByOthers().spends()).isEmpty();
    }

    /** Each store has loaded the last number before the others assign some. */
    @Test
    void what_one_store_passes_on_and_what_others_pay_have_different_numbers() {
        List<Long> numbers = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            PostgresStore store = stores.get(round % 3);
            if (round % 2 == 0) {
                numbers.add(done(store.rawSends().begin(raw(round), 50))
                        .orElseThrow()
                        .number());
            } else {
                done(store.intents().open(intent(round, Optional.empty(), round), 0));
                numbers.add(done(store.history().ofTransaction(hash(round)))
                        .orElseThrow()
                        .number());
            }
        }
        assertThat(numbers).isSorted().doesNotHaveDuplicates();
        RawSendStore.Sending again =
                done(stores.get(1).rawSends().begin(raw(0), 60)).orElseThrow();
        done(stores.get(2).rawSends().end(again, IntentState.ACCEPTED, 70));
        assertThat(done(stores.get(0).history().ofNumber(numbers.get(0)))
                        .orElseThrow()
                        .state())
                .isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void stores_in_the_second_schema_of_a_database_hear_of_each_other_as_those_in_the_first() {
        SharedStores second = new SharedStores();
        try (PostgresStore one = second.open();
                PostgresStore two = second.open()) {
            done(two.scans().move("blocks", 1));
            AtomicBoolean told = new AtomicBoolean();
            two.watchOnly().whenOthersChange(() -> told.set(true));
            done(one.watchOnly()
                    .put(new WatchStore.WatchOnly(StoreContract.PAYER, Optional.empty(), OptionalLong.empty())));
            done(two.scans().move("blocks", 2));
            Await.until("it is told", told::get);
        }
    }

    @Test
    void a_store_that_is_behind_what_is_kept_of_changes_reads_all_rows_again() {
        done(stores.get(0).intents().open(intent(1, Optional.of("token-one"), 7), 0));
        database.run("DELETE FROM changes");
        database.run("UPDATE store SET pruned = (SELECT max(number) FROM commits)");

        assertAnswer(stores.get(1).intents().open(intent(2, Optional.empty(), 7), 0), Opening.CoinTaken.class);
    }

    /** A daemon that was paused finds the changes of many thousand spends, and reading each of them would keep the lock from the others. */
    @Test
    void a_store_that_finds_too_many_changes_reads_what_is_open_again() {
        done(stores.get(1).write(session -> null));
        database.run("CREATE FUNCTION silent() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$;"
                + " CREATE TRIGGER silent BEFORE INSERT ON changes FOR EACH ROW EXECUTE FUNCTION silent()");
        done(stores.get(0).intents().open(intent(1, Optional.of("token-one"), 7), 0));
        database.run("DROP TRIGGER silent ON changes; INSERT INTO changes (commit, rows_of, id)"
                + " SELECT max(number), 'spends', 1000000 + generate_series(1, "
                + (PostgresTransactions.MOST_CHANGED + 1) + ") FROM commits");

        assertAnswer(stores.get(1).intents().open(intent(2, Optional.empty(), 7), 0), Opening.CoinTaken.class);
    }

    @Test
    void a_sweep_of_one_store_keeps_its_coins_from_spends_of_the_others_until_its_part_is_opened_or_it_stops() {
        List<SweepStore.Part> parts = List.of(StoreContract.part(0, 7), StoreContract.part(1, 8));
        SweepStore.Sweep sweep = StoreContract.begun(stores.get(0), "sweep-one", parts);

        assertAnswer(stores.get(1).intents().open(intent(2, Optional.empty(), 7), 0), Opening.CoinTaken.class);
        assertThat(stores.get(1).receipts().mayBeOtherThanSpends()).isTrue();
        Intent spend = StoreContract.partSpend(sweep, 0, 1, 7);
        done(stores.get(2).intents().open(spend, 0));
        done(stores.get(2).intents().fail(spend.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 50));
        assertAnswer(stores.get(1).intents().open(intent(2, Optional.empty(), 7), 0), Opening.Opened.class);
        assertAnswer(stores.get(1).intents().open(intent(3, Optional.empty(), 8), 0), Opening.CoinTaken.class);
        done(stores.get(2).sweeps().move("sweep-one", SweepStore.State.RUNNING, SweepStore.State.STOPPED, "a cap"));
        assertAnswer(stores.get(1).intents().open(intent(3, Optional.empty(), 8), 0), Opening.Opened.class);
    }

    @Test
    void a_transaction_that_the_server_ends_before_its_commit_is_tried_once_more() {
        AtomicBoolean first = new AtomicBoolean(true);
        Intent spend = intent(1, Optional.empty(), 7);
        CompletionStage<Void> written = stores.get(0).write(session -> {
            if (first.getAndSet(false)) {
                long backend = session.queryOne("SELECT pg_backend_pid()", row -> row.getLong(1))
                        .orElseThrow();
                database.run("SELECT pg_terminate_backend(" + backend + ")");
            }
            session.update("UPDATE payout_queue SET paused = 1 WHERE one = 1");
            return null;
        });

        done(written);
        assertThat(done(stores.get(1).payouts().isPaused())).isTrue();
        assertAnswer(stores.get(0).intents().open(spend, 0), Opening.Opened.class);
    }

    /** A process may be stopped, or its machine cut off, while it holds the lock; the session of an operator command is not ended. */
    @Test
    void whoever_stalls_with_the_store_lock_is_ended_by_the_server() throws SQLException {
        try (SqlSession session = new SqlSession(database.connect(), Postgres.DIALECT)) {
            String shown = "SELECT current_setting('idle_in_transaction_session_timeout')";
            session.execute(PostgresTransactions.LOCK);
            assertThat(session.queryOne(shown, row -> row.getString(1))).contains("15s");
            session.execute(PostgresTransactions.NO_TIMEOUTS);
            assertThat(session.queryOne(shown, row -> row.getString(1))).contains("0");
            session.execute("ROLLBACK");
        }
    }

    /** Whether a key was deleted is fetched for all units of a commit before the first unit is applied. */
    @Test
    void a_key_that_an_earlier_unit_of_the_same_commit_deletes_is_known_to_be_deleted() throws SQLException {
        Address address = Address.parse("c7".repeat(32));
        KeyringRow.Key key = new KeyringRow.Key(
                address, Optional.empty(), OptionalLong.empty(), Optional.empty(), true, 0, OptionalLong.empty());
        try (SqlSession session = new SqlSession(database.connect(), Postgres.DIALECT)) {
            session.execute("BEGIN");
            PostgresTransactions.writeAs(session, 1, 1);
            KeyringTable.list(session, key);
            session.fetch(List.of(KeyringTable.deletion(address)));
            KeyringTable.delete(session, address);
            assertThat(session.find(KeyringTable.deletion(address))).isPresent();
            KeyringTable.list(session, key);
            assertThat(session.find(KeyringTable.deletion(address))).isEmpty();
            session.execute("ROLLBACK");
        }
    }

    @Test
    void a_lock_that_is_held_for_too_long_is_answered_busy_and_nothing_is_written() throws SQLException {
        Intent spend = intent(1, Optional.empty(), 7);
        database.whileLocked("store", () -> {
            assertFails(stores.get(0).intents().open(spend, 0), StoreException.Reason.BUSY);
        });
        assertThat(done(stores.get(0).intents().findForCertain(spend.txId()))).isEmpty();
        assertAnswer(stores.get(0).intents().open(spend, 0), Opening.Opened.class);
    }

    @Test
    void the_journal_of_the_account_chain_is_certain_only_behind_every_commit_that_holds_the_lock()
            throws SQLException {
        database.whileLocked("store", () -> {
            assertFails(stores.get(0).accountSends().makeCertain(), StoreException.Reason.BUSY);
        });
        done(stores.get(0).accountSends().makeCertain());
    }

    @Test
    void every_kind_of_caller_is_told_busy_while_the_lock_is_held_and_nothing_has_changed() throws SQLException {
        PostgresStore store = stores.get(0);
        Intent open = intent(1, Optional.of("token-one"), 7);
        done(store.intents().open(open, 0));
        Address address = Address.parse("c7".repeat(32));
        PayoutStore.Order order =
                new PayoutStore.Order("payout-1", address, Amount.of(1_000), Optional.empty(), Optional.empty());
        database.whileLocked("store", () -> {
            List<CompletionStage<?>> calls = List.of(
                    store.intents().open(intent(2, Optional.of("token-two"), 8), 0),
                    store.intents().adopt(open.txId()),
                    store.intents().confirm(open.txId(), IntentState.PREPARED, new BlockPlace(7, hash(70)), 60),
                    store.watchOnly().put(new WatchStore.WatchOnly(address, Optional.empty(), OptionalLong.empty())),
                    store.payouts().submit(List.of(order), List.of(address), Optional.empty(), 10, 60));
            calls.forEach(call -> assertFails(call, StoreException.Reason.BUSY));
        });
        assertThat(done(stores.get(1).intents().findForCertain(hash(2)))).isEmpty();
        assertThat(done(stores.get(1).intents().find(open.txId())).orElseThrow().state())
                .isEqualTo(IntentState.PREPARED);
        assertThat(done(stores.get(1).watchOnly().all())).isEmpty();
        assertThat(done(stores.get(1).payouts().unfinished())).isZero();
        assertAnswer(store.intents().open(intent(2, Optional.of("token-two"), 8), 0), Opening.Opened.class);
    }

    @Test
    void a_commit_whose_answer_is_lost_is_unknown_until_another_one_tells() throws Exception {
        for (boolean arrives : List.of(true, false)) {
            try (PostgresProxy cutter = new PostgresProxy(database, arrives);
                    PostgresStore store = cutter.open()) {
                int number = arrives ? 1 : 2;
                done(store.intents().open(intent(10 + number, Optional.empty(), 10 + number), 0));
                cutter.cutNext("INSERT INTO spends");
                // The store polls for changes by others in a transaction of its own, which must not be the one that is
                // cut.
                cutter.roundTrips().clear();
                done(stores.get(0).intents().open(intent(30 + number, Optional.empty(), 30 + number), 0));
                Await.until("it has looked", () -> !cutter.roundTrips().isEmpty());

                assertFails(
                        store.intents().open(intent(number, Optional.empty(), number), 0),
                        StoreException.Reason.UNKNOWN);

                assertThat(done(store.intents().findForCertain(hash(number))).isPresent())
                        .isEqualTo(arrives);
                assertThat(done(store.intents().open(intent(20 + number, Optional.empty(), number), 0)))
                        .isInstanceOf(arrives ? Opening.CoinTaken.class : Opening.Opened.class);
            }
        }
    }

    @Test
    void sixty_four_spends_that_come_at_once_cost_six_round_trips_under_the_store_lock() throws Exception {
        try (PostgresProxy proxy = new PostgresProxy(database, true);
                PostgresStore store = proxy.open()) {
            done(store.intents().open(intent(900, Optional.empty(), 900), 0));
            proxy.roundTrips().clear();
            List<CompletionStage<Opening>> answers = new ArrayList<>();
            database.whileLocked("store", () -> {
                // While another process holds the lock they queue up: the first waits for it alone, the rest behind the
                // first.
                for (int i = 0; i < 65; i++) {
                    answers.add(store.intents().open(intent(i, Optional.of("token-" + i), i), 0));
                }
            });
            answers.forEach(answer -> assertThat(done(answer)).isInstanceOf(Opening.Opened.class));

            assertThat(proxy.roundTrips())
                    .hasSizeLessThanOrEqualTo(4)
                    .allSatisfy(trips -> assertThat(trips).isLessThanOrEqualTo(4));

            // The same with commits by another store meanwhile, whose rows are fetched in one more round trip.
            for (int i = 100; i < 140; i++) {
                done(stores.get(0).intents().open(intent(i, Optional.of("token-" + i), i), 0));
            }
            assertAnswer(store.intents().open(intent(200, Optional.empty(), 139), 0), Opening.CoinTaken.class);
            assertThat(proxy.roundTrips()).allSatisfy(trips -> assertThat(trips).isLessThanOrEqualTo(6));
        }
    }

    @Test
    void spends_of_one_group_that_share_a_token_or_a_transaction_meet_each_other_as_one_after_the_other() {
        CompletionStage<Void> first = stores.get(0).write(session -> null);
        List<CompletionStage<Opening>> answers = List.of(
                stores.get(0).intents().open(intent(1, Optional.of("one"), 1), 0),
                stores.get(0).intents().open(intent(2, Optional.of("one"), 2), 0),
                stores.get(0).intents().open(intent(1, Optional.empty(), 1), 0),
                stores.get(0).intents().open(intent(3, Optional.empty(), 1), 0),
                stores.get(0).intents().open(intent(4, Optional.empty(), 4), 0));
        done(first);

        assertThat(answers.stream().map(answer -> done(answer).getClass().getSimpleName()))
                .containsExactly("Opened", "TokenTaken", "SameTransaction", "CoinTaken", "Opened");
        assertThat(done(stores.get(1).allowance().spentSince(Long.MIN_VALUE)).stream()
                        .map(AllowanceStore.Minute::amount)
                        .reduce(BigInteger.ZERO, BigInteger::add))
                .isEqualTo(intent(1, Optional.empty(), 1)
                        .allowance()
                        .toBigInteger()
                        .add(intent(4, Optional.empty(), 4).allowance().toBigInteger()));
    }

    @Test
    void a_store_that_misses_its_newest_commit_stops_all() {
        done(stores.get(0).intents().open(intent(1, Optional.empty(), 7), 0));
        database.run("DELETE FROM commits WHERE number = (SELECT max(number) FROM commits)");

        assertFails(stores.get(0).intents().open(intent(2, Optional.empty(), 8), 0), StoreException.Reason.STOPPED);
        assertFails(stores.get(1).intents().open(intent(3, Optional.empty(), 9), 0), StoreException.Reason.STOPPED);
        assertThat(stores.get(1).stopped()).isPresent();
    }

    @Test
    void a_store_with_nothing_to_write_notices_that_its_newest_commit_is_gone() {
        done(stores.get(0).intents().open(intent(1, Optional.empty(), 7), 0));
        database.run("DELETE FROM commits WHERE number = (SELECT max(number) FROM commits)");

        Await.until("it has looked", () -> stores.get(0).stopped().isPresent());
    }

    @Test
    void a_name_that_the_database_cannot_keep_is_refused_alone() {
        List<CompletionStage<Opening>> answers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            answers.add(stores.get(0)
                    .intents()
                    .open(intent(i, Optional.of("token-" + i + (i == 3 ? "\0" : "")), i), 0));
        }

        for (int i = 0; i < 6; i++) {
            if (i == 3) {
                assertFails(answers.get(i), StoreException.Reason.UNAVAILABLE);
            } else {
                assertAnswer(answers.get(i), Opening.Opened.class);
            }
        }
    }

    @Test
    void a_row_that_the_second_wall_refuses_ends_the_writer() {
        database.run("INSERT INTO live_tokens (token) VALUES ('token-one')");

        assertFails(
                stores.get(0).intents().open(intent(1, Optional.of("token-one"), 7), 0), StoreException.Reason.UNKNOWN);
        Await.result(stores.get(0).died().toCompletableFuture());
        assertThat(done(stores.get(1).intents().find(hash(1)))).isEmpty();
    }

    @Test
    void whoever_writes_a_spend_without_the_store_lock_is_refused() {
        done(stores.get(0).intents().open(intent(1, Optional.empty(), 7), 0));

        assertThatThrownBy(() -> database.run("UPDATE spends SET reason = 'by hand'"))
                .hasMessageContaining("walletd.commit");
    }

    @Test
    void a_server_that_loses_commits_or_cannot_be_written_is_refused() {
        refused("-c synchronous_commit=off", "loses commits");
        refused("-c default_transaction_read_only=on", "read-only");
    }

    private void refused(String options, String why) {
        assertThatThrownBy(() -> SharedStores.open(database.with(options), OptionalLong.empty(), true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(why);
    }
}
