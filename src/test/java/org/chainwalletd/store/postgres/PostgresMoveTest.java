package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;
import static org.chainwalletd.store.StoreSample.raw;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.StoreHistory;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SwapSample;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.FrozenStoreTest;
import org.chainwalletd.store.sql.QueueHistory;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.store.sql.StoreRestore;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that becomes rows of a database: at no moment do both pay, and whatever dies meanwhile, the next run ends it. */
@Tag("postgres")
@Walks({
    CrashPoint.MOVE_BEGUN,
    CrashPoint.MOVE_COPYING,
    CrashPoint.MOVE_COPIED,
    CrashPoint.MOVE_MARKED,
    CrashPoint.MOVE_LOGGED,
    CrashPoint.MOVE_ENDED
})
class PostgresMoveTest {
    private static final Map<String, String> CHAIN = Map.of("brand", "chain");

    @TempDir
    Path folder;

    private final List<Store> stores = new ArrayList<>();
    private final String schema = PostgresServer.schema();
    private Path datadir;

    /** The process dies. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @AfterEach
    void close() {
        CrashPoint.watch(null);
        stores.forEach(Store::close);
    }

    private Path datadir() throws IOException {
        if (datadir == null) {
            datadir = Files.createDirectory(folder.resolve("datadir"));
        }
        return datadir;
    }

    private SqliteStore file(Path in) {
        SqliteStore store = SqliteStore.open(in);
        stores.add(store);
        return store;
    }

    private PostgresStore database(Path in) throws IOException {
        return database(in, schema);
    }

    /** Opens the store as the daemon with this datadir does. */
    private PostgresStore database(Path in, String name) throws IOException {
        PostgresStore store = PostgresStore.open(
                in,
                Optional.empty(),
                name,
                () -> PostgresServer.connect(name),
                Optional.of(new PostgresMember(CHAIN)),
                false,
                SentLog.LEAST_TO_PRUNE);
        stores.add(store);
        return store;
    }

    private void end(Store store) {
        stores.remove(store);
        store.close();
    }

    private PostgresMove.Moved move(Path from) {
        return move(from, schema);
    }

    private static PostgresMove.Moved move(Path from, String to) {
        return PostgresMove.run(from, Optional.empty(), to, () -> PostgresServer.connect(to), CHAIN);
    }

    static void refused(ThrowingCallable act, String why) {
        assertThatThrownBy(act).isInstanceOf(StoreException.class).hasMessageContaining(why);
    }

    static Intent payment(int number) {
        return intent(number, Optional.of("token-" + number), number);
    }

    static void pay(Store store, int number) {
        assertThat(done(store.intents().open(payment(number), 0))).isInstanceOf(Opening.Opened.class);
    }

    /** The token is bound to its first payment, and pays nothing else. */
    static void assertBound(Store store, int number) {
        assertThat(done(store.intents().find(hash(number)))).isPresent();
        assertThat(done(store.intents()
                        .open(intent(5_000 + number, Optional.of("token-" + number), 5_000 + number), 0)))
                .isNotInstanceOf(Opening.Opened.class);
    }

    /** Writes rows of every kind. */
    static void fill(Path in) {
        try (SqliteStore store = SqliteStore.open(in)) {
            StoreSample.write(store);
            AccountSendSample.write(store);
            SwapSample.write(store);
            PayoutSample.write(store);
            done(store.rawSends().begin(raw(8), StoreSample.BEGUN));
            done(store.rawSends()
                    .end(
                            done(store.rawSends().begin(raw(9), StoreSample.BEGUN))
                                    .orElseThrow(),
                            IntentState.ACCEPTED,
                            StoreSample.BEGUN));
        }
        try (SqliteStore store = SqliteStore.open(in)) {
            done(store.allowance()
                    .govern(
                            new AllowanceStore.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1)),
                            Clock.fixed(Instant.ofEpochMilli(StoreSample.BEGUN), ZoneOffset.UTC),
                            () -> OptionalLong.of(StoreSample.BEGUN)));
            store.allowance().governTokens(name -> Optional.of(Amount.MAX));
            Intent named = intent(700, Optional.of("token-700"), 700)
                    .with(new Intent.Details(Optional.of("shop"), Optional.empty(), Optional.empty()));
            assertThat(done(store.intents().open(named, 0, true, () -> StoreSample.BEGUN)))
                    .isInstanceOf(Opening.Opened.class);
        }
    }

    /** Everything that the samples read, and the order in which payouts have changed. */
    static List<String> read(Store store) {
        return List.of(
                StoreSample.read(store),
                StoreSample.burials(store),
                StoreSample.contested(store),
                StoreSample.kept(store),
                StoreSample.told(store),
                StoreSample.used(store).toString(),
                AccountSendSample.read(store),
                SwapSample.read(store),
                SwapSample.scans(store),
                PayoutSample.read(store),
                done(store.payouts().changes(PayoutStore.BEGINNING, 100)).toString(),
                done(store.allowance().remainingOf("shop")).toString(),
                done(store.sweeps().find("sweep-stopped")).toString());
    }

    private static List<String> readFile(Path in) {
        try (SqliteStore store = SqliteStore.open(in)) {
            return read(store);
        }
    }

    private static List<String> emptyTables(Path in) throws SQLException {
        try (SqlSession session = Sqlite.connect(SqliteStore.path(in))) {
            List<String> empty = new ArrayList<>();
            for (String table :
                    session.query("SELECT name FROM sqlite_master WHERE type = 'table'", row -> row.getString(1))) {
                if (session.query("SELECT 1 FROM " + table + " LIMIT 1", row -> true)
                        .isEmpty()) {
                    empty.add(table);
                }
            }
            return empty;
        }
    }

    static void copy(Path from, Path to) {
        try {
            Files.createDirectories(to);
            try (Stream<Path> files = Files.list(from)) {
                for (Path file : files.toList()) {
                    Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void rows_of_every_table_read_the_same_in_the_database_and_go_on_there() throws Exception {
        fill(datadir());
        assertThat(emptyTables(datadir()))
                .as("tables that this test would not see forgotten")
                .isEmpty();
        List<String> before = readFile(datadir());

        PostgresMove.Moved moved = move(datadir());

        assertThat(moved.before()).isFalse();
        assertThat(moved.compared()).isGreaterThan(100);
        PostgresStore store = database(datadir());
        assertThat(store.stopped()).isEmpty();
        assertThat(read(store)).isEqualTo(before);
        assertBound(store, 700);
        pay(store, 1);
        long last = done(store.history().ofToken("token-1")).orElseThrow().number();
        assertThat(done(store.rawSends().begin(raw(8), StoreSample.BEGUN)))
                .as("what was passed on")
                .hasValueSatisfying(again -> assertThat(again.number()).isLessThan(last));
        assertThat(done(store.history().after(0, 1_000)))
                .as("no number is given twice")
                .filteredOn(spend -> spend.number() >= last)
                .hasSize(1);
        done(store.swaps().add(SwapSample.entry(9, "quoted", true)));
        done(store.accountSends().open(List.of(AccountSendSample.send(90, AccountSend.State.JOURNALLED))));
        PayoutSample.submit(store, Optional.empty(), 9);
        end(store);
        assertBound(database(datadir()), 1);
    }

    /** Histories of a file that is moved at one of its restarts, and goes on as if nothing had happened. {@code -Dstore.steps=100000} takes longer. */
    private final class Moving {
        private boolean due;

        Store reopened(Store closing) {
            closing.close();
            try {
                if (closing instanceof SqliteStore && !due) {
                    return SqliteStore.open(datadir());
                }
                if (closing instanceof SqliteStore) {
                    move(datadir());
                }
                PostgresStore store = PostgresServer.open(schema, datadir(), Optional.empty(), SentLog.LEAST_TO_PRUNE);
                PostgresServer.run(
                        schema,
                        "SELECT set_config('walletd.commit', '0', false); UPDATE spends SET runner = " + store.start());
                return store;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        /** @param run goes on by so many steps, and returns the store */
        void walk(IntFunction<Store> run, int steps) {
            run.apply(steps);
            due = true;
            Store last = run.apply(steps / 10);
            while (last instanceof SqliteStore) {
                last = run.apply(steps / 10);
            }
            stores.add(run.apply(steps / 4));
        }
    }

    @Test
    void spends_are_after_the_move_what_they_were_before() throws IOException {
        Moving moving = new Moving();
        StoreHistory history =
                new StoreHistory(SqliteStore.open(datadir()), moving::reopened, Seeded.random("moved store"));
        moving.walk(history::run, Integer.getInteger("store.steps", 300));
    }

    @Test
    void payouts_and_sweeps_are_after_the_move_what_they_were_before() throws IOException {
        Moving moving = new Moving();
        QueueHistory history = new QueueHistory(
                SqliteStore.open(datadir()), moving::reopened, Optional.empty(), Seeded.random("moved queue"));
        moving.walk(history::run, Integer.getInteger("store.steps", 200));
    }

    @Test
    void a_payment_that_is_doubtful_since_a_restore_stays_so() throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        Path older = folder.resolve("older");
        copy(datadir(), older);
        file = file(datadir());
        pay(file, 2);
        end(file);
        Files.copy(
                older.resolve(SqliteStore.FILE_NAME),
                datadir().resolve(SqliteStore.FILE_NAME),
                StandardCopyOption.REPLACE_EXISTING);
        assertThat(SqliteStore.restore(datadir(), Optional.empty(), false, mark -> {})
                        .doubtful())
                .hasSize(1);

        move(datadir());

        PostgresStore store = database(datadir());
        assertThat(done(store.intents().find(hash(2))).orElseThrow().reason()).isEqualTo(StoreRestore.DOUBTFUL);
        assertThat(done(store.reservations().all())).hasSize(2);
        assertBound(store, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v2", "v5", "v9", "v13", "v15", "v18", "v20"})
    void a_file_of_an_older_release_is_moved_with_everything_in_it(String version) throws IOException {
        Path sample = FrozenStoreTest.FROZEN.resolve(version).resolve("store");
        for (String name : List.of(SqliteStore.FILE_NAME, SentLog.FILE_NAME)) {
            if (Files.exists(sample.resolve(name))) {
                Files.copy(sample.resolve(name), datadir().resolve(name));
            }
        }

        move(datadir());

        FrozenStoreTest.assertIsWhatIsExpected(database(datadir()), sample);
    }

    @Test
    void a_payment_in_flight_is_adopted_and_sent_again_by_the_daemon_on_the_database() throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);

        move(datadir());

        PostgresStore store = database(datadir());
        assertThat(done(store.intents().inFlight())).extracting(Intent::txId).containsExactly(hash(1));
        assertThat(done(store.intents().adopt(hash(1)))).isInstanceOf(IntentStore.Adoption.Ours.class);
        assertThat(done(store.intents().abandon(hash(1), "never seen", 60)))
                .as("the process that ran it has ended")
                .isInstanceOf(IntentStore.Transition.Made.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = CrashPoint.class,
            names = {"MOVE_.*"},
            mode = EnumSource.Mode.MATCH_ALL)
    void a_move_that_dies_leaves_at_most_one_store_that_pays_and_is_ended_by_the_next(CrashPoint place)
            throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        killAt(place);

        int paid = 1;
        List<Store> opened = openable();
        assertThat(opened).hasSizeLessThanOrEqualTo(1);
        for (Store store : opened) {
            pay(store, ++paid);
            end(store);
        }
        move(datadir());

        assertThat(openable()).singleElement().isInstanceOf(PostgresStore.class);
        PostgresStore store = (PostgresStore) stores.get(stores.size() - 1);
        assertThat(store.stopped()).isEmpty();
        for (int number = 1; number <= paid; number++) {
            assertBound(store, number);
        }
        end(store);
        assertThat(move(datadir()).before()).isTrue();
        assertBound(database(datadir()), paid);
    }

    /** Copies that are interrupted at different places, one after the other, before the file pays and is moved at last. */
    @Test
    void a_move_that_dies_again_and_again_is_ended_at_last() throws IOException {
        fill(datadir());
        List<String> before = readFile(datadir());
        for (CrashPoint place : List.of(
                CrashPoint.MOVE_COPYING,
                CrashPoint.MOVE_COPIED,
                CrashPoint.MOVE_BEGUN,
                CrashPoint.MOVE_MARKED,
                CrashPoint.MOVE_COPIED,
                CrashPoint.MOVE_LOGGED,
                CrashPoint.MOVE_MARKED,
                CrashPoint.MOVE_ENDED)) {
            killAt(place);
        }

        assertThat(move(datadir()).before()).isTrue();
        assertThat(read(database(datadir()))).isEqualTo(before);
    }

    private void killAt(CrashPoint place) throws IOException {
        Path in = datadir();
        CrashPoint.watch(point -> {
            if (point == place) {
                throw new Killed();
            }
        });
        assertThatThrownBy(() -> move(in)).isInstanceOf(Killed.class);
        CrashPoint.watch(null);
    }

    /** Opens the file and the database, as far as that is not refused. */
    private List<Store> openable() throws IOException {
        List<Store> opened = new ArrayList<>();
        try {
            opened.add(file(datadir()));
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("--store");
        }
        try {
            // Nothing of a start that was refused may remain in the datadir.
            boolean bound = Files.exists(datadir().resolve(PostgresMember.MARK_FILE));
            opened.add(database(datadir()));
            assertThat(bound).isTrue();
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("store move again");
        }
        return opened;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_move_whose_commits_get_no_answer_is_ended_by_the_next(boolean arrives) throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        for (CrashPoint place : List.of(CrashPoint.MOVE_COPYING, CrashPoint.MOVE_LOGGED)) {
            try (PostgresProxy proxy = new PostgresProxy(PostgresServer.port(), arrives)) {
                CrashPoint.watch(point -> {
                    if (point == place) {
                        proxy.cutNext();
                    }
                });
                Path in = datadir();
                refused(
                        () -> PostgresMove.run(
                                in,
                                Optional.empty(),
                                schema,
                                () -> PostgresServer.connect(proxy.port(), schema, ""),
                                CHAIN),
                        "and run it again");
                CrashPoint.watch(null);
            }
            assertThat(openable()).hasSizeLessThanOrEqualTo(1).allMatch(store -> {
                end(store);
                return store.stopped().isEmpty();
            });
        }

        move(datadir());

        assertBound(database(datadir()), 1);
    }

    @Test
    void a_moved_file_is_refused_with_what_to_do_and_a_process_that_has_it_open_pays_nothing() throws IOException {
        SqliteStore open = file(datadir());
        pay(open, 1);
        move(datadir());

        assertThatThrownBy(() -> done(open.intents().open(payment(2), 0)))
                .hasMessageContaining("was moved to " + schema)
                .satisfiesAnyOf(
                        failure -> assertThat(failure).isInstanceOf(StoreException.class),
                        failure -> assertThat(failure.getCause()).isInstanceOf(StoreException.class));
        end(open);
        Path in = datadir();
        // Beside the log of the database the file is not even looked at; without it, it refuses for itself.
        refused(() -> SqliteStore.open(in), "name the database with --store");
        refused(() -> SqliteStore.look(in, Optional.empty()), "name the database with --store");
        refused(() -> SqliteStore.needsRestore(in, Optional.empty()), "name the database with --store");
        refused(() -> SqliteStore.restore(in, Optional.empty(), true, mark -> {}), "name the database with --store");
        Files.delete(SentLog.in(in));
        String sentence =
                "was moved to " + schema + ", which alone knows what is paid since: start with --store " + schema;
        refused(() -> SqliteStore.open(in), sentence);
        assertThat(SqliteStore.look(in, Optional.empty()).orElseThrow()).contains(sentence);
        refused(() -> SqliteStore.needsRestore(in, Optional.empty()), sentence);
        refused(() -> SqliteStore.restore(in, Optional.empty(), true, mark -> {}), sentence);
        assertThat(SqliteStore.movedTo(in)).contains(schema);
    }

    @Test
    void a_process_that_writes_the_file_while_it_is_copied_is_noticed_before_the_file_is_marked() throws IOException {
        SqliteStore open = file(datadir());
        pay(open, 1);
        CrashPoint.watch(point -> {
            if (point == CrashPoint.MOVE_COPIED) {
                pay(open, 2);
            }
        });
        Path in = datadir();
        assertThatThrownBy(() -> move(in)).isInstanceOf(StoreException.class);
        CrashPoint.watch(null);
        pay(open, 3);
        end(open);

        move(datadir());

        PostgresStore store = database(datadir());
        for (int number = 1; number <= 3; number++) {
            assertBound(store, number);
        }
    }

    @Test
    void a_database_that_loses_payments_after_the_move_stops_and_is_completed_from_the_log() throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        move(datadir());
        PostgresServer.backUp(schema);
        PostgresStore store = database(datadir());
        pay(store, 2);
        end(store);

        PostgresServer.putBack(schema);

        store = database(datadir());
        assertThat(store.stopped().orElseThrow()).contains("lacks commit");
        end(store);
        PostgresServer.empty(schema);
        Path in = datadir();
        refused(() -> move(in), "run store restored on an empty one");
        PostgresRestore.Step step = PostgresStore.restore(
                datadir(), Optional.empty(), Set.of(), schema, () -> PostgresServer.connect(schema));
        assertThat(step.restored()).isPresent();
        store = database(datadir());
        assertBound(store, 1);
        assertBound(store, 2);
    }

    /** The database goes back to a moment before the move had ended, after a daemon has paid in it. */
    @Test
    void the_log_of_a_daemon_that_has_paid_is_never_replaced_by_a_move_that_is_run_again() throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        killAt(CrashPoint.MOVE_LOGGED);
        PostgresServer.backUp(schema);
        move(datadir());
        PostgresStore store = database(datadir());
        pay(store, 2);
        end(store);

        PostgresServer.run(schema, "CREATE TABLE moving AS TABLE " + schema + "_backup.moving");
        PostgresServer.putBack(schema);
        move(datadir());

        store = database(datadir());
        assertThat(store.stopped().orElseThrow()).contains("lacks commit");
    }

    @Test
    void the_books_of_the_datadir_remember_a_commit_that_the_database_has() throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        Optional<CommitMark> books = file.confirmed();
        end(file);
        file = file(datadir());
        pay(file, 2);
        Optional<CommitMark> newer = file.confirmed();
        end(file);
        move(datadir());

        for (Optional<CommitMark> remembered : List.of(books, newer)) {
            PostgresStore store = PostgresServer.open(schema, datadir(), remembered, SentLog.LEAST_TO_PRUNE);
            assertThat(store.stopped()).isEmpty();
            assertThat(store.confirmed().orElseThrow().number())
                    .isGreaterThan(newer.orElseThrow().number());
            store.close();
        }
        CommitMark unknown = new CommitMark(books.orElseThrow().store(), 99, 3);
        try (PostgresStore store =
                PostgresServer.open(schema, datadir(), Optional.of(unknown), SentLog.LEAST_TO_PRUNE)) {
            assertThat(store.stopped().orElseThrow()).contains("as the books tell");
        }
    }

    @Test
    void a_copy_of_the_datadir_from_before_the_move_cannot_use_the_database_nor_be_moved_into_it() throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        Path older = folder.resolve("older");
        copy(datadir(), older);
        move(datadir());
        PostgresStore store = database(datadir());
        pay(store, 2);
        end(store);

        refused(() -> PostgresServer.open(schema, older, Optional.empty(), SentLog.LEAST_TO_PRUNE), "older copy");
        refused(() -> move(older), "older copy of the datadir");
        Files.copy(datadir().resolve(PostgresMember.MARK_FILE), older.resolve(PostgresMember.MARK_FILE));
        refused(() -> move(older), "older copy of the datadir");
        assertThat(SqliteStore.movedTo(older)).isEmpty();
        // The file alone, or the log alone, is put back.
        Path fileBack = folder.resolve("file-back");
        copy(datadir(), fileBack);
        copy(older, fileBack);
        Files.copy(SentLog.in(datadir()), SentLog.in(fileBack), StandardCopyOption.REPLACE_EXISTING);
        refused(() -> SqliteStore.open(fileBack), "name the database with --store");
        refused(() -> move(fileBack), "from before they were moved");
        Path logBack = folder.resolve("log-back");
        copy(datadir(), logBack);
        Files.copy(SentLog.in(older), SentLog.in(logBack), StandardCopyOption.REPLACE_EXISTING);
        refused(() -> SqliteStore.open(logBack), "was moved to");
        refused(() -> PostgresServer.open(schema, logBack, Optional.empty(), SentLog.LEAST_TO_PRUNE), "older copy");
        refused(() -> move(logBack), "cannot show that none has");
        String second = PostgresServer.schema();
        refused(() -> move(logBack, second), "cannot show that none has");
        Files.delete(SentLog.in(logBack));
        refused(() -> move(logBack, second), "cannot show that none has");
        Files.write(SentLog.in(logBack), new byte[] {1, 2, 3});
        refused(() -> move(logBack, second), "cannot show that none has");
        assertBound(database(datadir()), 2);
    }

    @Test
    void a_file_that_went_back_after_its_move_was_begun_is_not_moved() throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        Path older = folder.resolve("older");
        copy(datadir(), older);
        file = file(datadir());
        pay(file, 2);
        end(file);
        killAt(CrashPoint.MOVE_COPIED);

        refused(() -> move(older), "put the newest copy of the datadir");
        move(datadir());
        assertBound(database(datadir()), 2);
    }

    @Test
    void a_database_that_is_in_use_or_belongs_to_another_is_refused_and_left_as_it_is() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        pay(file(other), 2);
        Path in = datadir();

        killAt(CrashPoint.MOVE_BEGUN);
        refused(() -> move(other), "another store");
        refused(
                () -> PostgresMove.run(
                        in, Optional.empty(), schema, () -> PostgresServer.connect(schema), Map.of("brand", "other")),
                "has the brand chain, and this daemon other");
        refused(
                () -> PostgresStore.restore(
                        in, Optional.empty(), Set.of(), schema, () -> PostgresServer.connect(schema)),
                "has not ended");
        move(in);
        refused(() -> move(other), "it is in use, with 1 payments");

        String keys = PostgresServer.schema();
        PostgresServer.open(keys).close();
        PostgresServer.run(
                keys,
                "DELETE FROM commits; DELETE FROM daemons; SET walletd.commit = 1;"
                        + " INSERT INTO keyring VALUES (1, 0)");
        refused(() -> move(other, keys), "it is in use, with 0 payments");
        String alive = PostgresServer.schema();
        stores.add(PostgresServer.open(alive));
        refused(() -> move(other, alive), "in use");
        assertThat(SqliteStore.movedTo(other)).isEmpty();
        assertBound(database(in), 1);
    }

    @Test
    void a_file_that_has_lost_payments_or_is_missing_is_not_moved() throws IOException {
        Path in = datadir();
        refused(() -> move(in), "there is no");
        Store file = file(in);
        pay(file, 1);
        end(file);
        Path older = folder.resolve("older");
        copy(in, older);
        file = file(in);
        pay(file, 2);
        end(file);
        Files.copy(
                older.resolve(SqliteStore.FILE_NAME),
                in.resolve(SqliteStore.FILE_NAME),
                StandardCopyOption.REPLACE_EXISTING);

        refused(() -> move(in), "store restored");
    }

    /** The copy is lost with its server before any daemon has used it. */
    @Test
    void a_move_that_no_daemon_has_used_is_made_again_into_another_database_and_the_first_is_refused()
            throws IOException {
        Store file = file(datadir());
        pay(file, 1);
        end(file);
        move(datadir());
        String second = PostgresServer.schema();

        move(datadir(), second);

        PostgresStore store = database(datadir(), second);
        pay(store, 2);
        end(store);
        store = database(datadir());
        assertThat(store.stopped().orElseThrow()).contains("lacks commit");
    }

    @Test
    void a_copy_that_differs_is_noticed_before_the_file_is_marked() throws IOException {
        fill(datadir());
        CrashPoint.watch(point -> {
            if (point == CrashPoint.MOVE_COPIED) {
                PostgresServer.run(schema, "UPDATE kept_spends SET memo = 'other' WHERE memo IS NOT NULL");
            }
        });
        Path in = datadir();
        refused(() -> move(in), "differs from");
        CrashPoint.watch(point -> {
            if (point == CrashPoint.MOVE_COPIED) {
                PostgresServer.run(schema, "DELETE FROM token_minutes");
            }
        });
        refused(() -> move(in), "token_minutes");
        CrashPoint.watch(null);
        assertThat(SqliteStore.movedTo(in)).isEmpty();
        List<String> before = readFile(in);

        move(in);

        assertThat(read(database(in))).isEqualTo(before);
    }
}
