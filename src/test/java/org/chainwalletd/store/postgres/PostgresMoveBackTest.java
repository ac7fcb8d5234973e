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
import java.util.stream.Stream;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SwapSample;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that is moved back to a file: at no moment do both pay, and after a crash at any point the next run completes the move. */
@Tag("postgres")
@Walks({
    CrashPoint.BACK_MOVE_BEGUN,
    CrashPoint.BACK_MOVE_COPIED,
    CrashPoint.BACK_MOVE_MARKED,
    CrashPoint.BACK_MOVE_INSTALLING,
    CrashPoint.BACK_MOVE_LOGGED,
    CrashPoint.BACK_MOVE_ENDED
})
class PostgresMoveBackTest extends MovedStores {
    PostgresMoveBackTest() {
        super(true, 40);
    }

    @Override
    void move() {
        back(datadir);
    }

    @Override
    String refusal() {
        return ".* (is being moved back to|was moved back to) walletd.db in " + datadir + ".*";
    }

    /** Keyring and file that are moved with the store. */
    private static class Keys implements PostgresMoveBack.Beside {
        private final List<String> aside = new ArrayList<>();
        private CommitMark commit;

        @Override
        public void require() {}

        @Override
        public void copy(Path made, CommitMark last) throws IOException {
            commit = last;
            AtomicFiles.createFolder(made.resolve("wallets"));
            Files.writeString(made.resolve("wallets/state.json"), "new");
            Files.writeString(made.resolve("tokens.json"), "new");
        }

        @Override
        public void putAside(Path folder, Path name) {
            aside.add(folder.getFileName() + " " + name.getFileName());
        }
    }

    private static final Keys FULL = new Keys() {
        @Override
        public void copy(Path made, CommitMark last) throws IOException {
            throw new IOException("the disk is full");
        }
    };

    private PostgresMoveBack.Moved back(Path to) {
        return back(to, Optional.empty(), new Keys());
    }

    private PostgresMoveBack.Moved back(Path to, Optional<CommitMark> books, PostgresMoveBack.Beside beside) {
        return PostgresMoveBack.run(to, books, database, CHAIN, beside);
    }

    private void giveUp() {
        PostgresMoveBack.giveUp(database);
    }

    private void sql(String statement) {
        database.run(statement);
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> files = Files.list(in)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void rows_of_every_table_read_the_same_in_the_file_and_continue_there_and_in_the_next_database() throws Exception {
        fill(datadir);
        there();
        Store store = database(datadir);
        pay(store, 1);
        done(store.rawSends().begin(raw(7), StoreSample.BEGUN));
        List<String> before = read(store);
        long last = done(store.history().ofToken("token-1")).orElseThrow().number();
        end(store);

        PostgresMoveBack.Moved moved = back(datadir);

        assertThat(moved.before()).isFalse();
        assertThat(moved.compared()).isGreaterThan(100);
        assertThat(names(datadir)).containsExactly("sent.log", "tokens.json", "walletd.db", "wallets");
        store = file(datadir);
        assertThat(store.stopped()).isEmpty();
        assertThat(read(store)).isEqualTo(before);
        assertBound(store, 1);
        assertBound(store, 700);
        pay(store, 2);
        assertThat(done(store.history().ofToken("token-2")).orElseThrow().number())
                .isGreaterThan(last);
        done(store.swaps().add(SwapSample.entry(9, "quoted", true)));
        done(store.accountSends().open(List.of(AccountSendSample.send(90, AccountSend.State.JOURNALLED))));
        PayoutSample.submit(store, Optional.empty(), 9);
        end(store);
        store = file(datadir);
        assertThat(store.stopped()).isEmpty();
        assertBound(store, 2);
        before = read(store);
        end(store);
        assertThat(back(datadir).before()).isTrue();

        refused(() -> there(), "was moved back");
        SharedStores next = new SharedStores();
        there(datadir, next);
        store = database(datadir, next);
        assertThat(store.stopped()).isEmpty();
        assertThat(read(store)).isEqualTo(before);
        assertBound(store, 2);
        pay(store, 3);
    }

    @Test
    void a_datadir_that_never_had_a_file_gets_one() throws IOException {
        paid(1);

        back(datadir);

        assertBound(file(datadir), 1);
    }

    @Test
    void a_payment_in_flight_is_adopted_and_sent_again_by_the_daemon_on_the_file() throws IOException {
        paid(1);

        back(datadir);

        SqliteStore store = file(datadir);
        assertThat(done(store.intents().inFlight())).extracting(Intent::txId).containsExactly(hash(1));
        assertAnswer(store.intents().adopt(hash(1)), IntentStore.Adoption.Ours.class);
        assertAnswer(store.intents().abandon(hash(1), "never seen", 60), IntentStore.Transition.Made.class);
    }

    @Test
    void an_older_copy_of_the_new_file_is_completed_from_the_new_log() throws IOException {
        paid(1);
        back(datadir);
        Path older = folder.resolve("older");
        copy(datadir, older);
        paidInFile(2);
        putBack(SqliteStore.path(older));

        Store store = file(datadir);
        assertThat(store.stopped().orElseThrow()).contains("lacks the last");
        end(store);
        SqliteStore.restore(datadir, Optional.empty(), false, mark -> {});
        store = file(datadir);
        assertPaid(store, 2);
        end(store);
        // An emptied file too: the log contains everything that the database had.
        Files.delete(datadir.resolve(SqliteStore.FILE_NAME));
        SqliteStore.restore(datadir, Optional.empty(), false, mark -> {});
        store = file(datadir);
        assertPaid(store, 2);
    }

    @ParameterizedTest
    @EnumSource(
            value = CrashPoint.class,
            names = {"BACK_MOVE_.*"},
            mode = EnumSource.Mode.MATCH_ALL)
    void a_move_that_dies_leaves_at_most_one_store_that_pays_and_is_ended_by_the_next(CrashPoint place)
            throws IOException {
        fill(datadir);
        there();
        paid(1);
        Files.createDirectory(datadir.resolve("wallets"));
        killAt(place);
        assertThat(Files.exists(datadir.resolve(PostgresMember.MARK_FILE)))
                .as("a start without --store is refused, and one with it is told what to do")
                .isTrue();

        int paid = 1;
        for (Store store : openable()) {
            pay(store, ++paid);
            end(store);
        }
        back(datadir);

        List<Store> opened = openable();
        assertThat(opened).singleElement().isInstanceOf(SqliteStore.class);
        assertThat(opened.get(0).stopped()).isEmpty();
        assertPaid(opened.get(0), paid);
        end(opened.get(0));
        assertThat(back(datadir).before()).isTrue();
        assertThat(Files.readString(datadir.resolve("wallets/state.json"))).isEqualTo("new");
        assertThat(names(datadir))
                .containsExactly("sent.log", "tokens.json", "walletd.db", "wallets", "wallets-before-move");
    }

    /** Interruptions at several places in a row, and between any two of the files that are moved into place. */
    @Test
    void a_move_that_dies_again_and_again_is_ended_at_last() throws IOException {
        fill(datadir);
        there();
        Store store = database(datadir);
        List<String> before = read(store);
        end(store);
        for (CrashPoint place : List.of(
                CrashPoint.BACK_MOVE_COPIED,
                CrashPoint.BACK_MOVE_BEGUN,
                CrashPoint.BACK_MOVE_MARKED,
                CrashPoint.BACK_MOVE_INSTALLING,
                CrashPoint.BACK_MOVE_INSTALLING,
                CrashPoint.BACK_MOVE_INSTALLING,
                CrashPoint.BACK_MOVE_LOGGED)) {
            killAt(place);
            assertThat(openable()).hasSizeLessThanOrEqualTo(place == CrashPoint.BACK_MOVE_LOGGED ? 1 : 0);
            stores.forEach(Store::close);
            stores.clear();
        }

        assertThat(back(datadir).before()).isFalse();
        assertThat(back(datadir).before()).isTrue();
        assertThat(read(file(datadir))).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_move_whose_commits_get_no_answer_is_ended_by_the_next(boolean arrives) throws IOException {
        paid(1);
        for (int cut = 0; cut < 3; cut++) {
            try (PostgresProxy proxy = new PostgresProxy(database, arrives)) {
                int which = cut;
                if (which == 0) {
                    proxy.cutNext();
                }
                CrashPoint.watch(point -> {
                    if (which == 1 && point == CrashPoint.BACK_MOVE_COPIED
                            || which == 2 && point == CrashPoint.BACK_MOVE_LOGGED) {
                        proxy.cutNext();
                    }
                });
                refused(
                        () -> PostgresMoveBack.run(datadir, Optional.empty(), proxy.database(), CHAIN, new Keys()),
                        "and run it again");
                CrashPoint.watch(null);
            }
            List<Store> opened = openable();
            assertThat(opened).hasSizeLessThanOrEqualTo(1);
            for (Store store : opened) {
                assertThat(store.stopped()).isEmpty();
                end(store);
            }
        }

        back(datadir);

        assertBound(file(datadir), 1);
    }

    @Test
    void a_process_that_has_the_database_open_pays_nothing_from_the_beginning_of_the_move_on() throws IOException {
        PostgresStore open = database(datadir);
        pay(open, 1);
        // The operator declares the daemon dead although it is only paused.
        sql("UPDATE daemons SET ended = true");
        killAt(CrashPoint.BACK_MOVE_BEGUN);

        assertThatThrownBy(() -> done(open.intents().open(payment(2), 0)))
                .hasMessageContaining("is being moved back to walletd.db in " + datadir);
        back(datadir);
        assertThatThrownBy(() -> done(open.intents().open(payment(2), 0))).isNotNull();
        end(open);
        assertBound(file(datadir), 1);
    }

    @Test
    void a_start_of_this_datadir_that_was_killed_counts_as_ended_and_one_elsewhere_does_not() throws IOException {
        paid(1);
        sql("UPDATE daemons SET ended = false");
        back(datadir);
        assertBound(file(datadir), 1);
    }

    @Test
    void other_daemons_must_have_signed_off_and_are_named() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        Store second = database(other);
        paid(1);
        refused(() -> back(datadir), "with the datadir " + other);
        pay(second, 2);
        end(second);
        // The daemon was cut off while ending.
        sql("UPDATE daemons SET ended = false, superseded = true WHERE start = 1");
        refused(() -> back(datadir), "cluster forget");
        sql("UPDATE daemons SET ended = true");

        assertThat(back(datadir).others()).containsExactly(other.toString());
        Store file = file(datadir);
        assertPaid(file, 2);
        refused(() -> database(other), "was moved back to walletd.db in " + datadir);
        refused(() -> back(other), "older copy of it");
        refused(() -> SqliteStore.open(other), "name the database with --store");
        end(file);

        SharedStores next = new SharedStores();
        there(datadir, next);
        refused(() -> database(other, next), "has worked with the database from which the store was moved since");
        assertBound(database(datadir, next), 2);
    }

    @Test
    void nobody_pays_with_the_folder_of_the_new_files() throws IOException {
        paid(1);
        killAt(CrashPoint.BACK_MOVE_COPIED);
        Path made = datadir.resolve(PostgresMoveBack.FOLDER);
        assertThat(SqliteStore.path(made)).exists();
        refused(() -> SqliteStore.open(made), "was moved to");

        giveUp();
        refused(() -> SqliteStore.open(made), "was moved to");
        killAt(CrashPoint.BACK_MOVE_MARKED);
        refused(() -> SqliteStore.open(made), "was moved to");
    }

    /** The database is restored from a copy under another name and continues; then the move of the original is run again. */
    @Test
    void a_log_that_has_gone_on_with_another_database_is_not_replaced() throws Exception {
        paid(1);
        killAt(CrashPoint.BACK_MOVE_MARKED);
        sql("UPDATE store SET stopped = NULL");
        sql("CREATE TABLE kept AS SELECT moved, (SELECT max(number) FROM commits) AS number FROM identity");
        sql("UPDATE identity SET moved = NULL");
        sql("ALTER TABLE moving RENAME TO kept_moving");
        Store copy = database(datadir);
        pay(copy, 2);
        end(copy);
        sql("DELETE FROM commits WHERE number > (SELECT number FROM kept)");
        sql("UPDATE identity SET moved = (SELECT moved FROM kept)");
        sql("ALTER TABLE kept_moving RENAME TO moving");
        byte[] log = Files.readAllBytes(SentLog.in(datadir));

        refused(() -> back(datadir), "has worked with another database since the move back");

        assertThat(Files.readAllBytes(SentLog.in(datadir))).isEqualTo(log);
        assertThat(SqliteStore.path(datadir)).doesNotExist();
    }

    @Test
    void a_datadir_that_is_not_the_one_of_the_database_or_lacks_payments_is_refused_and_nothing_is_changed()
            throws IOException {
        Path older = folder.resolve("older");
        paid(1);
        copy(datadir, older);
        paid(2);
        paid(3);
        Path empty = Files.createDirectory(folder.resolve("empty"));
        refused(() -> back(empty), "is not a datadir that works with it");
        refused(() -> back(older), "is a copy");
        Path sqlite = Files.createDirectory(folder.resolve("sqlite"));
        end(file(sqlite));
        refused(() -> back(sqlite), "are in walletd.db already");
        Path damaged = folder.resolve("damaged");
        copy(datadir, damaged);
        Files.write(SentLog.in(damaged), new byte[] {1, 2, 3});
        refused(() -> back(damaged), "cannot be compared with it");
        refused(
                () -> PostgresMoveBack.run(datadir, Optional.empty(), database, Map.of("brand", "other"), new Keys()),
                "has the brand chain, and this daemon other");
        String store = SentLog.read(datadir).orElseThrow().last().store();
        refused(() -> back(datadir, Optional.of(new CommitMark(store, 99, 3)), new Keys()), "as the books tell");
        sql("UPDATE store SET stopped = 'payments are lost'");
        refused(() -> back(datadir), "payments are lost");
        sql("UPDATE store SET stopped = NULL, system = system + 1");
        refused(() -> back(datadir), "on another database system");
        sql("UPDATE store SET system = system - 1");
        refused(
                () -> back(datadir, Optional.empty(), new Keys() {
                    @Override
                    public void require() {
                        throw new StoreException(StoreException.Reason.UNAVAILABLE, "the tokens are elsewhere", null);
                    }
                }),
                "the tokens are elsewhere");
        SharedStores never = new SharedStores();
        refused(() -> PostgresMoveBack.run(datadir, Optional.empty(), never, CHAIN, new Keys()), "it has no tables");

        assertThat(datadir.resolve(PostgresMoveBack.FOLDER)).doesNotExist();
        paid(4);
        for (int number = 1; number <= 4; number++) {
            assertBound(database(datadir), number);
            end(stores.get(stores.size() - 1));
        }
    }

    @Test
    void a_database_that_went_back_in_time_is_not_moved() throws IOException {
        paid(1);
        database.backUp();
        paid(2);
        database.putBack();

        refused(() -> back(datadir), "lacks commit");
        assertThat(database(datadir).stopped().orElseThrow()).contains("lacks commit");
    }

    @Test
    void a_move_there_that_has_not_ended_is_not_moved_back() throws IOException {
        paidInFile(1);
        killAt(CrashPoint.MOVE_LOGGED, this::there);
        refused(() -> back(datadir), "run chain-walletd --datadir ... --store ... store move again");
        refused(this::giveUp, "is not being moved back");

        there();
        // No daemon has started on it yet.
        back(datadir);
        assertBound(file(datadir), 1);
    }

    @Test
    void a_move_is_abandoned_until_the_database_is_marked_even_while_its_process_still_runs() throws IOException {
        paid(1);
        killAt(CrashPoint.BACK_MOVE_COPIED);
        giveUp();
        paid(2);
        // Files left by the first attempt are not used.
        CrashPoint.watch(point -> {
            if (point == CrashPoint.BACK_MOVE_COPIED) {
                giveUp();
            }
        });
        refused(() -> back(datadir), "given up a move meanwhile");
        CrashPoint.watch(null);
        paid(3);
        CrashPoint.watch(point -> {
            if (point == CrashPoint.BACK_MOVE_COPIED) {
                CrashPoint.watch(null);
                giveUp();
                back(datadir);
            }
        });
        refused(() -> back(datadir), "meanwhile");

        refused(this::giveUp, "was moved back to");
        Store file = file(datadir);
        assertPaid(file, 3);
    }

    @Test
    void another_datadir_does_not_end_a_move_and_an_older_copy_does_not_end_it_once_more() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        end(database(other));
        paid(1);
        killAt(CrashPoint.BACK_MOVE_COPIED);
        refused(() -> back(other), "is being moved back to walletd.db in " + datadir);
        killAt(CrashPoint.BACK_MOVE_MARKED);
        refused(() -> back(other), "is not that datadir");
        Path older = folder.resolve("older");
        copy(datadir, older);
        Path without = folder.resolve("without");
        copy(datadir, without);
        Files.delete(SentLog.in(without.resolve(PostgresMoveBack.FOLDER)));
        refused(() -> back(without), "is not that datadir, or an older copy of it");
        back(datadir);
        paidInFile(2);

        refused(() -> back(older), "older copy of it: use the newest one");
        refused(() -> SqliteStore.open(older), "name the database with --store");
        refused(() -> database(older), "was moved back to");
        refused(
                () -> PostgresStore.look(older, Optional.empty(), database, new PostgresMember(Map.of())),
                "was moved back to");
        refused(
                () -> PostgresStore.restore(older, Optional.empty(), Set.of("sent.log"), database),
                "was moved back to");
        refused(() -> database(Files.createDirectory(folder.resolve("new"))), "was moved back to");
        assertBound(file(datadir), 2);
    }

    /** Without its log, nothing shows whether the datadir has since paid with a copy of the database. */
    @Test
    void a_datadir_whose_own_log_is_lost_after_the_mark_is_told_the_two_ways_out() throws IOException {
        paid(1);
        killAt(CrashPoint.BACK_MOVE_MARKED);
        Path own = folder.resolve("own.log");
        Files.move(SentLog.in(datadir), own);

        refused(() -> back(datadir), "has no sent.log that can be read");
        refused(() -> back(datadir), "load the dump from before the move into a new database");
        Files.write(SentLog.in(datadir), new byte[] {1, 2, 3});
        refused(() -> back(datadir), "put the newest copy of it back");
        assertThat(SqliteStore.path(datadir)).doesNotExist();

        Files.move(own, SentLog.in(datadir), StandardCopyOption.REPLACE_EXISTING);
        back(datadir);
        assertBound(file(datadir), 1);
    }

    @Test
    void a_file_of_before_the_move_there_that_is_put_back_later_is_completed_from_the_log() throws IOException {
        fill(datadir);
        there();
        Path marked = folder.resolve("marked.db");
        Files.copy(SqliteStore.path(datadir), marked);
        paid(1);
        refused(() -> SqliteStore.open(datadir), "name the database with --store");
        back(datadir);
        paidInFile(2);
        putBack(marked);

        String way = "move it away, and run: chain-walletd --datadir " + datadir + " store restored";
        refused(() -> SqliteStore.open(datadir), way);
        refused(() -> SqliteStore.needsRestore(datadir, Optional.empty()), way);
        assertThat(SqliteStore.look(datadir, Optional.empty()).orElseThrow()).contains(way);

        Files.delete(SqliteStore.path(datadir));
        SqliteStore.restore(datadir, Optional.empty(), false, mark -> {});
        Store store = file(datadir);
        assertPaid(store, 2);
    }

    @Test
    void a_failure_tells_whether_the_database_is_reserved_and_the_move_can_be_abandoned() throws IOException {
        paid(1);
        refused(
                () -> back(datadir, Optional.empty(), FULL),
                "the disk is full; the database may be reserved for the move, and no daemon opens it then: correct that and"
                        + " run it again, or go on with the database after store move --give-up");
        Files.createDirectory(datadir.resolve("wallets"));
        Path taken = datadir.resolve("wallets-before-move");
        Files.createSymbolicLink(taken, folder.resolve("nothing"));
        Keys keys = new Keys();

        refused(
                () -> back(datadir, Optional.empty(), keys),
                "move it away by hand, or unmount it when another disk is mounted there; correct that, and run it again");
        refused(this::giveUp, "was moved back to");
        Files.delete(taken);
        back(datadir, Optional.empty(), keys);

        assertThat(keys.aside).containsExactly("wallets wallets-before-move");
        assertBound(file(datadir), 1);
    }

    @Test
    void settings_that_the_daemons_have_in_common_are_not_changed_while_they_are_copied() throws IOException {
        paid(1);
        killAt(CrashPoint.BACK_MOVE_BEGUN);
        PostgresCluster cluster = new PostgresCluster(database);
        refused(() -> cluster.agree(values -> Map.of("spend token", "another")), "is being moved back");
        assertThat(cluster.status().stopped().orElseThrow()).contains("store move --give-up");
        giveUp();
        cluster.agree(values -> Map.of("spend token", "another"));
    }

    @Test
    void a_copy_that_differs_is_noticed_before_the_database_is_marked() throws IOException {
        fill(datadir);
        there();
        Store store = database(datadir);
        List<String> before = read(store);
        end(store);
        sql("DELETE FROM held_coins");
        refused(() -> back(datadir), "held_coins");
        assertThat(SqliteStore.movedTo(datadir)).contains(database.name());
        sql("INSERT INTO held_coins SELECT substr(inputs, 1 + 36 * input, 36), id FROM spends,"
                + " generate_series(0, length(inputs) / 36 - 1) AS input WHERE held IS NOT NULL AND (held = '\\x00'"
                + " OR input < 8 * length(held) AND get_bit(held, input) = 1)");
        refused(() -> back(datadir, Optional.empty(), FULL), "the disk is full");
        assertThat(openable()).isEmpty();

        back(datadir);

        assertThat(read(file(datadir))).isEqualTo(before);
    }

    @Test
    void the_books_remember_a_commit_that_the_file_has() throws IOException {
        PostgresStore store = database(datadir);
        pay(store, 1);
        Optional<CommitMark> older = store.confirmed();
        pay(store, 2);
        end(store);
        Keys keys = new Keys();

        back(datadir, older, keys);

        for (Optional<CommitMark> remembered : List.of(older, Optional.of(keys.commit))) {
            SqliteStore file = SqliteStore.open(datadir, remembered);
            assertThat(file.stopped()).isEmpty();
            file.close();
        }
        SqliteStore file = SqliteStore.open(datadir, Optional.of(new CommitMark(keys.commit.store(), 99, 2)));
        assertThat(file.stopped()).isPresent();
        file.close();
    }

    @Test
    void what_was_sent_as_it_is_stays_answered_by_its_number() throws SQLException, IOException {
        Store store = database(datadir);
        done(store.rawSends()
                .end(
                        done(store.rawSends().begin(raw(9), StoreSample.BEGUN)).orElseThrow(),
                        IntentState.ACCEPTED,
                        StoreSample.BEGUN));
        long number = done(store.rawSends().begin(raw(8), StoreSample.BEGUN))
                .orElseThrow()
                .number();
        end(store);

        back(datadir);

        assertThat(done(file(datadir).rawSends().begin(raw(8), StoreSample.BEGUN))
                        .orElseThrow()
                        .number())
                .isEqualTo(number);
    }
}
