package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.assertAnswer;
import static org.chainwalletd.store.Payments.assertBound;
import static org.chainwalletd.store.Payments.pay;
import static org.chainwalletd.store.Payments.payment;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.raw;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SwapSample;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.FrozenStoreTest;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.store.sql.StoreRestore;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that is moved into a database: at no moment do both pay, and after a crash at any point the next run completes the move. */
@Tag("postgres")
@Walks({
    CrashPoint.MOVE_BEGUN,
    CrashPoint.MOVE_COPYING,
    CrashPoint.MOVE_COPIED,
    CrashPoint.MOVE_MARKED,
    CrashPoint.MOVE_LOGGED,
    CrashPoint.MOVE_ENDED
})
class PostgresMoveTest extends MovedStores {
    PostgresMoveTest() {
        super(false, 300);
    }

    @Override
    void move() {
        there();
    }

    @Override
    List<Store> openable() throws IOException {
        // A rejected start must leave nothing in the datadir.
        boolean bound = Files.exists(datadir.resolve(PostgresMember.MARK_FILE));
        List<Store> opened = super.openable();
        assertThat(opened).allMatch(store -> bound || store instanceof SqliteStore);
        return opened;
    }

    @Override
    String refusal() {
        return ".*store move again.*";
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

    @Test
    void rows_of_every_table_read_the_same_in_the_database_and_continue_there() throws Exception {
        fill(datadir);
        assertThat(emptyTables(datadir))
                .as("tables that this test would not see forgotten")
                .isEmpty();
        List<String> before = readFile(datadir);

        PostgresMove.Moved moved = there();

        assertThat(moved.before()).isFalse();
        assertThat(moved.compared()).isGreaterThan(100);
        PostgresStore store = database(datadir);
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
        assertBound(database(datadir), 1);
    }

    @Test
    void a_payment_that_is_doubtful_since_a_restore_stays_so() throws IOException {
        paidInFile(1);
        Path older = folder.resolve("older");
        copy(datadir, older);
        paidInFile(2);
        putBack(SqliteStore.path(older));
        assertThat(SqliteStore.restore(datadir, Optional.empty(), false, mark -> {})
                        .doubtful())
                .hasSize(1);

        there();

        PostgresStore store = database(datadir);
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
                Files.copy(sample.resolve(name), datadir.resolve(name));
            }
        }

        there();

        FrozenStoreTest.assertIsWhatIsExpected(database(datadir), sample);
    }

    @Test
    void a_payment_in_flight_is_adopted_and_sent_again_by_the_daemon_on_the_database() throws IOException {
        paidInFile(1);

        there();

        PostgresStore store = database(datadir);
        assertThat(done(store.intents().inFlight())).extracting(Intent::txId).containsExactly(hash(1));
        assertAnswer(store.intents().adopt(hash(1)), IntentStore.Adoption.Ours.class);
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
        paidInFile(1);
        killAt(place);

        int paid = 1;
        List<Store> opened = openable();
        assertThat(opened).hasSizeLessThanOrEqualTo(1);
        for (Store store : opened) {
            pay(store, ++paid);
            end(store);
        }
        there();

        assertThat(openable()).singleElement().isInstanceOf(PostgresStore.class);
        PostgresStore store = (PostgresStore) stores.get(stores.size() - 1);
        assertThat(store.stopped()).isEmpty();
        assertPaid(store, paid);
        end(store);
        assertThat(there().before()).isTrue();
        assertBound(database(datadir), paid);
    }

    /** Copies are interrupted at several places in a row before the file pays and is moved in the end. */
    @Test
    void a_move_that_dies_again_and_again_is_ended_at_last() throws IOException {
        fill(datadir);
        List<String> before = readFile(datadir);
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

        assertThat(there().before()).isTrue();
        assertThat(read(database(datadir))).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_move_whose_commits_get_no_answer_is_ended_by_the_next(boolean arrives) throws IOException {
        paidInFile(1);
        for (CrashPoint place : List.of(CrashPoint.MOVE_COPYING, CrashPoint.MOVE_LOGGED)) {
            try (PostgresProxy proxy = new PostgresProxy(database, arrives)) {
                CrashPoint.watch(point -> {
                    if (point == place) {
                        proxy.cutNext();
                    }
                });
                refused(() -> PostgresMove.run(datadir, Optional.empty(), proxy.database(), CHAIN), "and run it again");
                CrashPoint.watch(null);
            }
            assertThat(openable()).hasSizeLessThanOrEqualTo(1).allMatch(store -> {
                end(store);
                return store.stopped().isEmpty();
            });
        }

        there();

        assertBound(database(datadir), 1);
    }

    @Test
    void a_moved_file_is_refused_with_what_to_do_and_a_process_that_has_it_open_pays_nothing() throws IOException {
        SqliteStore open = file(datadir);
        pay(open, 1);
        there();

        assertThatThrownBy(() -> done(open.intents().open(payment(2), 0)))
                .hasMessageContaining("was moved to " + database.name())
                .satisfiesAnyOf(
                        failure -> assertThat(failure).isInstanceOf(StoreException.class),
                        failure -> assertThat(failure.getCause()).isInstanceOf(StoreException.class));
        end(open);
        // Beside the log of the database, the file is not even read; without that log, the file's own mark rejects the
        // start.
        refused(() -> SqliteStore.open(datadir), "name the database with --store");
        refused(() -> SqliteStore.look(datadir, Optional.empty()), "name the database with --store");
        refused(() -> SqliteStore.needsRestore(datadir, Optional.empty()), "name the database with --store");
        refused(
                () -> SqliteStore.restore(datadir, Optional.empty(), true, mark -> {}),
                "name the database with --store");
        Files.delete(SentLog.in(datadir));
        String sentence = "was moved to " + database.name()
                + ", which alone knows what is paid since: start with --store " + database.name();
        refused(() -> SqliteStore.open(datadir), sentence);
        assertThat(SqliteStore.look(datadir, Optional.empty()).orElseThrow()).contains(sentence);
        refused(() -> SqliteStore.needsRestore(datadir, Optional.empty()), sentence);
        refused(() -> SqliteStore.restore(datadir, Optional.empty(), true, mark -> {}), sentence);
        assertThat(SqliteStore.movedTo(datadir)).contains(database.name());
    }

    @Test
    void a_process_that_writes_the_file_while_it_is_copied_is_noticed_before_the_file_is_marked() throws IOException {
        SqliteStore open = file(datadir);
        pay(open, 1);
        CrashPoint.watch(point -> {
            if (point == CrashPoint.MOVE_COPIED) {
                pay(open, 2);
            }
        });
        assertThatThrownBy(() -> there()).isInstanceOf(StoreException.class);
        CrashPoint.watch(null);
        pay(open, 3);
        end(open);

        there();

        PostgresStore store = database(datadir);
        assertPaid(store, 3);
    }

    @Test
    void a_database_that_loses_payments_after_the_move_stops_and_is_completed_from_the_log() throws IOException {
        paidInFile(1);
        there();
        database.backUp();
        paid(2);

        database.putBack();

        PostgresStore store = database(datadir);
        assertThat(store.stopped().orElseThrow()).contains("lacks commit");
        end(store);
        database.empty();
        refused(() -> there(), "run store restored on an empty one");
        PostgresRestore.Step step = PostgresStore.restore(datadir, Optional.empty(), Set.of(), database);
        assertThat(step.restored()).isPresent();
        store = database(datadir);
        assertPaid(store, 2);
    }

    /** The database goes back to a state before the end of the move, after a daemon has paid in it. */
    @Test
    void the_log_of_a_daemon_that_has_paid_is_never_replaced_by_a_move_that_is_run_again() throws IOException {
        paidInFile(1);
        killAt(CrashPoint.MOVE_LOGGED);
        database.backUp();
        there();
        paid(2);

        database.run("CREATE TABLE moving AS TABLE " + database.name() + "_backup.moving");
        database.putBack();
        there();

        PostgresStore store = database(datadir);
        assertThat(store.stopped().orElseThrow()).contains("lacks commit");
    }

    @Test
    void the_books_of_the_datadir_remember_a_commit_that_the_database_has() throws IOException {
        Store file = file(datadir);
        pay(file, 1);
        Optional<CommitMark> books = file.confirmed();
        end(file);
        file = file(datadir);
        pay(file, 2);
        Optional<CommitMark> newer = file.confirmed();
        end(file);
        there();

        for (Optional<CommitMark> remembered : List.of(books, newer)) {
            PostgresStore store = database.open(datadir, remembered, SentLog.LEAST_TO_PRUNE);
            assertThat(store.stopped()).isEmpty();
            assertThat(store.confirmed().orElseThrow().number())
                    .isGreaterThan(newer.orElseThrow().number());
            store.close();
        }
        CommitMark unknown = new CommitMark(books.orElseThrow().store(), 99, 3);
        try (PostgresStore store = database.open(datadir, Optional.of(unknown), SentLog.LEAST_TO_PRUNE)) {
            assertThat(store.stopped().orElseThrow()).contains("as the books tell");
        }
    }

    @Test
    void a_copy_of_the_datadir_from_before_the_move_cannot_use_the_database_nor_be_moved_into_it() throws IOException {
        paidInFile(1);
        Path older = folder.resolve("older");
        copy(datadir, older);
        there();
        paid(2);

        refused(() -> database.open(older, Optional.empty(), SentLog.LEAST_TO_PRUNE), "older copy");
        refused(() -> there(older, database), "older copy of the datadir");
        Files.copy(datadir.resolve(PostgresMember.MARK_FILE), older.resolve(PostgresMember.MARK_FILE));
        refused(() -> there(older, database), "older copy of the datadir");
        assertThat(SqliteStore.movedTo(older)).isEmpty();
        // Either only the file or only the log is restored from a copy.
        Path fileBack = folder.resolve("file-back");
        copy(datadir, fileBack);
        copy(older, fileBack);
        Files.copy(SentLog.in(datadir), SentLog.in(fileBack), StandardCopyOption.REPLACE_EXISTING);
        refused(() -> SqliteStore.open(fileBack), "name the database with --store");
        refused(() -> there(fileBack, database), "from before they were moved");
        Path logBack = folder.resolve("log-back");
        copy(datadir, logBack);
        Files.copy(SentLog.in(older), SentLog.in(logBack), StandardCopyOption.REPLACE_EXISTING);
        refused(() -> SqliteStore.open(logBack), "was moved to");
        refused(() -> database.open(logBack, Optional.empty(), SentLog.LEAST_TO_PRUNE), "older copy");
        refused(() -> there(logBack, database), "cannot show that none has");
        SharedStores second = new SharedStores();
        refused(() -> there(logBack, second), "cannot show that none has");
        Files.delete(SentLog.in(logBack));
        refused(() -> there(logBack, second), "cannot show that none has");
        Files.write(SentLog.in(logBack), new byte[] {1, 2, 3});
        refused(() -> there(logBack, second), "cannot show that none has");
        assertBound(database(datadir), 2);
    }

    @Test
    void a_file_that_went_back_after_its_move_was_begun_is_not_moved() throws IOException {
        paidInFile(1);
        Path older = folder.resolve("older");
        copy(datadir, older);
        paidInFile(2);
        killAt(CrashPoint.MOVE_COPIED);

        refused(() -> there(older, database), "put the newest copy of the datadir");
        there();
        assertBound(database(datadir), 2);
    }

    @Test
    void a_database_that_is_in_use_or_belongs_to_another_is_refused_and_left_as_it_is() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        paidInFile(1);
        pay(file(other), 2);

        killAt(CrashPoint.MOVE_BEGUN);
        refused(() -> there(other, database), "another store");
        refused(
                () -> PostgresMove.run(datadir, Optional.empty(), database, Map.of("brand", "other")),
                "has the brand chain, and this daemon other");
        refused(() -> PostgresStore.restore(datadir, Optional.empty(), Set.of(), database), "has not ended");
        there();
        refused(() -> there(other, database), "it is in use, with 1 payments");

        SharedStores keys = new SharedStores();
        keys.open().close();
        keys.run("DELETE FROM commits; DELETE FROM daemons; SET walletd.commit = 1;"
                + " INSERT INTO keyring VALUES (1, 0)");
        refused(() -> there(other, keys), "it is in use, with 0 payments");
        SharedStores alive = new SharedStores();
        stores.add(alive.open());
        refused(() -> there(other, alive), "in use");
        assertThat(SqliteStore.movedTo(other)).isEmpty();
        assertBound(database(datadir), 1);
    }

    @Test
    void a_file_that_has_lost_payments_or_is_missing_is_not_moved() throws IOException {
        refused(() -> there(), "there is no");
        paidInFile(1);
        Path older = folder.resolve("older");
        copy(datadir, older);
        paidInFile(2);
        putBack(SqliteStore.path(older));

        refused(() -> there(), "store restored");
    }

    /** The copy is lost with its server before any daemon has used it. */
    @Test
    void a_move_that_no_daemon_has_used_is_made_again_into_another_database_and_the_first_is_refused()
            throws IOException {
        paidInFile(1);
        there();
        SharedStores second = new SharedStores();

        there(datadir, second);

        PostgresStore store = database(datadir, second);
        pay(store, 2);
        end(store);
        store = database(datadir);
        assertThat(store.stopped().orElseThrow()).contains("lacks commit");
    }

    @Test
    void a_copy_that_differs_is_noticed_before_the_file_is_marked() throws IOException {
        fill(datadir);
        CrashPoint.watch(point -> {
            if (point == CrashPoint.MOVE_COPIED) {
                database.run("UPDATE kept_spends SET memo = 'other' WHERE memo IS NOT NULL");
            }
        });
        refused(() -> there(), "differs from");
        CrashPoint.watch(point -> {
            if (point == CrashPoint.MOVE_COPIED) {
                database.run("DELETE FROM token_minutes");
            }
        });
        refused(() -> there(), "token_minutes");
        CrashPoint.watch(null);
        assertThat(SqliteStore.movedTo(datadir)).isEmpty();
        List<String> before = readFile(datadir);

        there();

        assertThat(read(database(datadir))).isEqualTo(before);
    }
}
