package org.chainwalletd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.intent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that has forgotten payments would let their tokens pay again: the datadir remembers how much it must know. */
class StoreMarkTest {
    @TempDir
    Path folder;

    @TempDir
    Path elsewhere;

    private Path file;
    private Path mark;

    @BeforeEach
    void name() {
        file = folder.resolve(SqliteStore.FILE_NAME);
        mark = folder.resolve(StoreMark.FILE_NAME);
    }

    private void pay(int number) {
        try (SqliteStore store = SqliteStore.open(folder)) {
            done(store.intents().open(intent(number, Optional.of("token-" + number), number), 0));
        }
    }

    private void assertRefused(String words) {
        byte[] before = bytes(mark);
        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.reason()).isEqualTo(StoreException.Reason.DAMAGED))
                .hasMessageContaining(words)
                .hasMessageContaining("--store-restored");
        assertThat(bytes(mark)).isEqualTo(before);
    }

    private static byte[] bytes(Path path) {
        try {
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void copy(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void a_store_that_is_gone_is_not_made_anew() throws IOException {
        pay(1);
        Files.delete(file);

        assertRefused("is missing although this datadir has worked with one");
        assertThat(file).doesNotExist();

        SqliteStore.open(folder, true).close();
        pay(2);
    }

    @Test
    void a_copy_from_before_the_last_payment_is_refused_until_the_operator_takes_it() throws IOException {
        pay(1);
        Path backup = elsewhere.resolve("backup");
        copy(file, backup);
        pay(2);
        copy(backup, file);

        assertRefused("it lacks the last 1 commits");

        try (SqliteStore store = SqliteStore.open(folder, true)) {
            assertThat(done(store.receipts().find("token-2", 0))).isEmpty();
        }
        pay(2);
    }

    @Test
    void a_copy_that_was_made_between_two_payments_of_one_run_is_refused() throws IOException {
        Path backup = elsewhere.resolve("backup");
        Path log = folder.resolve(SqliteStore.FILE_NAME + "-wal");
        Path logBackup = elsewhere.resolve("log");
        try (SqliteStore store = SqliteStore.open(folder)) {
            done(store.intents().open(intent(1, Optional.of("token-1"), 1), 0));
            copy(file, backup);
            copy(log, logBackup);
            done(store.intents().open(intent(2, Optional.of("token-2"), 2), 0));
        }
        copy(backup, file);
        copy(logBackup, log);

        assertRefused("it lacks the last 1 commits");
    }

    @Test
    void the_store_of_another_datadir_is_refused() throws IOException {
        pay(1);
        SqliteStore.open(elsewhere).close();
        copy(elsewhere.resolve(SqliteStore.FILE_NAME), file);

        assertRefused("is not the store that this datadir has worked with");
    }

    @Test
    void the_switch_is_refused_while_nothing_was_restored() {
        pay(1);

        assertThatThrownBy(() -> SqliteStore.open(folder, true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("start without --store-restored");
        pay(2);
    }

    @Test
    void a_commit_that_was_announced_and_not_made_is_missed_by_nobody() throws IOException {
        pay(1);
        StoreMark.Known known = StoreMark.read(folder).orElseThrow();
        try (StoreMark died = StoreMark.open(folder, known.id(), known.commits())) {
            died.announce();
        }
        assertThat(StoreMark.read(folder)).contains(new StoreMark.Known(known.id(), known.commits() + 1, false));

        pay(2);

        assertThat(StoreMark.read(folder)).contains(new StoreMark.Known(known.id(), known.commits() + 1, true));
    }

    @Test
    void one_broken_write_leaves_what_was_written_before() throws IOException {
        pay(1);
        pay(2);
        pay(3);
        StoreMark.Known known = StoreMark.read(folder).orElseThrow();
        try (StoreMark broken = StoreMark.open(folder, known.id(), known.commits())) {
            broken.announce();
        }
        byte[] bytes = bytes(mark);
        bytes[known.commits() % 2 == 0 ? 64 + 40 : 40] ^= 1;
        Files.write(mark, bytes);

        assertThat(StoreMark.read(folder)).contains(known);
        pay(4);
    }

    @Test
    void a_start_at_which_nothing_was_amiss_changes_nothing() {
        pay(1);
        byte[] before = bytes(mark);

        SqliteStore.open(folder).close();

        assertThat(bytes(mark)).isEqualTo(before);
    }

    @Test
    void a_broken_place_is_written_anew_at_the_next_start() throws IOException {
        pay(1);
        Optional<StoreMark.Known> before = StoreMark.read(folder);
        byte[] bytes = bytes(mark);
        int newest = (before.orElseThrow().commits() & 1) == 0 ? 0 : 64;
        bytes[newest + 40] ^= 1;
        Files.write(mark, bytes);
        assertThat(StoreMark.read(folder)).isNotEqualTo(before);

        SqliteStore.open(folder).close();

        assertThat(StoreMark.read(folder)).isEqualTo(before);
    }

    @Test
    void a_file_that_says_nothing_is_refused() throws IOException {
        pay(1);
        Files.write(mark, new byte[10]);

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("does not say which store belongs to this datadir");
    }

    @Test
    void a_store_of_an_older_release_is_taken_as_it_is() throws IOException {
        pay(1);
        Files.delete(mark);

        pay(2);

        assertThat(mark).exists();
    }
}
