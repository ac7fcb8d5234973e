package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.assertAnswer;
import static org.chainwalletd.store.Payments.assertFails;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are unsuitable, promoted, replaced or set back, and daemons that are paused. */
@Tag("postgres")
class PostgresFaultsTest {
    @AutoClose
    private final SharedStores database = new SharedStores();

    @BeforeEach
    void make() {
        database.act();
    }

    private PostgresStore open() {
        return database.keep(database.openActing());
    }

    @Test
    void a_server_that_is_too_old_or_a_standby_or_loses_commits_is_refused_in_one_sentence() {
        refused("server_version_num", "140011", "older than PostgreSQL 15");
        refused("recovering", "yes", "read-only");
        refused("fsync", "off", "loses commits");
        refused("full_page_writes", "off", "loses commits");
        refused("synchronous_commit", "off", "loses commits");
        assertOpened(open(), 1);
    }

    private void refused(String name, String value, String why) {
        database.act(name, value);
        assertThatThrownBy(this::open).isInstanceOf(StoreException.class).hasMessageContaining(why);
        database.run("DELETE FROM acting");
    }

    @Test
    void a_server_that_begins_to_lose_commits_is_not_written_until_it_keeps_them_again() {
        PostgresStore store = open();
        database.act("synchronous_commit", "off");
        assertFails(openSpend(store, 1), StoreException.Reason.UNAVAILABLE);
        database.run("DELETE FROM acting");
        assertOpened(store, 1);
    }

    @Test
    void a_database_that_was_copied_to_another_system_stops_all_stores() {
        PostgresStore store = open();
        PostgresStore other = open();
        assertOpened(store, 1);
        database.run("UPDATE store SET system = system + 1");

        assertFails(openSpend(store, 2), StoreException.Reason.STOPPED);
        assertFails(openSpend(other, 3), StoreException.Reason.STOPPED);
        assertThat(other.stopped().orElseThrow()).contains("another database system");
    }

    @Test
    void a_timeline_that_goes_back_stops_all_stores() {
        database.act("timeline", "3");
        PostgresStore store = open();
        assertOpened(store, 1);
        database.act("timeline", "2");

        Await.until("it has looked", () -> store.stopped().isPresent());
        assertThat(store.stopped().orElseThrow()).contains("has gone back from timeline 3 to 2");
    }

    @Test
    void after_a_promotion_all_continues_by_itself_once_each_store_has_found_its_commits() {
        PostgresStore store = open();
        open();
        assertOpened(store, 1);
        database.act("timeline", "2");

        Await.until("each has told", () -> database.number("SELECT count(*) FROM daemons WHERE timeline < 2") == 0);
        assertOpened(store, 2);
        assertThat(store.stopped()).isEmpty();
    }

    @Test
    void after_a_promotion_nothing_is_written_while_a_daemon_is_silent_until_it_is_declared_off() {
        PostgresStore store = open();
        assertOpened(store, 1);
        database.run("INSERT INTO daemons (timeline) VALUES (1)");
        long silent = database.number("SELECT max(start) FROM daemons");
        database.act("timeline", "2");

        assertFails(openSpend(store, 2), StoreException.Reason.BUSY);
        forget(silent);
        assertOpened(store, 2);
    }

    /** A snapshot keeps system identifier and timeline, and may contain all commits of one daemon but not those of another. */
    @Test
    void after_the_server_was_restarted_nothing_is_written_before_each_daemon_has_found_its_newest_commit() {
        PostgresStore store = open();
        PostgresStore other = open();
        assertOpened(other, 1);
        assertOpened(store, 2);
        database.run("INSERT INTO daemons (timeline) VALUES (1)");
        long down = database.number("SELECT max(start) FROM daemons");
        database.act("restarted", "1 hour");

        Await.until(
                "the running ones have told",
                () -> database.number("SELECT count(DISTINCT boot) FROM daemons WHERE start <> " + down) == 1
                        && database.number("SELECT max(boot) - min(boot) FROM daemons") > 0);
        assertFails(openSpend(store, 3), StoreException.Reason.BUSY);
        assertThat(database.cluster().confirmFailover())
                .extracting(PostgresCluster.Silent::start)
                .containsExactly(down);
        assertOpened(store, 3);
        assertOpened(other, 4);
    }

    @Test
    void the_operator_confirms_a_fail_over_for_a_daemon_that_stays_silent() {
        PostgresStore store = open();
        PostgresStore silent = open();
        assertOpened(silent, 1);
        assertOpened(store, 2);
        database.end(silent);
        database.run("UPDATE daemons SET ended = false WHERE start = " + silent.start());
        database.act("timeline", "2");
        assertFails(openSpend(store, 3), StoreException.Reason.BUSY);

        PostgresCluster cluster = database.cluster();
        assertThat(cluster.confirmFailover())
                .extracting(PostgresCluster.Silent::start)
                .containsExactly(silent.start());
        assertOpened(store, 3);
        assertThatThrownBy(cluster::confirmFailover).hasMessageContaining("has nothing to confirm");
        database.act("timeline", "3");
        database.run("UPDATE store SET stopped = 'payments are lost'");
        assertThatThrownBy(cluster::confirmFailover).hasMessageContaining("payments are lost");
        assertThat(database.number("SELECT timeline FROM daemons WHERE start = " + silent.start()))
                .as("nothing was confirmed")
                .isEqualTo(2);
    }

    @Test
    void a_confirmation_is_refused_while_the_lock_is_held_and_by_tables_of_another_release_and_without_tables()
            throws SQLException {
        PostgresCluster cluster = database.cluster();
        assertThatThrownBy(cluster::confirmFailover).hasMessageContaining("has no tables of a store: correct --store");
        PostgresStore store = open();
        database.run("INSERT INTO daemons (timeline) VALUES (0)");
        database.whileLocked("store", () -> {
            assertThatThrownBy(cluster::confirmFailover)
                    .hasMessageContaining("another transaction for too long: try again");
        });
        database.run("UPDATE store SET version = version - 1");
        assertThatThrownBy(cluster::confirmFailover).hasMessageContaining("use the command of the release");
        database.run("UPDATE store SET version = 999");
        assertThatThrownBy(cluster::confirmFailover).hasMessageContaining("written by a newer release");
        assertThat(database.number("SELECT count(*) FROM daemons WHERE timeline = 0"))
                .isEqualTo(1);
        database.run("UPDATE store SET version = " + Schema.version());
        assertThat(cluster.confirmFailover()).hasSize(1);
        assertOpened(store, 1);
    }

    @Test
    void a_commit_that_the_server_warns_about_is_durable_only_after_another_one_without_a_warning() {
        PostgresStore store = open();
        database.warnOf("commits", 1);
        assertOpened(store, 1);
        assertThat(database.number("SELECT count(*) FROM commits")).isEqualTo(2);

        database.run("UPDATE warnings SET remaining = 2");
        assertFails(openSpend(store, 2), StoreException.Reason.UNKNOWN);
        // The payment was committed, and its coin stays held.
        assertAnswer(store.intents().open(intent(3, Optional.empty(), 2), 0), Opening.CoinTaken.class);
    }

    /** The standby that is promoted has everything except the commits that the server warned about. */
    @Test
    void a_payment_in_doubt_that_a_promoted_standby_lacks_holds_no_coin() {
        PostgresStore store = open();
        assertOpened(store, 1);
        database.warnOf("commits", 0);
        database.backUp();
        database.run("UPDATE warnings SET remaining = 2");
        assertFails(openSpend(store, 2), StoreException.Reason.UNKNOWN);
        promoteTheBackUp();

        assertAnswer(store.intents().open(intent(3, Optional.empty(), 2), 0), Opening.Opened.class);
        assertThat(store.stopped()).isEmpty();
    }

    /**
     * The standby that is promoted lacks the newest settings.
     *
     * @param again whether others have taken their place before this daemon notices
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void settings_that_a_promoted_standby_lacks_are_forgotten(boolean again) {
        PostgresStore store = open();
        store.agree(values -> Map.of("setting", "old"));
        assertOpened(store, 1);
        database.warnOf("commits", 0);
        database.backUp();
        store.agree(values -> Map.of("setting", "lost"));
        database.run("UPDATE warnings SET remaining = 2");
        assertFails(openSpend(store, 2), StoreException.Reason.UNKNOWN);
        database.putBack();
        if (again) {
            database.cluster().agree(values -> Map.of("setting", "new"));
        }
        database.act("timeline", "2");

        Optional<String> judged = done(store.write(session -> store.agreed().value("setting")));
        assertThat(judged).contains(again ? "new" : "old");
    }

    private void promoteTheBackUp() {
        database.putBack();
        database.act("timeline", "2");
    }

    /** A proxy passes the next transaction to a promoted standby, which lacks the commit that is to be confirmed. */
    @Test
    void a_commit_that_is_lost_before_another_one_confirms_it_is_in_doubt() {
        AtomicReference<Runnable> afterCommit = new AtomicReference<>(() -> {});
        PostgresStore store = database.keep(SharedStores.open(
                database.through(() -> {
                    Connection connection = database.acting().connect();
                    return proxy(Connection.class, (call, values) -> {
                        Object answer = call.invoke(connection, values);
                        return call.getName().equals("createStatement")
                                ? proxy(Statement.class, (inner, texts) -> {
                                    Object done = inner.invoke(answer, texts);
                                    if (texts != null && texts[0].equals("COMMIT")) {
                                        afterCommit.getAndSet(() -> {}).run();
                                    }
                                    return done;
                                })
                                : answer;
                    });
                }),
                OptionalLong.empty(),
                true));
        assertOpened(store, 1);
        database.warnOf("commits", 0);
        database.backUp();
        database.run("UPDATE warnings SET remaining = 1");
        afterCommit.set(this::promoteTheBackUp);

        assertFails(openSpend(store, 2), StoreException.Reason.UNKNOWN);
        assertAnswer(store.intents().open(intent(3, Optional.empty(), 2), 0), Opening.Opened.class);
    }

    /** Call of a store's method. */
    @FunctionalInterface
    private interface Call {
        Object answer(Method method, Object[] values) throws ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
                    try {
                        return call.answer(method, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Test
    void a_store_that_is_closed_lets_nothing_be_sent_any_more() {
        PostgresStore store = open();
        done(store.maySend());
        store.close();
        assertFails(store.maySend(), StoreException.Reason.UNAVAILABLE);
    }

    /** Other daemons may have pruned the newest commit of which this daemon is certain, because it made a later one without knowing. */
    @Test
    void a_daemon_whose_newest_commit_is_in_doubt_misses_no_older_one_that_was_pruned() {
        PostgresStore store = open();
        assertOpened(store, 1);
        database.warnOf("commits", 2);
        assertFails(openSpend(store, 2), StoreException.Reason.UNKNOWN);
        database.run("DELETE FROM commits WHERE number NOT IN (SELECT max(number) FROM commits GROUP BY daemon);"
                + " UPDATE store SET pruned = (SELECT max(number) FROM commits) - 1");

        assertOpened(store, 3);
        assertThat(store.stopped()).isEmpty();
    }

    @Test
    void old_commits_are_pruned_but_each_daemons_newest_is_kept_and_a_store_far_behind_reads_all_again() {
        PostgresStore store = open();
        PostgresStore behind = open();
        assertOpened(behind, 1);
        assertOpened(store, 2);
        long last = PostgresTransactions.KEPT_COMMITS + 1_999;
        database.run("INSERT INTO commits (number, daemon, counter, random) VALUES (" + last + ", 999, 1, 1)");
        assertOpened(store, 3);
        // A transaction that began before that row may have included the opening.
        assertOpened(store, 5);

        // Either daemon may have made the commit that prunes, because each polls for changes of the other.
        assertThat(database.number("SELECT count(*) FROM commits WHERE number < 1000"))
                .isEqualTo(1);
        assertThat(database.number(
                        "SELECT count(*) FROM commits one WHERE number < 1000 AND daemon IN (" + behind.start() + ", "
                                + store.start() + ") AND number = (SELECT max(number) FROM commits"
                                + " WHERE daemon = one.daemon AND number < " + (last + 1) + ")"))
                .as("the newest of a daemon at that commit")
                .isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM changes WHERE commit < 1000"))
                .isZero();
        assertAnswer(behind.intents().open(intent(4, Optional.empty(), 2), 0), Opening.CoinTaken.class);
        assertThat(behind.stopped()).isEmpty();
    }

    @Test
    void a_role_without_the_right_to_define_tables_runs_a_store_that_another_has_made() {
        open();
        String role = "runs_" + database.name();
        database.run("CREATE ROLE " + role + "; GRANT USAGE ON SCHEMA " + database.name() + " TO " + role
                + "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + database.name() + " TO " + role
                + "; GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + database.name() + " TO " + role);
        PostgresStore store =
                database.keep(SharedStores.open(database.with("-c role=" + role), OptionalLong.empty(), true));

        assertOpened(store, 1);
        assertThatThrownBy(
                        () -> Await.result(store.write(session -> session.update("CREATE TABLE other (one BIGINT)"))))
                .hasMessageContaining("permission denied");
    }

    @Test
    void coins_are_not_freed_while_a_daemon_that_may_send_the_spend_has_not_ended() {
        PostgresStore runner = open();
        PostgresStore other = open();
        Intent spend = intent(1, Optional.of("token"), 1);
        done(runner.intents().open(spend, 0));

        assertFails(other.intents().abandon(spend.txId(), "by hand", 9), StoreException.Reason.BUSY);
        assertFails(
                other.reservations()
                        .abandon(Map.of(
                                spend.txId(), Set.of(spend.inputs().get(0).outpoint()))),
                StoreException.Reason.BUSY);
        assertFails(
                other.intents().failSent(spend.txId(), IntentState.PREPARED, IntentState.CONFLICTED, "no", 9),
                StoreException.Reason.BUSY);
        assertThat(done(other.intents().find(spend.txId())).orElseThrow().state())
                .isEqualTo(IntentState.PREPARED);

        forget(runner.start());
        assertThat(done(other.intents().abandon(spend.txId(), "by hand", 9)))
                .isEqualTo(new IntentStore.Transition.Made());
        // The paused daemon resumes: it writes nothing, so it opens nothing that it could send.
        assertFails(openSpend(runner, 2), StoreException.Reason.STOPPED);
        assertThat(other.stopped()).isEmpty();
    }

    /** Declares the start off as the operator does, after making its heartbeat look old. */
    private void forget(long start) {
        Await.until("it is declared off", () -> {
            database.run("UPDATE daemons SET beaten = 0 WHERE start = " + start);
            try {
                database.cluster().forget(start);
                return true;
            } catch (StoreException e) {
                assertThat(e).hasMessageContaining("has heard of start " + start);
                return false;
            }
        });
    }

    @Test
    void a_daemon_that_is_declared_off_while_it_is_paused_sends_nothing_when_it_wakes() {
        PostgresStore store = open();
        assertOpened(store, 1);
        done(store.maySend());
        forget(store.start());

        Await.until("it asks again whether it may send", () -> {
            CompletableFuture<Void> permission = store.maySend().toCompletableFuture();
            Await.until("an answer", permission::isDone);
            return permission.isCompletedExceptionally();
        });
        assertFails(store.maySend(), StoreException.Reason.STOPPED);
        assertThat(store.stopped().orElseThrow()).contains("declared off while it was paused");
    }

    @Test
    void a_start_that_has_a_heartbeat_or_has_ended_or_never_was_is_not_declared_off() {
        PostgresStore store = open();
        PostgresCluster cluster = database.cluster();
        long start = store.start();
        assertThatThrownBy(() -> cluster.forget(start))
                .hasMessageContaining("has heard of start " + start)
                .hasMessageContaining("stop it");
        assertOpened(store, 1);
        assertThatThrownBy(() -> cluster.forget(start + 1)).hasMessageContaining("knows no start");
        store.close();
        assertThatThrownBy(() -> cluster.forget(start)).hasMessageContaining("has ended");
    }

    /** The heartbeat is in a transaction that has not committed when the command begins. */
    @Test
    void a_start_whose_heartbeat_is_being_written_is_not_declared_off() throws SQLException {
        open();
        database.run("INSERT INTO daemons (timeline) VALUES (1)");
        long start = database.number("SELECT max(start) FROM daemons");
        PostgresCluster cluster = database.cluster();
        CompletableFuture<PostgresCluster.Start> forgotten;
        try (Connection other = database.connect();
                Statement heartbeat = other.createStatement()) {
            heartbeat.execute(
                    "BEGIN; UPDATE daemons SET beaten = " + PostgresSchema.MILLIS + " WHERE start = " + start);
            long process;
            try (ResultSet row = heartbeat.executeQuery("SELECT pg_backend_pid()")) {
                row.next();
                process = row.getLong(1);
            }
            forgotten = CompletableFuture.supplyAsync(() -> cluster.forget(start));
            Await.until(
                    "the command waits for the heartbeat",
                    () -> database.number("SELECT count(*) FROM pg_stat_activity WHERE " + process
                                    + " = ANY (pg_blocking_pids(pid))")
                            == 1);
            heartbeat.execute("COMMIT");
        }

        assertThatThrownBy(() -> Await.result(forgotten)).hasMessageContaining("has heard of start " + start);
        assertThat(database.number("SELECT count(*) FROM daemons WHERE ended")).isZero();
    }

    @Test
    void a_spend_that_another_has_sent_again_is_not_freed_before_both_have_ended() {
        PostgresStore first = open();
        PostgresStore second = open();
        PostgresStore third = open();
        Intent spend = intent(1, Optional.empty(), 1);
        done(first.intents().open(spend, 0));
        done(first.intents().fail(spend.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 5));
        done(second.intents().reopen(spend.in(IntentState.REFUSED, "no", 5), 6));

        forget(second.start());
        assertFails(third.intents().abandon(spend.txId(), "by hand", 9), StoreException.Reason.BUSY);
        forget(first.start());
        assertThat(done(third.intents().abandon(spend.txId(), "by hand", 9)))
                .isEqualTo(new IntentStore.Transition.Made());
    }

    @Test
    void a_spend_is_adopted_when_its_runner_is_silent_and_nobody_says_from_then_on_that_it_never_left() {
        PostgresStore runner = open();
        PostgresStore other = open();
        Intent spend = intent(1, Optional.of("token"), 1);
        done(runner.intents().open(spend, 0));

        assertAnswer(runner.intents().adopt(spend.txId()), IntentStore.Adoption.Ours.class);
        assertAnswer(other.intents().adopt(spend.txId()), IntentStore.Adoption.Elsewhere.class);
        Await.until("its heartbeat has lapsed", () -> {
            database.run("UPDATE daemons SET beaten = 0 WHERE start = " + runner.start());
            return done(other.intents().adopt(spend.txId())) instanceof IntentStore.Adoption.Ours;
        });

        for (PostgresStore store : List.of(runner, other)) {
            assertAnswer(
                    store.intents().fail(spend.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 50),
                    IntentStore.Transition.Stale.class);
            assertAnswer(store.intents().contest(spend.txId(), "twin", 50), IntentStore.Transition.Stale.class);
        }
        done(other.intents().accept(spend.txId(), Set.of(IntentState.PREPARED), 60));
        assertThat(done(runner.intents().find(spend.txId())).orElseThrow().state())
                .isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void a_spend_that_was_closed_is_not_adopted() {
        PostgresStore runner = open();
        Intent spend = intent(1, Optional.of("token"), 1);
        done(runner.intents().open(spend, 0));
        done(runner.intents().fail(spend.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 50));

        assertThat(done(open().intents().adopt(spend.txId())))
                .isEqualTo(new IntentStore.Adoption.Moved(Optional.of(IntentState.REFUSED)));
        assertThat(done(open().intents().adopt(hash(77)))).isEqualTo(new IntentStore.Adoption.Moved(Optional.empty()));
    }

    @Test
    void a_daemon_that_ends_signs_its_spends_off() {
        PostgresStore runner = open();
        Intent spend = intent(1, Optional.empty(), 1);
        done(runner.intents().open(spend, 0));
        database.end(runner);

        assertThat(done(open().intents().abandon(spend.txId(), "by hand", 9)))
                .isEqualTo(new IntentStore.Transition.Made());
    }

    @Test
    void a_use_leaves_the_cap_only_when_the_servers_clock_and_the_chain_are_both_a_period_further() {
        PostgresStore one = open();
        PostgresStore two = open();
        Duration day = Duration.ofDays(1);
        AtomicLong chain = new AtomicLong(System.currentTimeMillis());
        // The clock of the second daemon is years ahead, which must not matter.
        Clock right = Clock.systemUTC();
        Clock fast = Clock.offset(right, Duration.ofDays(5_000));
        capForOneSpend(one, right, chain);
        capForOneSpend(two, fast, chain);

        assertThat(openNow(one, 1, right)).isInstanceOf(Opening.Opened.class);
        assertThat(openNow(two, 2, fast)).isInstanceOf(Opening.CapExceeded.class);

        database.act("clock_ahead", "3 days");
        assertThat(openNow(two, 2, fast)).isInstanceOf(Opening.CapExceeded.class);
        database.act("clock_ahead", "0");
        chain.addAndGet(day.multipliedBy(3).toMillis());
        assertThat(openNow(two, 2, fast)).isInstanceOf(Opening.CapExceeded.class);

        database.act("clock_ahead", "3 days");
        assertThat(openNow(two, 2, fast)).isInstanceOf(Opening.Opened.class);
        assertThat(openNow(one, 3, right)).isInstanceOf(Opening.CapExceeded.class);
    }

    @Test
    void a_token_expires_by_the_servers_clock_however_wrong_the_clock_of_a_daemon_is() {
        Duration kept = Duration.ofDays(30);
        for (Duration wrong : List.of(Duration.ofDays(3_650), Duration.ofDays(-3_650))) {
            database.act("clock_ahead", "0");
            int number = wrong.isNegative() ? 2 : 1;
            Intent spend = intent(number, Optional.of("token-" + number), number);
            Clock rightClock = Clock.systemUTC();
            Clock wrongClock = Clock.offset(rightClock, wrong);
            PostgresStore right = open();
            PostgresStore off = open();
            govern(right, rightClock);
            govern(off, wrongClock);

            long now = wrongClock.millis();
            assertAnswer(off.intents().open(spend, now - kept.toMillis()), Opening.Opened.class);
            done(off.intents().confirm(spend.txId(), IntentState.PREPARED, new BlockPlace(7, hash(700)), now));
            done(off.intents().bury(List.of(spend.txId())));

            isTaken(right, number, rightClock.millis() - kept.toMillis());
            isTaken(off, number, now - kept.toMillis());
            assertThat(done(off.intents().forget(now - kept.toMillis(), 10))).isZero();
            done(right.receipts().keep(Map.of(spend.txId(), Bytes.wrap(new byte[] {1}))));
            isTaken(off, number, now - kept.toMillis());
            assertThat(done(off.receipts().forgetKept(now - kept.toMillis(), 10)))
                    .isZero();

            // A caller that uses the store's clock sees the token end by that clock.
            database.act("clock_ahead", "31 days");
            done(off.write(session -> null));
            govern(off, off.clock(wrongClock));
            assertThat(done(off.receipts().forgetKept(off.clock(wrongClock).millis() - kept.toMillis(), 10)))
                    .isOne();
        }
    }

    private static void isTaken(PostgresStore store, int number, long closedBefore) {
        assertThat(done(store.receipts().bound("token-" + number, closedBefore)))
                .isPresent();
        assertAnswer(
                store.intents().open(intent(10 + number, Optional.of("token-" + number), 10), closedBefore),
                Opening.TokenTaken.class);
    }

    private static void govern(PostgresStore store, Clock clock) {
        done(store.allowance()
                .govern(
                        new AllowanceStore.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1)),
                        clock,
                        OptionalLong::empty));
    }

    @Test
    void a_daemon_with_other_caps_is_refused_and_the_operators_change_is_judged_by_all_at_once() {
        PostgresStore first = open();
        PostgresStore second = open();
        AtomicLong chain = new AtomicLong(System.currentTimeMillis());
        capForOneSpend(first, Clock.systemUTC(), chain);
        AllowanceStore.Limits none = new AllowanceStore.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1));

        assertThatThrownBy(() -> Await.result(
                        second.allowance().govern(none, Clock.systemUTC(), () -> OptionalLong.of(chain.get()))))
                .hasMessageContaining("has other caps")
                .hasMessageContaining("cluster set caps");
        capForOneSpend(second, Clock.systemUTC(), chain);
        assertThat(openNow(first, 1, Clock.systemUTC())).isInstanceOf(Opening.Opened.class);
        assertThat(openNow(second, 2, Clock.systemUTC())).isInstanceOf(Opening.CapExceeded.class);

        database.cluster().agree(values -> {
            values.put(PostgresAgreed.CAPS, none.words());
            return values;
        });
        assertThat(openNow(second, 2, Clock.systemUTC())).isInstanceOf(Opening.Opened.class);
        assertThat(openNow(first, 3, Clock.systemUTC())).isInstanceOf(Opening.Opened.class);
        assertThat(done(first.allowance().status()).limits()).isEqualTo(none);
    }

    @Test
    void a_setting_that_a_command_has_changed_is_judged_by_the_next_transaction() {
        PostgresStore store = open();
        for (int change = 1; change <= 20; change++) {
            String value = "value " + change;
            database.cluster().agree(values -> {
                values.put("setting", value);
                return values;
            });
            Optional<String> judged = done(store.write(session -> store.agreed().value("setting")));
            assertThat(judged).contains(value);
        }
    }

    @Test
    void the_heartbeat_does_not_wait_behind_reads() {
        PostgresStore store = open();
        CountDownLatch over = new CountDownLatch(1);
        CompletableFuture<Boolean> longRead = store.read(session -> {
            Await.opened(over);
            return true;
        });
        try {
            long first = heartbeat(store);
            Await.until("the heart beats", () -> heartbeat(store) > first);
            long second = heartbeat(store);
            Await.until("the heart beats again", () -> heartbeat(store) > second);
        } finally {
            over.countDown();
        }
        assertThat(Await.result(longRead)).isTrue();
    }

    private long heartbeat(PostgresStore store) {
        try (SqlSession session = new SqlSession(database.connect(), Postgres.DIALECT)) {
            return session.queryOne("SELECT beaten FROM daemons WHERE start = ?", row -> row.getLong(1), store.start())
                    .orElseThrow();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_use_that_the_servers_fast_clock_has_stamped_ends_a_period_after_the_clock_was_set_back() {
        PostgresStore store = open();
        AtomicLong chain = new AtomicLong(System.currentTimeMillis());
        Clock right = Clock.systemUTC();
        capForOneSpend(store, right, chain);
        database.act("clock_ahead", "1000 days");
        assertThat(openNow(store, 1, right)).isInstanceOf(Opening.Opened.class);

        database.act("clock_ahead", "0");
        assertThat(openNow(store, 2, right)).isInstanceOf(Opening.CapExceeded.class);
        database.act("clock_ahead", "2 days");
        chain.addAndGet(Duration.ofDays(2).toMillis());
        assertThat(openNow(store, 2, right)).isInstanceOf(Opening.Opened.class);
    }

    private static void capForOneSpend(PostgresStore store, Clock clock, AtomicLong chain) {
        Amount cap = intent(1, Optional.empty(), 1).allowance();
        done(store.allowance()
                .govern(
                        new AllowanceStore.Limits(Optional.empty(), Optional.of(cap), Duration.ofDays(1)),
                        clock,
                        () -> OptionalLong.of(chain.get())));
    }

    private static Opening openNow(PostgresStore store, int number, Clock clock) {
        return done(store.intents().open(intent(number, Optional.empty(), number), 0, true, clock::millis));
    }

    private static CompletionStage<Opening> openSpend(PostgresStore store, int number) {
        return store.intents().open(intent(number, Optional.empty(), number), 0);
    }

    private static void assertOpened(PostgresStore store, int number) {
        assertAnswer(openSpend(store, number), Opening.Opened.class);
    }

    /** The planner has no statistics about tables that have just grown. */
    @Test
    void payments_are_looked_up_together_without_reading_all_that_are_there() {
        PostgresStore store = open();
        int together = 60;
        int rounds = 10;
        for (int round = 0; round < rounds; round++) {
            List<CompletionStage<Opening>> answers = new ArrayList<>();
            for (int i = 0; i < together; i++) {
                int id = round * together + i;
                answers.add(store.intents().open(intent(id, Optional.of("token-" + id), id), 0));
            }
            answers.forEach(answer -> assertThat(done(answer)).isInstanceOf(Opening.Opened.class));
        }
        // Statistics are flushed at the latest when the connections end.
        store.close();
        String here = " WHERE schemaname = '" + database.name() + "' AND relname = ";
        Await.until(
                "the server has counted",
                () -> database.number("SELECT n_tup_ins FROM pg_stat_user_tables" + here + "'spends'")
                        == together * rounds);
        for (String table : List.of("spends", "changes")) {
            assertThat(database.number("SELECT seq_tup_read FROM pg_stat_user_tables" + here + "'" + table + "'"))
                    .as(table)
                    .isZero();
        }
        assertThat(database.number("SELECT max(idx_tup_read) FROM pg_stat_user_indexes" + here + "'spends'"))
                .isLessThan(2L * together * rounds);
    }
}
