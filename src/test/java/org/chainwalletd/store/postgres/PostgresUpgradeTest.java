package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Statements that upgrade tables may take long, because the tables may have millions of rows. */
@Tag("postgres")
class PostgresUpgradeTest {
    private static final int USUAL = 10_000;
    private static final int LONG = (int) Duration.ofHours(1).toMillis();

    @AutoClose
    private final SharedStores database = new SharedStores();

    /** Milliseconds that each statement might take when it was last executed. */
    private final Map<String, Integer> patience = new ConcurrentHashMap<>();

    private Postgres.Connector watched() {
        return database.through(() -> {
            Connection connection = database.connect();
            connection.setNetworkTimeout(Runnable::run, USUAL);
            return Stub.of(
                    Connection.class,
                    call -> call.name().equals("createStatement")
                            ? watched(connection, (Statement) call.on(connection))
                            : call.on(connection));
        });
    }

    private Statement watched(Connection connection, Statement statement) {
        return Stub.of(Statement.class, call -> {
            if (call.name().equals("execute")) {
                patience.put((String) call.arguments()[0], connection.getNetworkTimeout());
            }
            return call.on(statement);
        });
    }

    @Test
    void a_statement_that_upgrades_the_store_may_take_long_and_no_other_may() {
        database.open().close();
        database.run("ALTER TABLE identity DROP COLUMN moved");
        database.run("UPDATE store SET version = version - 1");

        database.keep(SharedStores.open(watched(), OptionalLong.empty(), false));

        assertThat(patience)
                .containsEntry("ALTER TABLE identity ADD COLUMN moved TEXT", LONG)
                .containsEntry("COMMIT", USUAL);
    }

    @Test
    void an_upgrade_of_the_store_does_not_wait_long_for_a_reader() throws Exception {
        database.open().close();
        database.run("ALTER TABLE identity DROP COLUMN moved");
        database.run("UPDATE store SET version = version - 1");
        Postgres.Connector hasty = database.through(() -> {
            Connection connection = database.connect();
            return Stub.of(
                    Connection.class,
                    call -> call.name().equals("createStatement")
                            ? hasty((Statement) call.on(connection))
                            : call.on(connection));
        });
        try (Connection backup = database.connect();
                Statement reader = backup.createStatement()) {
            reader.execute("BEGIN; SELECT count(*) FROM identity");
            CompletableFuture<PostgresStore> opening =
                    CompletableFuture.supplyAsync(() -> SharedStores.open(hasty, OptionalLong.empty(), false));
            assertThatThrownBy(() -> Await.result(opening)).hasStackTraceContaining("lock timeout");
        }

        database.keep(SharedStores.open(hasty, OptionalLong.empty(), false));
    }

    /** Executes statements with a shorter patience for locks than an upgrade has. */
    private static Statement hasty(Statement statement) {
        return Stub.of(
                Statement.class,
                call -> call.name().equals("execute")
                        ? statement.execute(((String) call.arguments()[0])
                                .replace("lock_timeout = '10s'", "lock_timeout = '100ms'"))
                        : call.on(statement));
    }

    @Test
    void a_daemon_waits_for_the_upgrade_by_another_one_longer_than_for_a_response() throws Exception {
        database.open().close();
        Postgres.Connector impatient = database.through(() -> {
            Connection connection = database.connect();
            connection.setNetworkTimeout(Runnable::run, 2_000);
            return connection;
        });
        try (Connection other = database.connect();
                Statement upgrade = other.createStatement()) {
            upgrade.execute("SELECT pg_advisory_lock(" + 0x57445354L + ")");
            CompletableFuture<PostgresStore> opening =
                    CompletableFuture.supplyAsync(() -> SharedStores.open(impatient, OptionalLong.empty(), false));
            long began = System.nanoTime();
            Await.until(
                    "it has waited", () -> opening.isDone() || System.nanoTime() - began > TimeUnit.SECONDS.toNanos(3));
            assertThat(opening).isNotDone();
            upgrade.execute("SELECT pg_advisory_unlock_all()");
            database.keep(Await.result(opening));
        }
    }

    private static BookTable<?, ?> probes(List<List<String>> steps) {
        return Stub.of(BookTable.class, call -> switch (call.name()) {
            case "name" -> "probes";
            case "steps" -> steps;
            case "onServer" -> List.of();
            default -> throw new AssertionError(call.name());
        });
    }

    @Test
    void a_statement_that_upgrades_the_books_may_take_long_and_no_other_may() {
        List<String> first = List.of("CREATE TABLE probes (id INTEGER PRIMARY KEY)");
        String index = "CREATE INDEX probes_by_id ON probes (id)";
        Books.openShared(database, List.of(probes(List.of(first)))).close();

        Books.openShared(watched(), List.of(probes(List.of(first, List.of(index)))))
                .close();

        assertThat(patience).containsEntry(index, LONG);
        assertThat(patience.get("COMMIT")).isLessThan(LONG);
    }
}
