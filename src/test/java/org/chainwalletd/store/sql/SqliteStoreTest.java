package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.found;
import static org.chainwalletd.store.Payments.inFlight;
import static org.chainwalletd.store.Payments.opening;
import static org.chainwalletd.store.Payments.pay;
import static org.chainwalletd.store.Payments.reasonOf;
import static org.chainwalletd.store.Payments.reserved;
import static org.chainwalletd.store.Payments.spendOfToken;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.intent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.postgres.WriterProcess;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ChildJvm;
import org.chainwalletd.testkit.HangWatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreTest {
    @TempDir
    Path folder;

    private SqliteStore store;

    @BeforeEach
    void open() {
        store = SqliteStore.open(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void a_full_disk_fails_the_whole_unit_and_the_store_recovers() throws Exception {
        long pages = done(store.write(session ->
                session.queryOne("PRAGMA page_count", row -> row.getLong(1)).orElseThrow()));
        done(store.write(session -> {
            session.query("PRAGMA max_page_count = " + (pages + 2), row -> row.getLong(1));
            return null;
        }));
        Intent large = intent(1, Optional.of("token-large"), Bytes.wrap(new byte[200_000]), 7);

        assertThat(store.complaint()).isEmpty();
        assertThatThrownBy(() -> opening(store, large))
                .hasCauseInstanceOf(StoreException.class)
                .hasMessageContaining("full");

        assertThat(store.complaint())
                .as("not ready while nothing can be spent")
                .hasValueSatisfying(why -> assertThat(why).contains("cannot be written", "full"));
        Await.until(
                "the store has found out by itself that it can be written",
                () -> store.complaint().isEmpty());

        done(store.write(session -> {
            session.query("PRAGMA max_page_count = 1000000", row -> row.getLong(1));
            return null;
        }));
        assertThat(spendOfToken(store, "token-large")).isEmpty();
        pay(store, large);
        assertThat(spendOfToken(store, "token-large")).contains(large);
    }

    @Test
    void the_file_belongs_to_its_owner_alone() throws IOException {
        pay(store, intent(1, Optional.empty(), 7));

        try (var files = Files.list(folder)) {
            assertThat(files)
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void a_damaged_file_stops_the_start_and_stays_as_it_is() throws IOException {
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        byte[] damaged =
                "this is no database, whatever its name says; it is long enough to have a header of 100 bytes ....."
                        .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        Files.write(file, damaged);

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());

        assertThat(Files.readAllBytes(file)).isEqualTo(damaged);
    }

    @Test
    void a_file_with_a_damaged_page_stops_the_start() throws IOException {
        for (int i = 0; i < 40; i++) {
            pay(store, intent(i + 1, "token-" + i, i));
        }
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        byte[] content = Files.readAllBytes(file);
        java.util.Arrays.fill(content, 4096, 4096 + 2048, (byte) 0x5a);
        Files.write(file, content);

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void a_file_that_was_emptied_stops_the_start() throws IOException {
        pay(store, intent(1, "token-one", 7));
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        Files.write(file, new byte[0]);

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file + " is empty")
                .hasMessageContaining("backup");

        assertThat(file).isEmptyFile();
    }

    @Test
    void a_file_whose_end_is_missing_stops_the_start_and_stays_as_it_is() throws IOException {
        pay(store, intent(1, "token-one", 7));
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        byte[] whole = Files.readAllBytes(file);
        for (int missing : List.of(1, 100, 4_095, 4_096, 2 * 4_096 + 7)) {
            byte[] cut = java.util.Arrays.copyOf(whole, whole.length - missing);
            Files.write(file, cut);

            assertThatThrownBy(() -> SqliteStore.open(folder))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("backup");

            assertThat(Files.readAllBytes(file)).isEqualTo(cut);
        }
        Files.write(file, whole);
        open();
        assertThat(spendOfToken(store, "token-one")).isPresent();
    }

    @Test
    void a_file_that_cannot_be_opened_is_not_called_damaged() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path inTheWay = Files.createDirectory(elsewhere.resolve(SqliteStore.FILE_NAME));

        assertThatThrownBy(() -> SqliteStore.open(elsewhere))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(StoreException.Reason.UNAVAILABLE))
                .hasMessageContaining(inTheWay.toString())
                .hasMessageContaining("leave the file where it is");
    }

    @Test
    void a_file_that_is_gone_from_beside_its_log_stops_the_start() throws IOException {
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        Path log = folder.resolve(SqliteStore.FILE_NAME + "-wal");
        Files.delete(file);
        Files.writeString(log, "frames");

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file + " is missing although its log " + log + " is there");
        assertThat(file).doesNotExist();
        assertThat(log).hasContent("frames");
    }

    @Test
    void a_file_of_a_newer_release_is_refused() {
        done(store.write(session -> {
            session.execute("PRAGMA user_version = 99");
            return null;
        }));
        store.close();

        assertThatThrownBy(() -> SqliteStore.open(folder)).hasMessageContaining("newer release");
    }

    @Test
    void a_unit_that_takes_long_is_answered_before_the_next_is_applied() {
        CompletableFuture<Void> first = store.write(session -> {
                    Await.pause(5);
                    return (Void) null;
                })
                .toCompletableFuture();
        CompletableFuture<Boolean> second =
                store.write(session -> first.isDone()).toCompletableFuture();

        assertThat(Await.result(second)).isTrue();
    }

    @Test
    void all_that_is_queued_is_written_in_its_order_before_the_store_is_closed() {
        List<CompletableFuture<Integer>> written = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            int number = i;
            written.add(store.write(session -> {
                        session.update("UPDATE spends SET reason = ? WHERE id = ?", "", -1);
                        order.add(number);
                        return number;
                    })
                    .toCompletableFuture());
        }

        store.close();

        assertThat(written).allMatch(CompletableFuture::isDone);
        assertThat(order).isSorted().hasSize(2_000);
    }

    @Test
    void while_too_much_waits_new_spends_are_refused_and_what_was_begun_is_written() {
        Intent begun = pay(store, intent(1, Optional.empty(), 1));
        CountDownLatch disk = new CountDownLatch(1);
        store.write(session -> {
            Await.opened(disk);
            return null;
        });
        List<CompletableFuture<Opening>> opened = new ArrayList<>();
        boolean full = false;
        for (int i = 2; !full && i < 20_000; i++) {
            opened.add(store.intents().open(intent(i, Optional.empty(), i), 0).toCompletableFuture());
            full = opened.get(opened.size() - 1).isCompletedExceptionally();
        }

        CompletionStage<Transition> outcome =
                store.intents().confirm(begun.txId(), IntentState.PREPARED, new BlockPlace(9, begun.txId()), 50);
        assertThatThrownBy(() -> Await.result(opened.get(opened.size() - 1)))
                .hasCauseInstanceOf(StoreException.class)
                .cause()
                .extracting(refused -> ((StoreException) refused).reason())
                .isEqualTo(StoreException.Reason.BUSY);
        assertThat(store.queued()).isGreaterThan(1_000);
        disk.countDown();

        assertThat(done(outcome)).isEqualTo(new Transition.Made());
        opened.subList(0, opened.size() - 1)
                .forEach(taken -> assertThat(Await.result(taken)).isInstanceOf(Opening.Opened.class));
        assertThat(inFlight(store)).hasSize(opened.size() - 1);
    }

    @Test
    void a_writer_that_dies_answers_everybody_and_says_so() {
        CountDownLatch disk = new CountDownLatch(1);
        CompletableFuture<Void> deadly = store.write(session -> {
            Await.opened(disk);
            throw new StackOverflowError("as an error of the virtual machine does");
        });
        CompletableFuture<Opening> behind =
                store.intents().open(intent(1, Optional.empty(), 7), 0).toCompletableFuture();
        assertThat(store.died().toCompletableFuture()).isNotDone();
        disk.countDown();

        assertThatThrownBy(() -> Await.result(deadly)).hasCauseInstanceOf(StoreException.class);
        assertThatThrownBy(() -> Await.result(behind)).hasCauseInstanceOf(StoreException.class);
        done(store.died());
        assertThatThrownBy(() -> opening(store, intent(2, Optional.empty(), 8)))
                .hasCauseInstanceOf(StoreException.class);
    }

    @Test
    void a_reader_that_dies_answers_and_is_recreated() {
        CompletableFuture<Void> deadly = store.read(session -> {
            throw new StackOverflowError("as an error of the virtual machine does; its stack trace is no failure");
        });

        assertThatThrownBy(() -> Await.outcome(deadly)).hasCauseInstanceOf(StoreException.class);
        assertThat(inFlight(store)).isEmpty();
    }

    @Test
    void a_store_that_is_closed_has_not_died() {
        store.close();

        assertThat(store.died().toCompletableFuture()).isNotDone();
    }

    /** Otherwise the remains in the log would be taken for a commit if the process died now. */
    @Test
    void a_commit_that_failed_is_said_to_have_written_nothing_only_when_another_one_was_written_over_it() {
        assertThat(reasonOf(store.write(StoreFaults::cannotBeCommitted))).isEqualTo(StoreException.Reason.UNAVAILABLE);

        assertThat(reasonOf(store.write(session -> {
                    StoreFaults.cannotBeCommitted(session);
                    session.execute("PRAGMA query_only = ON");
                    return null;
                })))
                .isEqualTo(StoreException.Reason.UNKNOWN);
    }

    @Test
    void what_is_found_for_certain_was_looked_for_after_a_commit_of_its_own() {
        Intent intent = pay(store, intent(1, Optional.empty(), 7));
        assertThat(done(store.intents().findForCertain(intent.txId()))).contains(intent);
        Await.result(store.write(session -> {
            session.execute("PRAGMA query_only = ON");
            return null;
        }));

        assertThatThrownBy(() -> done(store.intents().findForCertain(intent.txId())))
                .as("nothing can be written over a failed commit")
                .hasCauseInstanceOf(StoreException.class);
        assertThat(found(store, intent.txId())).contains(intent);
    }

    /** {@code -Dstore.kills=50} runs longer. */
    @Test
    void what_was_acknowledged_is_there_after_the_process_was_killed() throws IOException {
        List<Integer> acknowledged = new ArrayList<>();
        for (int round = 0; round < Integer.getInteger("store.kills", 2); round++) {
            HangWatch.alive();
            store.close();
            killed(acknowledged, 1_000_000 * round + 1);
            open();
            for (int number : acknowledged) {
                Intent intent = intent(number, "token-" + number, number);
                assertThat(spendOfToken(store, "token-" + number)).contains(intent);
            }
            assertThat(inFlight(store)).as("each holds its coin").hasSameSizeAs(reserved(store));
        }
    }

    private void killed(List<Integer> acknowledged, int first) throws IOException {
        Process process = ChildJvm.of(List.of(), WriterProcess.class, folder, first)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        int least = 200 + new Random(first).nextInt(500);
        List<String> lines = ChildJvm.lines(process, least);
        assertThat(lines).as("written before the process was killed").hasSizeGreaterThanOrEqualTo(least);
        lines.forEach(line -> acknowledged.add(Integer.parseInt(line)));
    }
}
