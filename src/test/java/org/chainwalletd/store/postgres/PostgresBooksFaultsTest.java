package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.reasonOf;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.BooksSession;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shared books: lost connections, two daemons that want to write, and a database that goes back in time. */
@Tag("postgres")
class PostgresBooksFaultsTest {
    private static final String END_WRITER =
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'books'::regclass AND mode = 'RowShareLock'";

    private final SharedStores database = new SharedStores();
    private final List<Books> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(Books::close);
    }

    private Books open(Postgres.Connector through) {
        Books books = Books.openShared(through, List.of());
        opened.add(books);
        return books;
    }

    private Books open() {
        return open(database);
    }

    private Books keeper() {
        Books books = open();
        Await.result(books.beginRun());
        return books;
    }

    private static Void put(BooksSession session, long height) {
        Hash256 id = Hash256.sha256(new byte[] {(byte) height});
        BlockRows.put(session.head(), new BlockRow(height, id, Hash256.ZERO, height, Hash256.ZERO, true));
        return null;
    }

    private static List<Long> heights(Books books) {
        return Await.result(books.read(session ->
                BlockRows.all(session.head()).stream().map(BlockRow::height).toList()));
    }

    @Test
    void a_connection_that_is_lost_in_a_batch_is_made_again_and_the_batch_is_written_once() {
        Books books = keeper();
        AtomicInteger runs = new AtomicInteger();

        Await.result(books.epoch().write(session -> {
            put(session, 1);
            if (runs.incrementAndGet() == 1) {
                BlockRows.top(session.head());
                database.run(END_WRITER);
            }
            return put(session, 2);
        }));

        assertThat(runs).hasValue(2);
        assertThat(heights(books)).containsExactly(1L, 2L);
    }

    @Test
    void a_connection_of_a_reader_that_is_lost_is_made_again() {
        Books books = keeper();
        Await.result(books.write(session -> put(session, 1)));
        AtomicInteger runs = new AtomicInteger();

        List<Long> read = Await.result(books.read(session -> {
            List<BlockRow> rows = BlockRows.all(session.head());
            if (runs.incrementAndGet() == 1) {
                database.run("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'blocks'::regclass"
                        + " AND mode = 'AccessShareLock'");
                BlockRows.all(session.head());
            }
            return rows.stream().map(BlockRow::height).toList();
        }));

        assertThat(runs).hasValue(2);
        assertThat(read).containsExactly(1L);
    }

    @Test
    void a_commit_whose_answer_is_lost_is_found_out_and_its_batch_is_written_once_whether_it_was_made_or_not()
            throws IOException {
        for (boolean arrives : List.of(true, false)) {
            try (PostgresProxy proxy = new PostgresProxy(database, arrives)) {
                Books books = open(proxy.database());
                Await.result(books.beginRun());
                AtomicInteger runs = new AtomicInteger();
                long height = arrives ? 1 : 2;
                proxy.cutNext("INSERT INTO blocks");

                Await.result(books.epoch().write(session -> {
                    runs.incrementAndGet();
                    return put(session, height);
                }));

                assertThat(runs).hasValue(arrives ? 1 : 2);
                assertThat(heights(books)).contains(height);
                Await.result(books.epoch().write(session -> put(session, height + 10)));
            }
        }
    }

    @Test
    void a_read_and_a_write_on_half_open_connections_are_done_on_others_within_seconds() throws IOException {
        try (PostgresProxy proxy = new PostgresProxy(database, true)) {
            Books books = open(proxy.database());
            Await.result(books.write(session -> put(session, 1)));
            assertThat(heights(books)).containsExactly(1L);
            proxy.halfOpen();
            long begun = System.nanoTime();
            CompletableFuture<Void> write = books.write(session -> put(session, 2));
            assertThat(heights(books)).contains(1L);
            Await.result(write);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(25));
        }
    }

    @Test
    void a_lost_answer_is_reported_as_unknown_while_the_server_cannot_be_asked_and_what_is_cached_is_dropped()
            throws IOException {
        try (PostgresProxy proxy = new PostgresProxy(database, true)) {
            AtomicInteger connections = new AtomicInteger();
            // The third connection is the one that checks the outcome.
            IntPredicate refused = number -> number == 3;
            Books books = open(database.through(() -> {
                if (refused.test(connections.incrementAndGet())) {
                    throw new SQLException("nobody is there", "08001");
                }
                return proxy.database().connect();
            }));
            Await.result(books.beginRun());
            Books.Epoch epoch = books.epoch();
            proxy.cutNext("INSERT INTO blocks");

            assertThat(reasonOf(epoch.write(session -> put(session, 1)))).isEqualTo(StoreException.Reason.UNKNOWN);
            Await.result(epoch.write(session -> put(session, 2)));
            assertThat(heights(books)).containsExactly(1L, 2L);
        }
    }

    @Test
    void a_commit_that_the_server_warns_about_is_durable_only_after_another_one_without_a_warning() {
        Books books = keeper();
        database.warnOf("book_commits", 1);

        Await.result(books.epoch().write(session -> put(session, 1)));
        database.run("UPDATE warnings SET remaining = 2");
        assertThat(reasonOf(books.epoch().write(session -> put(session, 2)))).isEqualTo(StoreException.Reason.UNKNOWN);
        Await.result(books.epoch().write(session -> put(session, 3)));

        assertThat(heights(books)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void what_is_cached_of_rows_is_dropped_when_another_daemon_writes_between_a_warned_commit_and_the_one_after_it() {
        Books books = keeper();
        Books other = open();
        database.warnOf("book_commits", 1);
        List<CompletionStage<Void>> between = new ArrayList<>();

        long before = Await.result(books.write(session -> {
            between.add(other.write(waiting -> put(waiting, 2)));
            Await.until("the other one waits for the lock", this::isWaitedForTheLock);
            put(session, 1);
            return uses(session);
        }));
        Await.result(between.get(0));
        long after = Await.result(books.write(PostgresBooksFaultsTest::uses));

        assertThat(heights(books)).containsExactly(1L, 2L);
        assertThat(List.of(before, after)).containsExactly(1L, 1L);
    }

    /** Returns how often the same cache instance was used. */
    private static long uses(BooksSession session) {
        return session.cached(AtomicInteger.class, none -> new AtomicInteger()).incrementAndGet();
    }

    private boolean isWaitedForTheLock() {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            return statement
                    .executeQuery("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                    .next();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void of_two_daemons_the_one_that_has_begun_the_last_run_writes_blocks_and_both_write_what_calls_ask_for() {
        Books first = keeper();
        Books.Epoch before = first.epoch();
        Await.result(before.write(session -> put(session, 1)));
        Books second = keeper();

        assertThat(reasonOf(before.write(session -> put(session, 2)))).isEqualTo(StoreException.Reason.UNAVAILABLE);
        assertThat(reasonOf(first.epoch().write(session -> put(session, 2))))
                .isEqualTo(StoreException.Reason.UNAVAILABLE);
        Await.result(first.endEpoch());
        Await.result(second.epoch().write(session -> put(session, 3)));
        Await.result(first.write(session -> put(session, 4)));
        assertThat(heights(second)).containsExactly(1L, 3L, 4L);

        Await.result(first.beginRun());
        Await.result(first.epoch().write(session -> put(session, 5)));
        assertThat(reasonOf(second.epoch().write(session -> put(session, 6))))
                .isEqualTo(StoreException.Reason.UNAVAILABLE);
        Books reader = open();
        assertThat(reasonOf(reader.epoch().write(session -> put(session, 6))))
                .as("a daemon that has begun no run")
                .isEqualTo(StoreException.Reason.UNAVAILABLE);
        assertThat(heights(reader)).containsExactly(1L, 3L, 4L, 5L);
    }

    /** The first daemon has taken the lease and is paused before its run begins, or its connection is cut and it tries again. */
    @Test
    void a_daemon_that_has_lost_the_lease_before_its_run_begins_does_not_end_the_run_of_the_one_that_took_it(
            @TempDir Path folder) {
        try (PostgresStore one = database.open();
                PostgresStore two = database.open();
                PostgresLease paused = one.lease();
                PostgresLease lease = two.lease()) {
            Books first = beside(one, folder);
            Books second = beside(two, folder);
            paused.take(paused.read());
            lease.take(lease.read());
            Await.result(second.beginRun());

            assertThat(reasonOf(first.beginRun())).isEqualTo(StoreException.Reason.UNAVAILABLE);
            Await.result(first.endEpoch());
            Await.result(second.epoch().write(session -> put(session, 1)));
            assertThat(second.isReplaced()).isFalse();

            paused.take(paused.read());
            Await.result(first.beginRun());
            Await.result(first.epoch().write(session -> put(session, 2)));
            assertThat(reasonOf(second.epoch().write(session -> put(session, 3))))
                    .isEqualTo(StoreException.Reason.UNAVAILABLE);
            assertThat(second.isReplaced()).isTrue();
            assertThat(heights(first)).containsExactly(1L, 2L);
        }
    }

    private Books beside(PostgresStore store, Path folder) {
        Books books = Books.openShared(folder, database, List.of(), OptionalLong.of(store.start()));
        opened.add(books);
        return books;
    }

    @Test
    void daemons_that_open_at_once_make_the_tables_once() {
        List<CompletableFuture<Books>> opening = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            opening.add(CompletableFuture.supplyAsync(() -> Books.openShared(database, List.of())));
        }
        opening.forEach(books -> opened.add(Await.result(books)));

        Await.result(opened.get(0).write(session -> put(session, 1)));
        assertThat(opened).allSatisfy(books -> assertThat(heights(books)).containsExactly(1L));
    }

    @Test
    void a_release_starts_on_tables_of_the_next_one_and_leaves_their_version_and_not_on_those_of_a_later_one() {
        open();
        database.run("UPDATE book_versions SET version = version + 1");

        Books books = open();
        Await.result(books.write(session -> put(session, 1)));
        assertThat(heights(open())).containsExactly(1L);

        database.run("UPDATE book_versions SET version = version + 1");
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refusal -> assertThat(refusal.reason()).isEqualTo(StoreException.Reason.DAMAGED))
                .hasMessageContaining("written by a newer release");
    }

    @Test
    void what_daemons_write_at_once_is_as_if_one_had_written_after_the_other() {
        List<Books> daemons = List.of(open(), open(), open());
        List<CompletionStage<?>> writes = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            writes.add(daemons.get(i % daemons.size()).write(session -> {
                long count = BlockRows.fact(session.head(), "count")
                        .map(Long::valueOf)
                        .orElse(0L);
                BlockRows.putFact(session.head(), "count", Long.toString(count + 1));
                return null;
            }));
        }
        writes.forEach(Await::result);

        Optional<String> count = Await.result(daemons.get(0).read(session -> BlockRows.fact(session.head(), "count")));
        assertThat(count).contains("60");
    }

    @Test
    void after_a_run_was_ended_nothing_is_written_for_it_and_the_next_one_of_the_daemon_writes() {
        Books books = keeper();
        Books.Epoch ended = books.epoch();
        Await.result(books.endEpoch());

        assertThat(reasonOf(ended.write(session -> put(session, 1)))).isEqualTo(StoreException.Reason.UNAVAILABLE);
        Await.result(books.epoch().write(session -> put(session, 2)));
        assertThat(heights(books)).containsExactly(2L);
    }

    @Test
    void a_batch_that_fails_leaves_nothing_and_the_next_is_written() {
        Books books = keeper();

        assertThatThrownBy(() -> Await.result(books.write(session -> {
                    put(session, 1);
                    throw new IllegalStateException("it dies here");
                })))
                .hasMessageContaining("it dies here");
        Await.result(books.write(session -> put(session, 2)));

        assertThat(heights(books)).containsExactly(2L);
    }

    @Test
    void a_lock_that_another_daemon_holds_for_too_long_is_reported_as_busy() throws SQLException {
        Books books = keeper();
        database.whileLocked("books", () -> {
            assertThat(reasonOf(books.write(session -> put(session, 1)))).isEqualTo(StoreException.Reason.BUSY);
        });
        Await.result(books.write(session -> put(session, 1)));
        assertThat(heights(books)).containsExactly(1L);
    }

    @Test
    void a_database_that_has_lost_a_commit_stops_the_books_of_every_daemon_until_one_is_started() {
        Books books = keeper();
        Books other = open();
        Await.result(books.write(session -> put(session, 1)));
        Await.result(other.write(session -> put(session, 2)));
        database.run("DELETE FROM book_commits WHERE number >= 2");

        assertThat(reasonOf(books.write(session -> put(session, 3)))).isEqualTo(StoreException.Reason.STOPPED);
        assertThat(reasonOf(other.write(session -> put(session, 3)))).isEqualTo(StoreException.Reason.STOPPED);
        assertThat(heights(books)).doesNotContain(3L);
        Books started = keeper();
        Await.result(started.epoch().write(session -> put(session, 4)));
        assertThat(reasonOf(books.write(session -> put(session, 5))))
                .as("what it has cached of rows is of commits that are lost")
                .isEqualTo(StoreException.Reason.STOPPED);
    }

    @Test
    void books_beside_the_money_store_remember_its_newest_commit_and_never_an_older_one_instead() {
        assertThat(remembered()).isEmpty();
        CommitMark early = new CommitMark("00112233445566778899aabbccddeeff", 7, 5);
        CommitMark late = new CommitMark(early.store(), 8, 9);
        CommitMark ofAnotherStore = new CommitMark("ffeeddccbbaa99887766554433221100", 9, 1);
        Books books = keeper();
        Books other = open();
        assertThat(remembered()).isEmpty();
        books.remember(() -> Optional.of(late));
        other.remember(() -> Optional.of(early));

        Await.result(books.write(session -> put(session, 1)));
        assertThat(remembered()).contains(late);
        Await.result(other.write(session -> put(session, 2)));
        assertThat(remembered()).contains(late);
        other.remember(() -> Optional.of(ofAnotherStore));
        Await.result(other.write(session -> put(session, 3)));
        assertThat(remembered()).contains(ofAnotherStore);

        try (PostgresStore store = database.open()) {
            Await.result(store.scans().move("watch", 7));
            books.remember(store::confirmed);
            Await.result(books.write(session -> put(session, 4)));
            assertThat(remembered()).isEqualTo(store.confirmed()).isPresent();
        }
    }

    private Optional<CommitMark> remembered() {
        return Books.remembered(database);
    }
}
