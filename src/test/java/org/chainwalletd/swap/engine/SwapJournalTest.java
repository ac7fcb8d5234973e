package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Traces;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Walks({CrashPoint.SWAP_BEFORE_WRITE, CrashPoint.SWAP_AFTER_WRITE})
public class SwapJournalTest {
    private static final Path FROZEN = Path.of("src/test/resources/frozen");

    @TempDir
    Path folder;

    private SqliteStore store;
    private SealedRecords seals;
    private SwapJournal journal;

    @BeforeEach
    void open() {
        store = SqliteStore.open(folder);
        seals = TestSeals.of(done(store.swaps().newest()).map(SwapEntry::content));
        journal = new SwapJournal(store.swaps(), seals, ForkJoinPool.commonPool());
    }

    @AfterEach
    void close() {
        seals.close();
        store.close();
    }

    private static <T> T done(CompletionStage<T> stage) {
        return Await.result(stage);
    }

    private SwapJournal.Held add(int n) {
        return done(journal.add(Sample.row(n, Direction.CHAIN_TO_NATIVE), SecretBytes.copyOf(Sample.SECRET)))
                .orElseThrow();
    }

    /** Returns a row of every form. */
    private static List<SwapRow> forms() {
        List<SwapRow> forms = new ArrayList<>();
        Acts all = new Acts(true, true, true, true, true, true, Optional.of("l"), Optional.of("c"), Optional.of("r"));
        for (Direction direction : Direction.values()) {
            for (OwnLock own : List.of(
                    new OwnLock.Absent(),
                    new OwnLock.Lost(),
                    new OwnLock.Foreign(),
                    new OwnLock.Locked("o", OptionalLong.empty()),
                    new OwnLock.Locked("o", OptionalLong.of(5)),
                    new OwnLock.Claimed("o", "t", true),
                    new OwnLock.TakenBack("o", "t", false))) {
                forms.add(Sample.row(forms.size(), direction)
                        .seeing(new ChainObservation(Optional.of(own), Optional.empty(), false), 7));
            }
            for (PoolLock pool : List.of(
                    new PoolLock.Foreign(),
                    new PoolLock.Locked("p", OptionalLong.empty()),
                    new PoolLock.Claimed("p", "t", true),
                    new PoolLock.TakenBack("p", true))) {
                SwapRow seen = Sample.row(forms.size(), direction)
                        .with(all, 8)
                        .seeing(new ChainObservation(Optional.empty(), Optional.of(pool), false), 9);
                forms.add(seen.failing(seen.error().or(() -> Optional.of("why \u00fc")), 10));
            }
        }
        return forms;
    }

    @Test
    void every_form_of_a_row_comes_back_with_its_secret() {
        try (SecretBytes secret = SecretBytes.copyOf(Sample.SECRET)) {
            List<SwapRow> rows = new ArrayList<>(forms());
            PoolLock ending = new PoolLock.Locked("p", OptionalLong.of(-1));
            rows.add(rows.get(0).seeing(new ChainObservation(Optional.empty(), Optional.of(ending), false), 11));
            for (SwapRow row : rows) {
                try (SecretBytes content = SwapCodec.encode(row, secret)) {
                    SwapCodec.Opened opened = SwapCodec.decode(content);
                    assertThat(opened.row()).isEqualTo(row);
                    assertThat(opened.secret().copy()).isEqualTo(Sample.SECRET);
                }
            }
        }
    }

    @Test
    void a_row_says_which_account_chain_it_was_made_on() {
        SwapTerms.AccountLeg account =
                Sample.row(Direction.NATIVE_TO_CHAIN).terms().account();
        assertThat(account.isOn(Sample.CHAIN_ID)).isTrue();
        assertThat(account.isOn(BigInteger.ONE)).isFalse();
    }

    /** A kill before a write leaves the previous row, one after it the new row, complete and with its secret. */
    @Test
    void a_kill_at_any_crash_point_leaves_a_row_as_it_was_or_as_it_is_to_be() throws Exception {
        List<Path> album = new CopyOnWriteArrayList<>();
        CrashPoint.watch(point -> {
            if (List.of(SwapJournalTest.class.getAnnotation(Walks.class).value())
                    .contains(point)) {
                album.add(copy(folder.resolve(album.size() + "-" + point)));
            }
        });
        SwapRow quoted = Sample.row(1, Direction.CHAIN_TO_NATIVE);
        SwapRow failed = quoted.failing(Optional.of("why"), Sample.NOW + 9);
        try {
            SwapJournal.Held held =
                    done(journal.add(quoted, SecretBytes.copyOf(Sample.SECRET))).orElseThrow();
            done(journal.write(held, failed, true));
        } finally {
            CrashPoint.watch(null);
        }

        assertThat(album)
                .extracting(photograph -> photograph.getFileName().toString())
                .containsExactly(
                        "0-SWAP_BEFORE_WRITE", "1-SWAP_AFTER_WRITE", "2-SWAP_BEFORE_WRITE", "3-SWAP_AFTER_WRITE");
        assertThat(left(album.get(0))).isEmpty();
        assertThat(left(album.get(1))).contains(quoted);
        assertThat(left(album.get(2))).contains(quoted);
        assertThat(left(album.get(3))).contains(failed);
    }

    private Path copy(Path target) {
        try (Stream<Path> files = Files.list(folder)) {
            Files.createDirectory(target);
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
            return target;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the row that the next start finds. */
    private static Optional<SwapRow> left(Path photograph) {
        try (SqliteStore copy = SqliteStore.open(photograph);
                SealedRecords opened = TestSeals.of(done(copy.swaps().newest()).map(SwapEntry::content))) {
            SwapJournal there = new SwapJournal(copy.swaps(), opened, ForkJoinPool.commonPool());
            List<SwapJournal.Held> rows = done(there.watched());
            assertThat(rows).allSatisfy(row -> assertThat(secret(there, row)).isEqualTo(Sample.SECRET));
            assertThat(rows).hasSizeLessThan(2);
            return rows.stream().map(SwapJournal.Held::row).findFirst();
        }
    }

    private static byte[] secret(SwapJournal journal, SwapJournal.Held held) {
        return done(journal.withSecret(held, secret -> CompletableFuture.completedFuture(secret.copy())));
    }

    @Test
    void a_secret_is_open_only_while_it_is_used() {
        SwapJournal.Held held = add(1);
        List<SecretBytes> lent = new CopyOnWriteArrayList<>();
        CompletableFuture<String> using = new CompletableFuture<>();

        CompletionStage<String> used = journal.withSecret(held, secret -> {
            lent.add(secret);
            return using;
        });

        Await.until("it is lent", () -> !lent.isEmpty());
        assertThat(lent.get(0).isClosed()).isFalse();
        using.completeExceptionally(new IllegalStateException("the node is away"));
        assertThatThrownBy(() -> done(used)).hasMessageContaining("the node is away");
        assertThat(lent.get(0).isClosed()).isTrue();
        try (SecretBytes own = SecretBytes.copyOf(Sample.SECRET)) {
            done(journal.add(Sample.row(2, Direction.CHAIN_TO_NATIVE), own));
            assertThat(own.isClosed()).as("the caller's").isFalse();
        }
    }

    /** Without the id of an account chain: the configured chain is meant, and nothing is added to the row. */
    @Test
    void the_first_form_stays_readable() throws Exception {
        List<SwapRow> expected = forms();
        List<SwapRow> rows = frozen("v5");
        assertThat(rows)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields(
                        "terms.account.chainId", "acts.claimPermitted")
                .isEqualTo(expected);
        assertThat(rows).extracting(row -> row.terms().account()).allSatisfy(account -> {
            assertThat(account.chainId()).isEmpty();
            assertThat(account.isOn(Sample.CHAIN_ID) && account.isOn(BigInteger.ONE))
                    .isTrue();
        });
    }

    /** With one mark for the permission and the claim. */
    @Test
    void the_second_form_stays_readable() throws Exception {
        List<SwapRow> rows = frozen("v10");
        assertThat(rows)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("acts.claimPermitted")
                .isEqualTo(forms());
    }

    /** The current form; a newer one is written in addition, and this one stays readable. */
    @Test
    void the_third_form_stays_readable() throws Exception {
        if (System.getProperty("freeze") != null) {
            Path folder = Files.createDirectories(FROZEN.resolve("v13").resolve("swap"));
            Files.write(
                    folder.resolve("rows.hex"),
                    forms().stream().map(SwapJournalTest::content).toList());
        }
        assertThat(frozen("v13")).isEqualTo(forms());
        for (String line : lines("v13")) {
            try (SecretBytes content = SecretBytes.takeOver(Bytes.parse(line).toArray())) {
                assertThat(content(SwapCodec.decode(content).row()))
                        .as("it is written again as it was read")
                        .isEqualTo(line);
            }
        }
    }

    /** An earlier release wrote its only mark before the claim was made: alone it means that the gate was open, and no more. */
    @Test
    void the_one_mark_of_earlier_releases_is_a_permission_unless_the_row_knows_of_a_claim() {
        SwapRow locked = Sample.row(Direction.CHAIN_TO_NATIVE)
                .with(Acts.NONE.lock(), 7)
                .seeing(
                        new ChainObservation(
                                Optional.empty(), Optional.of(new PoolLock.Locked("p", OptionalLong.empty())), false),
                        7);
        Acts marked = marked(locked).acts();
        assertThat(marked.claimPermitted()).isTrue();
        assertThat(marked.claimJournalled()).isFalse();
        assertThat(marked(locked.with(locked.acts().claimedBy("c"), 8)).acts().claimJournalled())
                .isTrue();
        SwapRow paid = locked.seeing(
                new ChainObservation(Optional.of(new OwnLock.Claimed("o", "t", false)), Optional.empty(), false), 9);
        assertThat(marked(paid).acts().claimJournalled()).isTrue();
        SwapRow young = marked(locked, "false");
        assertThat(young.acts().claimPermitted() || young.acts().claimJournalled())
                .isFalse();
    }

    private static SwapRow marked(SwapRow row) {
        return marked(row, "true");
    }

    /** Returns the row as an earlier release wrote it. */
    private static SwapRow marked(SwapRow row, String mark) {
        byte[] now = Bytes.parse(content(row)).toArray();
        String json = new String(now, 33, now.length - 33, StandardCharsets.UTF_8)
                .replaceAll("\"claim_permitted\":(true|false),", "")
                .replaceAll("\"revealed\":(true|false)", "\"revealed\":" + mark);
        byte[] text = json.getBytes(StandardCharsets.UTF_8);
        byte[] then = Arrays.copyOf(now, 33 + text.length);
        System.arraycopy(text, 0, then, 33, text.length);
        try (SecretBytes content = SecretBytes.takeOver(then)) {
            return SwapCodec.decode(content).row();
        }
    }

    private static List<String> lines(String version) throws IOException {
        return Files.readAllLines(FROZEN.resolve(version).resolve("swap").resolve("rows.hex"));
    }

    /** Each row is unchanged when it is written again and read. */
    private static List<SwapRow> frozen(String version) throws IOException {
        List<SwapRow> rows = new ArrayList<>();
        for (String line : lines(version)) {
            try (SecretBytes content = SecretBytes.takeOver(Bytes.parse(line).toArray())) {
                SwapRow row = SwapCodec.decode(content).row();
                try (SecretBytes again =
                        SecretBytes.takeOver(Bytes.parse(content(row)).toArray())) {
                    assertThat(SwapCodec.decode(again).row()).isEqualTo(row);
                }
                rows.add(row);
            }
        }
        return rows;
    }

    private static String content(SwapRow row) {
        try (SecretBytes secret = SecretBytes.copyOf(Sample.SECRET);
                SecretBytes content = SwapCodec.encode(row, secret)) {
            return Bytes.wrap(content.copy()).hex();
        }
    }

    @Test
    void a_row_survives_a_restart_and_needs_the_same_key_only_once() {
        add(1);
        SwapEntry before = done(store.swaps().newest()).orElseThrow();
        close();
        open();
        int derived = TestSeals.derivations();
        SwapJournal.Held held = done(journal.take("swap-1")).orElseThrow();
        assertThat(held.row()).isEqualTo(Sample.row(1, Direction.CHAIN_TO_NATIVE));
        assertThat(secret(journal, held)).isEqualTo(Sample.SECRET);
        SwapJournal.Held next = done(journal.write(held, held.row().with(Acts.NONE.lock(), 5), true));
        assertThat(next.entry().content()).isNotEqualTo(before.content());
        assertThat(done(journal.find("swap-1")).orElseThrow().status()).isEqualTo(SwapStatus.LOCKING);
        assertThat(TestSeals.derivations()).isEqualTo(derived);
    }

    @Test
    void rows_of_another_salt_are_read_too() {
        add(1);
        seals.close();
        seals = TestSeals.of(Optional.empty());
        journal = new SwapJournal(store.swaps(), seals, ForkJoinPool.commonPool());
        add(2);
        assertThat(done(journal.watched())).extracting(held -> held.row().id()).containsExactly("swap-1", "swap-2");
    }

    @Test
    void of_two_who_change_a_row_one_is_told_that_it_was_overtaken() {
        SwapJournal.Held held = add(1);
        done(journal.write(held, held.row().with(Acts.NONE.lock(), 5), true));
        assertThatThrownBy(() -> done(journal.write(held, held.row().with(Acts.NONE.expire(), 6), false)))
                .hasCauseInstanceOf(SwapJournal.Overtaken.class);
        assertThat(done(journal.find("swap-1")).orElseThrow().acts().expired()).isFalse();
    }

    @Test
    void a_pool_that_gives_an_id_twice_gets_no_second_row() {
        add(1);
        SwapRow again = Sample.row(2, Direction.NATIVE_TO_CHAIN);
        SwapRow repeated = SwapRow.quoted("swap-2", "pool-1", "run-1", again.terms(), Optional.empty(), 4);
        assertThat(done(journal.add(repeated, SecretBytes.copyOf(Sample.SECRET))))
                .isEmpty();
    }

    @Test
    void a_row_that_was_exchanged_for_another_is_not_believed() {
        SwapEntry one = add(1).entry();
        SwapEntry two = add(2).entry();
        done(store.swaps()
                .replace(
                        new SwapEntry(0, one.id(), 1, one.poolId(), one.hashLock(), "quoted", true, two.content(), 9)));
        assertThatThrownBy(() -> done(journal.find("swap-1"))).hasMessageContaining("holds another swap");
    }

    @Test
    void a_damaged_row_does_not_stop_the_others() {
        SwapEntry one = add(1).entry();
        SwapEntry two = add(2).entry();
        add(3);
        Bytes torn = Bytes.wrap(two.content().slice(0, two.content().length() - 1));
        done(store.swaps()
                .replace(
                        new SwapEntry(0, one.id(), 1, one.poolId(), one.hashLock(), "quoted", true, two.content(), 9)));
        done(store.swaps()
                .replace(new SwapEntry(0, two.id(), 1, two.poolId(), two.hashLock(), "quoted", true, torn, 9)));
        assertThat(done(journal.watched())).extracting(held -> held.row().id()).containsExactly("swap-3");
        assertThat(done(journal.page(Optional.empty(), Optional.empty(), 9)).rows())
                .extracting(SwapRow::id)
                .containsExactly("swap-3");
        assertThat(done(journal.ofHashLock(one.hashLock())))
                .as("nobody can look after it")
                .isEmpty();
        assertThat(done(journal.ofHashLock(Hash256.sha256(new byte[] {3})))).isPresent();
    }

    @Test
    void the_height_of_the_end_comes_back_with_its_row() {
        SwapRow ended = Sample.row(1, Direction.CHAIN_TO_NATIVE)
                .with(Acts.NONE.expire(), 5)
                .at(OptionalLong.of(-2), 6);
        try (SecretBytes secret = SecretBytes.copyOf(Sample.SECRET);
                SecretBytes content = SwapCodec.encode(ended, secret)) {
            assertThat(SwapCodec.decode(content).row()).isEqualTo(ended);
        }
    }

    @Test
    void pages_go_from_the_newest_to_the_oldest_without_a_gap() {
        for (int n = 1; n <= 5; n++) {
            add(n);
        }
        List<String> seen = new ArrayList<>();
        Optional<Long> below = Optional.empty();
        do {
            SwapJournal.Page page = done(journal.page(Optional.of(SwapStatus.QUOTED), below, 2));
            page.rows().forEach(row -> seen.add(row.id()));
            below = page.next();
        } while (below.isPresent());
        assertThat(seen).containsExactly("swap-5", "swap-4", "swap-3", "swap-2", "swap-1");
        assertThat(done(journal.page(Optional.of(SwapStatus.LOST), Optional.empty(), 2))
                        .rows())
                .isEmpty();
    }

    @Test
    void the_secret_is_nowhere_in_the_files_or_in_a_text() throws Exception {
        SwapJournal.Held held = add(1);
        close();
        Traces traces = new Traces().bytes("secret", Sample.SECRET);
        assertThat(traces.in(held.toString())).isEmpty();
        assertThat(traces.under(folder)).isEmpty();
        open();
    }
}
