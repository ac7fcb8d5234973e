package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.intent;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.postgres.PostgresCluster.Standing;
import org.chainwalletd.store.postgres.PostgresCluster.Start;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operator commands about the daemons of a database. */
@Tag("postgres")
class PostgresClusterTest {
    @TempDir
    Path folder;

    @AutoClose
    private final SharedStores database = new SharedStores();

    private PostgresCluster cluster;

    @BeforeEach
    void make() {
        database.act();
        cluster = database.cluster();
    }

    private PostgresStore open() {
        return database.keep(database.openActing());
    }

    private Start ofStart(long start) {
        return cluster.status().starts().stream()
                .filter(one -> one.start() == start)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void each_start_is_listed_with_its_state_and_the_spends_that_it_may_still_send() {
        PostgresStore runner = open();
        PostgresStore other = open();
        Intent spend = intent(1, Optional.of("token"), 1);
        done(runner.intents().open(spend, 0));
        done(runner.intents().fail(spend.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 5));
        done(other.intents().reopen(spend.in(IntentState.REFUSED, "no", 5), 6));
        done(other.intents().open(intent(2, Optional.empty(), 2), 0));
        database.run(
                "INSERT INTO daemons (timeline, beaten, machine, ended, superseded) VALUES (1, 0, 'east', false, false),"
                        + " (1, 0, 'west', false, true), (1, 0, 'north', true, true)");

        PostgresCluster.Status status = cluster.status();
        assertThat(status.starts())
                .extracting(Start::machine, Start::standing, Start::open)
                .containsExactly(
                        tuple("north", Standing.ENDED, 0L),
                        tuple("west", Standing.SUPERSEDED, 0L),
                        tuple("east", Standing.SILENT, 0L),
                        tuple("", Standing.RUNNING, 2L),
                        tuple("", Standing.RUNNING, 1L));
        assertThat(status.commit()).isEqualTo(4);
        assertThat(status.stopped()).isEmpty();
        assertThat(status.lock()).isEmpty();
        assertThat(status.hidden()).isZero();
        assertThat(status.server()).isNotBlank();
    }

    @Test
    void of_the_starts_that_have_ended_the_newest_are_listed_and_the_others_counted() {
        PostgresStore store = open();
        database.run("INSERT INTO daemons (timeline, ended) SELECT 1, true FROM generate_series(1, 25)");

        assertThat(cluster.status().hidden()).isEqualTo(5);
        assertThat(cluster.status().starts())
                .hasSize(21)
                .last()
                .extracting(Start::start)
                .isEqualTo(store.start());
    }

    @Test
    void a_start_tells_its_machine_and_datadir_and_is_unconfirmed_until_it_has_found_its_commits() {
        PostgresStore store = database.keep(PostgresStore.open(
                folder.resolve("datadir"), Optional.empty(), database, Optional.empty(), true, SentLog.LEAST_TO_PRUNE));
        Start start = ofStart(store.start());
        assertThat(start.datadir()).isEqualTo(folder.resolve("datadir").toString());
        assertThat(start.machine()).isNotBlank();
        assertThat(start.behind()).isFalse();

        database.run("INSERT INTO daemons (timeline) VALUES (0)");
        assertThat(ofStart(store.start() + 1).behind()).isTrue();
        database.run("UPDATE store SET stopped = 'payments are lost'");
        assertThat(cluster.status().stopped()).contains("payments are lost");
    }

    @Test
    void the_transaction_that_holds_the_lock_is_named_with_those_that_wait_for_it() throws SQLException {
        PostgresStore store = open();
        try (Connection holder = database.connect();
                Statement holds = holder.createStatement()) {
            holder.setAutoCommit(false);
            holds.execute("SELECT 1 FROM store FOR UPDATE");
            long process = backend(holds);
            store.intents().open(intent(1, Optional.empty(), 1), 0);
            Await.until(
                    "a writer waits",
                    () -> cluster.status()
                            .lock()
                            .filter(lock -> lock.waiting() == 1)
                            .isPresent());
            assertThat(cluster.status().lock().orElseThrow().process()).isEqualTo(process);
            holder.rollback();
        }
        Await.until("it is free", () -> cluster.status().lock().isEmpty());
    }

    private static long backend(Statement session) throws SQLException {
        try (ResultSet row = session.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getLong(1);
        }
    }
}
