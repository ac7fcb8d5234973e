package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.asked;
import static org.chainwalletd.store.Payments.assertBound;
import static org.chainwalletd.store.Payments.assertFails;
import static org.chainwalletd.store.Payments.fail;
import static org.chainwalletd.store.Payments.failConflicted;
import static org.chainwalletd.store.Payments.found;
import static org.chainwalletd.store.Payments.inFlight;
import static org.chainwalletd.store.Payments.opening;
import static org.chainwalletd.store.Payments.payment;
import static org.chainwalletd.store.Payments.spendOfToken;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Payments;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.postgres.WriterProcess;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that has forgotten payments would let their tokens pay again; the records beside it show how much it must contain. */
@Walks({CrashPoint.STORE_LOGGED, CrashPoint.STORE_BEFORE_COMMIT, CrashPoint.STORE_AFTER_COMMIT})
class SentLogTest {
    private static final String STOPPED = "their client tokens would pay again, so nothing is spent";

    @TempDir
    Path folder;

    @TempDir
    Path elsewhere;

    private Path file;
    private Path log;
    private Path backup;

    @BeforeEach
    void name() {
        file = folder.resolve(SqliteStore.FILE_NAME);
        log = folder.resolve(SentLog.FILE_NAME);
        backup = elsewhere.resolve("backup");
    }

    /**
     * @return the commit that the books would record
     */
    private Optional<CommitMark> pay(int... numbers) {
        try (SqliteStore store = SqliteStore.open(folder)) {
            for (int number : numbers) {
                Payments.pay(store, number);
            }
            return store.confirmed();
        }
    }

    private void assertStopped(Optional<CommitMark> books, String words) throws IOException {
        byte[] before = Files.exists(log) ? Files.readAllBytes(log) : null;
        try (SqliteStore store = SqliteStore.open(folder, books)) {
            assertThat(store.stopped().orElseThrow())
                    .contains(words)
                    .contains(STOPPED)
                    .contains("store restored");
            assertThat(store.confirmed()).isEmpty();
            assertFails(asked(store, 99), StoreException.Reason.STOPPED);
            assertFails(
                    store.intents().accept(hash(1), Set.of(IntentState.PREPARED), 5), StoreException.Reason.STOPPED);
            assertThat(spendOfToken(store, "token-99")).isEmpty();
        }
        assertThat(Files.exists(log) ? Files.readAllBytes(log) : null).isEqualTo(before);
    }

    private void assertSpends(Optional<CommitMark> books, int number) {
        try (SqliteStore store = SqliteStore.open(folder, books)) {
            assertThat(store.stopped()).isEmpty();
            Payments.pay(store, number);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void a_store_that_is_gone_is_not_recreated() throws IOException {
        Optional<CommitMark> books = pay(1);
        Files.delete(file);

        for (boolean logged : List.of(true, false)) {
            if (!logged) {
                Files.delete(log);
            }
            assertThatThrownBy(() -> SqliteStore.open(folder, books))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is missing although this datadir has worked with one")
                    .hasMessageContaining("store restored");
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void a_copy_from_before_the_last_payment_pays_nothing() throws IOException {
        pay(1);
        copy(file, backup);
        pay(2);
        copy(backup, file);

        assertStopped(Optional.empty(), "it lacks the last 1 commits (as sent.log beside it tells)");
    }

    @Test
    void a_copy_that_was_made_between_two_payments_of_one_run_pays_nothing() throws IOException {
        Path wal = folder.resolve(SqliteStore.FILE_NAME + "-wal");
        Path walBackup = elsewhere.resolve("wal");
        try (SqliteStore store = SqliteStore.open(folder)) {
            Payments.pay(store, payment(1));
            copy(file, backup);
            copy(wal, walBackup);
            Payments.pay(store, payment(2));
        }
        copy(backup, file);
        copy(walBackup, wal);

        assertStopped(Optional.empty(), "it lacks the last 1 commits");
    }

    @Test
    void a_copy_without_its_log_pays_nothing_whether_the_books_know_more_or_not() throws IOException {
        pay(1);
        copy(file, backup);
        Optional<CommitMark> books = pay(2);
        copy(backup, file);
        Files.delete(log);

        assertStopped(books, "it lacks the last 1 commits (as books.db beside it tells)");
        assertStopped(Optional.empty(), "sent.log is not beside it");
    }

    @Test
    void a_copy_with_the_log_of_its_time_pays_nothing_when_the_books_know_more() throws IOException {
        pay(1);
        copy(file, backup);
        copy(log, elsewhere.resolve("log"));
        Optional<CommitMark> books = pay(2);
        copy(backup, file);
        copy(elsewhere.resolve("log"), log);

        assertStopped(books, "it lacks the last 1 commits (as books.db beside it tells)");
    }

    @Test
    void an_empty_store_in_the_place_of_another_pays_nothing() throws IOException {
        Optional<CommitMark> books = pay(1);
        SqliteStore.open(elsewhere).close();
        copy(elsewhere.resolve(SqliteStore.FILE_NAME), file);

        assertStopped(Optional.empty(), "is not the store that this datadir has worked with");
        Files.delete(log);
        assertStopped(books, "is not the store that this datadir has worked with");
    }

    @Test
    void a_copy_that_has_caught_up_with_other_payments_pays_nothing() throws IOException {
        pay(1);
        copy(file, elsewhere.resolve(SqliteStore.FILE_NAME));
        copy(log, elsewhere.resolve(SentLog.FILE_NAME));
        Optional<CommitMark> books = pay(2, 3);
        try (SqliteStore other = SqliteStore.open(elsewhere)) {
            for (int number = 4; number < 9; number++) {
                Payments.pay(other, payment(number));
            }
        }
        copy(elsewhere.resolve(SqliteStore.FILE_NAME), file);

        assertStopped(Optional.empty(), "is a copy that went another way");
        Files.delete(log);
        assertStopped(books, "is a copy that went another way");
    }

    @Test
    void a_log_that_is_older_than_its_store_is_made_from_it() throws IOException {
        pay(1);
        copy(log, elsewhere.resolve("log"));
        Optional<CommitMark> books = pay(2);
        copy(elsewhere.resolve("log"), log);

        assertSpends(books, 3);

        assertThat(logged()).containsExactly(hash(1), hash(2), hash(3));
    }

    @Test
    void books_that_are_older_than_the_store_do_not_matter() {
        Optional<CommitMark> books = pay(1);
        pay(2);

        assertSpends(books, 3);
    }

    @Test
    void a_log_that_is_damaged_before_its_end_stops_spending_and_one_that_a_crash_cut_off_does_not()
            throws IOException {
        pay(1, 2, 3);
        byte[] whole = Files.readAllBytes(log);
        Files.write(log, Arrays.copyOf(whole, whole.length - 5));

        assertSpends(Optional.empty(), 4);

        byte[] damaged = Files.readAllBytes(log);
        damaged[damaged.length / 2] ^= 1;
        Files.write(log, damaged);
        assertStopped(Optional.empty(), "is damaged at byte");
    }

    /** The operating system reports only once that data was lost. */
    @Test
    void what_the_disk_of_the_log_has_lost_is_in_doubt_and_written_once_more() throws IOException {
        try (SqliteStore store = SqliteStore.open(folder)) {
            Payments.pay(store, payment(1));
            CommitMark before = store.confirmed().orElseThrow();
            Runnable losing = StoreFaults.loseLogWrites(store);
            CompletionStage<Opening> opening = store.intents().open(payment(2), 0);
            assertThatThrownBy(() -> Await.result(opening))
                    .cause()
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            why -> assertThat(why.reason()).isEqualTo(StoreException.Reason.UNKNOWN));
            assertThat(store.confirmed()).contains(before);
            losing.run();

            assertThat(opening(store, payment(2))).isEqualTo(new Opening.TokenTaken(hash(2)));
        }
        assertThat(logged()).containsExactly(hash(1), hash(2));
    }

    /** Wherever the log is truncated, every commit of the store is found in it, or the store is stopped. */
    @Test
    void a_log_that_is_cut_off_anywhere_is_completed_from_the_store() throws IOException {
        pay(1, 2);
        byte[] whole = Files.readAllBytes(log);
        for (int length = whole.length - 1; length > 100; length -= 97) {
            Files.write(log, Arrays.copyOf(whole, length));
            SqliteStore.open(folder).close();
            assertThat(logged()).as("cut off at " + length).containsExactly(hash(1), hash(2));
        }
    }

    private List<Hash256> logged() throws IOException {
        List<Hash256> logged = new ArrayList<>();
        SentLog.replay(folder, new SentLog.Replay() {
            @Override
            public boolean wants(CommitMark mark) {
                return true;
            }

            @Override
            public void line(SentLine line) {
                if (line instanceof SentLine.Spend spend) {
                    logged.add(spend.intent().txId());
                }
            }
        });
        return logged;
    }

    /** The store and the log contain everything acknowledged, and the log contains everything in the store, so it can complete a lost store. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "STORE_LOGGED#1",
                "STORE_LOGGED#4",
                "STORE_BEFORE_COMMIT#3",
                "STORE_AFTER_COMMIT#1",
                "STORE_AFTER_COMMIT#5"
            })
    void what_was_acknowledged_is_in_store_and_log_wherever_the_process_died(String point) throws IOException {
        pay(1_000_000);
        List<Integer> acknowledged = WriterProcess.killedAt(point, folder, "1");
        acknowledged.add(1_000_000);
        Optional<CommitMark> books;
        try (SqliteStore store = SqliteStore.open(folder)) {
            assertThat(store.stopped()).isEmpty();
            assertBound(store, acknowledged);
            assertThat(logged())
                    .containsAll(inFlight(store).stream().map(Intent::txId).toList());
            books = store.confirmed();
        }
        Files.delete(file);
        SqliteStore.restore(folder, books, false, mark -> {});
        try (SqliteStore store = SqliteStore.open(folder)) {
            assertBound(store, acknowledged);
        }
    }

    @Test
    void a_payment_that_was_built_again_is_one_payment_in_a_completed_store_too() throws IOException {
        Intent first = intent(1, "token-again", 1, 2);
        Intent second = intent(2, "token-again", 2, 3);
        try (SqliteStore store = SqliteStore.open(folder)) {
            Payments.pay(store, first);
            failConflicted(store, first.txId(), 50);
            Payments.pay(store, second);
            done(store.intents().accept(second.txId(), Set.of(IntentState.PREPARED), 60));
        }
        Files.delete(file);
        SqliteStore.restore(folder, Optional.empty(), false, mark -> {});
        try (SqliteStore store = SqliteStore.open(folder)) {
            assertThat(spendOfToken(store, "token-again").map(Intent::txId)).contains(second.txId());
            Intent apart = intent(3, "token-again", 3, 4);
            done(store.intents().failSent(second.txId(), IntentState.ACCEPTED, IntentState.CONFLICTED, "spent", 70));
            assertThat(opening(store, apart)).isEqualTo(new Opening.TokenTaken(second.txId()));

            done(store.intents().confirm(first.txId(), IntentState.CONFLICTED, new BlockPlace(9, hash(9)), 80));
            assertThat(spendOfToken(store, "token-again").map(Intent::txId)).contains(first.txId());
        }
    }

    /** Lines of forgotten payments are dropped; known payments, and those decided meanwhile, stay, wherever the process dies. */
    @Test
    void a_log_of_mostly_forgotten_payments_is_rewritten_while_payments_continue() throws IOException {
        List<Map<String, byte[]>> deaths = Collections.synchronizedList(new ArrayList<>());
        List<Integer> acknowledged = new ArrayList<>();
        List<Integer> then = Collections.synchronizedList(new ArrayList<>());
        int number = 0;
        try (SqliteStore store = SqliteStore.open(folder, Optional.empty(), 20_000)) {
            CrashPoint.watch(point -> {
                if (point == CrashPoint.FILE_TEMP_WRITTEN || point == CrashPoint.FILE_RENAMED) {
                    synchronized (acknowledged) {
                        then.add(acknowledged.size());
                        deaths.add(photograph());
                    }
                }
            });
            for (int round = 0; round < 400 && deaths.size() < 4; round++) {
                for (int i = 0; i < 5; i++, number++) {
                    Payments.pay(store, payment(number));
                    synchronized (acknowledged) {
                        acknowledged.add(number);
                    }
                    if (i > 0) {
                        fail(store, hash(number), IntentState.REFUSED, number);
                    }
                }
                done(store.intents().forget(number, 100));
            }
        } finally {
            CrashPoint.watch(null);
        }
        assertThat(deaths).hasSizeGreaterThanOrEqualTo(4);
        assertThat(logged().size()).isLessThan(number);
        assertThat(Files.list(folder).map(Path::toString)).noneMatch(name -> name.endsWith(".tmp"));
        for (int death = 0; death < deaths.size(); death++) {
            Path place = Files.createDirectory(elsewhere.resolve("death-" + death));
            for (Map.Entry<String, byte[]> each : deaths.get(death).entrySet()) {
                Files.write(place.resolve(each.getKey()), each.getValue());
            }
            assertKept(place, acknowledged.subList(0, then.get(death)));
            Files.delete(place.resolve(SqliteStore.FILE_NAME));
            Files.deleteIfExists(place.resolve(SqliteStore.FILE_NAME + "-wal"));
            SqliteStore.restore(place, Optional.empty(), false, mark -> {});
            assertKept(place, acknowledged.subList(0, then.get(death)));
        }
    }

    /** No further connection to the store's file can be opened for a while, as when the process has too many files open. */
    @Test
    void a_log_that_could_not_be_pruned_is_pruned_later_without_a_restart() throws IOException {
        Path away = elsewhere.resolve("away");
        try (SqliteStore store = SqliteStore.open(folder, Optional.empty(), 3_000)) {
            Files.move(folder, away);
            int number = 0;
            while (Files.size(away.resolve(SentLog.FILE_NAME)) < 3_000) {
                Payments.pay(store, payment(number++));
            }
            Payments.pay(store, payment(number++));
            StoreFaults.awaitPruning(store);
            Files.move(away, folder);

            long length = 0;
            while (Files.size(log) >= length) {
                length = Files.size(log);
                assertThat(number).isLessThan(300);
                Payments.pay(store, payment(number++));
                fail(store, hash(number - 1), IntentState.REFUSED, number);
                done(store.intents().forget(number, 100));
            }
        }
    }

    /** A disk that is nearly full may never hold twice a large log. */
    @Test
    void a_large_log_that_could_not_be_pruned_is_pruned_when_it_is_a_little_larger_and_then_as_any_other()
            throws IOException {
        CommitMark first = pay(1).orElseThrow();
        AtomicLong number = new AtomicLong(first.number());
        try (SentLog large = SentLog.open(folder, 2_000)) {
            while (Files.size(log) < 12_000) {
                append(large, first, number);
            }
            assertThat(lengthWhenPruned(large, first, number)).isBetween(12_000L, 13_000L);
            large.pruningHasFailed();
            large.prune(from -> {});
            assertThat(lengthWhenPruned(large, first, number)).isBetween(14_000L, 16_000L);

            CommitMark last = new CommitMark(first.store(), first.opening(), number.get());
            large.setSuccessor(SentLog.successor(folder, last, Optional.empty(), sink -> {}, Files.size(log)));
            large.prune(from -> {});
            assertThat(Files.size(log)).isLessThan(1_000);
            assertThat(lengthWhenPruned(large, first, number)).isBetween(2_000L, 4_000L);
        }
    }

    /** Appends commits until the log is to be pruned; returns its length in bytes then. */
    private static long lengthWhenPruned(SentLog pruned, CommitMark first, AtomicLong number) throws IOException {
        AtomicLong from = new AtomicLong();
        pruned.prune(from::set);
        while (from.get() == 0) {
            assertThat(number).hasValueLessThan(1_000);
            append(pruned, first, number);
            pruned.prune(from::set);
        }
        return from.get();
    }

    private static void append(SentLog to, CommitMark first, AtomicLong number) throws IOException {
        SentLog.Lines lines = new SentLog.Lines();
        lines.add(new SentLine.Spend(payment(2), SpendRow.Held.ALL, OptionalLong.empty()));
        to.announce(new CommitMark(first.store(), first.opening(), number.incrementAndGet()), lines);
        to.made();
    }

    /** The transaction has only read. */
    @Test
    void a_log_that_was_written_is_not_lost_when_the_transaction_that_it_was_read_in_cannot_be_ended()
            throws IOException, SQLException {
        CommitMark last = pay(1).orElseThrow();
        AtomicInteger statements = new AtomicInteger();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            Connection failing = (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                        if (method.getName().equals("createStatement") && statements.incrementAndGet() > 1) {
                            throw new SQLException("the connection is gone");
                        }
                        return method.invoke(connection, values);
                    });

            SentLog.Successor successor = StoreRestore.successor(folder, new SqlSession(failing, Sqlite.DIALECT), 0);

            assertThat(successor.last()).isEqualTo(last);
            assertThat(statements).hasValue(2);
            successor.log().discard();
        }
    }

    /** PostgreSQL shows a commit that waits for a standby to no reader, and makes it when the standby returns. */
    @Test
    void a_log_is_not_replaced_by_one_of_a_store_that_did_not_show_its_last_commit() throws IOException {
        CommitMark first = pay(1).orElseThrow();
        CommitMark second = new CommitMark(first.store(), first.opening(), first.number() + 1);
        SentLog.Lines lines = new SentLog.Lines();
        lines.add(new SentLine.Spend(payment(2), SpendRow.Held.ALL, OptionalLong.empty()));
        AtomicLong from = new AtomicLong();
        try (SentLog pruned = SentLog.open(folder, 0)) {
            pruned.announce(second, lines);
            pruned.prune(from::set);
            assertThat(from).as("the commit is in doubt").hasValue(0);

            pruned.made();
            pruned.prune(from::set);
            assertThat(from.get()).isPositive();
            pruned.setSuccessor(SentLog.successor(
                    folder,
                    first,
                    Optional.empty(),
                    sink -> sink.take(
                            SentLine.encode(new SentLine.Spend(payment(1), SpendRow.Held.ALL, OptionalLong.empty()))),
                    from.get()));
            pruned.prune(from::set);
        }
        assertThat(logged()).containsExactly(hash(1), hash(2));
    }

    /** Every fifth payment was not refused and forgotten. */
    private static void assertKept(Path place, List<Integer> acknowledged) {
        try (SqliteStore store = SqliteStore.open(place)) {
            assertThat(store.stopped()).isEmpty();
            assertBound(
                    store,
                    acknowledged.stream().filter(number -> number % 5 == 0).toList());
        }
    }

    private Map<String, byte[]> photograph() {
        Map<String, byte[]> files = new TreeMap<>();
        for (String name : List.of(SentLog.FILE_NAME, SqliteStore.FILE_NAME, SqliteStore.FILE_NAME + "-wal")) {
            try {
                files.put(name, Files.readAllBytes(folder.resolve(name)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return files;
    }

    @Test
    void a_start_at_which_nothing_was_amiss_changes_nothing() throws IOException {
        pay(1);
        byte[] before = Files.readAllBytes(log);
        byte[] store = Files.readAllBytes(file);

        SqliteStore.open(folder).close();

        assertThat(Files.readAllBytes(log)).isEqualTo(before);
        assertThat(Files.readAllBytes(file)).isEqualTo(store);
    }

    @Test
    void a_commit_that_was_announced_and_not_made_is_missed_by_nobody() throws IOException {
        CommitMark last = pay(1).orElseThrow();
        for (long opening : List.of(last.opening(), last.opening() + 1)) {
            try (SentLog died = SentLog.open(folder)) {
                died.announce(new CommitMark(last.store(), opening, last.number() + 1), new SentLog.Lines());
            }
            assertThat(SentLog.read(folder).orElseThrow().certain()).isEqualTo(last);
        }

        assertSpends(Optional.of(last), 2);
    }

    @Test
    void a_commit_whose_number_comes_again_was_not_made_and_is_not_entered() throws IOException {
        CommitMark last = pay(1).orElseThrow();
        try (SentLog died = SentLog.open(folder)) {
            for (int payment : new int[] {2, 3}) {
                SentLog.Lines lines = new SentLog.Lines();
                lines.add(new SentLine.Spend(payment(payment), SpendRow.Held.ALL, OptionalLong.empty()));
                died.announce(new CommitMark(last.store(), last.opening(), last.number() + 1), lines);
            }
        }

        assertThat(logged()).containsExactly(hash(1), hash(3));
    }

    @Test
    void claims_are_logged_without_the_secret_that_their_bytes_carry() throws IOException {
        Intent claim = StoreSample.ofKind("htlc_claim", payment(1));
        byte[] line = SentLine.encode(new SentLine.Spend(claim, SpendRow.Held.ALL, OptionalLong.empty()));

        assertThat(HexFormat.of().formatHex(line))
                .doesNotContain(claim.transaction().hex());
        SentLine.Spend read = (SentLine.Spend) SentLine.decode(line, 0).get(0);
        assertThat(read.isWithheld()).isTrue();
        assertThat(read.intent().token()).isEqualTo(claim.token());
    }

    /** Nothing is decided that the log has not accepted, and nothing is reported before it is on disk there. */
    @Test
    void no_intent_opens_while_the_log_cannot_be_written() throws IOException {
        try (SqliteStore store = SqliteStore.open(folder)) {
            Payments.pay(store, payment(1));
            Runnable full = StoreFaults.fillLogDisk(store);
            CompletionStage<Opening> opening = store.intents().open(payment(2), 0);
            assertThatThrownBy(() -> Await.result(opening))
                    .cause()
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            why -> assertThat(why.reason()).isEqualTo(StoreException.Reason.UNAVAILABLE))
                    .hasMessageContaining("sent.log cannot be written");
            assertThat(found(store, hash(2))).isEmpty();
            full.run();

            Payments.pay(store, payment(3));
        }
        assertThat(logged()).containsExactly(hash(1), hash(3));
        assertSpends(Optional.empty(), 2);
    }

    @Test
    void outcomes_are_logged_and_those_that_free_a_coin_come_first() {
        SentLog.Lines lines = new SentLog.Lines();
        lines.add(new SentLine.Accepted(hash(1)));
        lines.add(new SentLine.State(hash(1), IntentState.PREPARED, "", 1));
        assertThat(lines.mustBeForcedFirst()).isFalse();

        for (IntentState state : IntentState.values()) {
            assertThat(new SentLine.State(hash(1), state, "", 1).isForcedFirst())
                    .isEqualTo(!state.inFlight());
        }
        assertThat(new SentLine.Held(hash(1), SpendRow.Held.NONE).isForcedFirst())
                .isTrue();
    }

    @Test
    void payments_at_once_share_commits_and_with_them_what_is_forced_to_the_disk() throws IOException {
        try (SqliteStore store = SqliteStore.open(folder)) {
            List<CompletionStage<Opening>> openings = IntStream.range(0, 64)
                    .mapToObj(number -> store.intents().open(payment(number), 0))
                    .toList();
            openings.forEach(StoreSample::done);
            assertThat(store.confirmed().orElseThrow().number()).isLessThan(64);
        }
        assertThat(logged())
                .containsExactlyElementsOf(
                        IntStream.range(0, 64).mapToObj(StoreSample::hash).toList());
    }
}
