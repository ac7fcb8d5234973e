package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Moving books from a file to a database and back, and a database that goes back in time: no reader of a feed misses anything. */
@Tag("postgres")
@Walks(CrashPoint.BOOKS_MOVED)
class PostgresBooksMoveTest {
    private static final Path FROZEN = Path.of("src/test/resources/frozen");
    private static final Address OURS =
            Address.of(Hash256.sha256(new byte[] {1}).toArray());

    @TempDir
    Path folder;

    private final BooksSample sample = new BooksSample();
    private final SharedStores database = new SharedStores();

    @AfterEach
    void watchNoMore() {
        CrashPoint.watch(null);
    }

    private Path file() {
        return folder.resolve(Books.FILE_NAME);
    }

    private Books opened(Path datadir) {
        Books books = database.openBooks(datadir, sample.tables());
        Await.result(books.beginRun());
        return books;
    }

    private static String expected(String version, String name) throws IOException {
        return Files.readString(FROZEN.resolve(version).resolve("books").resolve(name));
    }

    private void tellsTheSample(Books books) throws IOException {
        assertThat(sample.read(books, 4, 1)).isEqualTo(expected("v13", "expected.txt"));
        sample.goOn(books);
        assertThat(sample.read(books, 4, 2)).isEqualTo(expected("v13", "later.txt"));
    }

    private void writeFile() {
        try (Books books = Books.open(folder, sample.tables())) {
            sample.write(books);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "v10, unlisted.txt, unlisted-later.txt",
        "v11, unlisted.txt, unlisted-later.txt",
        "v12, unlisted.txt, unlisted-later.txt",
        "v13, expected.txt, later.txt"
    })
    void a_file_of_any_release_becomes_the_books_of_the_database_with_all_that_it_tells_and_they_continue(
            String version, String now, String later) throws IOException {
        Files.copy(FROZEN.resolve(version).resolve("books").resolve(Books.FILE_NAME), file());

        try (Books books = opened(folder)) {
            assertThat(sample.read(books, 4, 1)).isEqualTo(expected(version, now));
            sample.goOn(books);
            assertThat(sample.read(books, 4, 2)).isEqualTo(expected(version, later));
        }
        try (Books books = opened(folder)) {
            assertThat(sample.read(books, 4, 2)).isEqualTo(expected(version, later));
        }
        try (var left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void a_cursor_that_the_file_has_given_continues_in_the_database_without_a_gap_and_without_a_repeat() {
        writeFile();
        List<CreditCursor> fromFile = new ArrayList<>();
        List<List<CreditEvent>> inFile = new ArrayList<>();
        try (Books books = Books.open(folder, sample.tables())) {
            for (int depth = 0; depth < 3; depth++) {
                fromFile.add(fromTheBeginning(books, 4, depth, 2).cursor());
            }
            fromFile.forEach(cursor -> inFile.add(events(books, 4, cursor)));
        }

        try (Books books = opened(folder)) {
            for (int depth = 0; depth < 3; depth++) {
                String text = fromFile.get(depth).text();
                String store = Await.result(feed(books, 4).store());
                CreditCursor cursor =
                        CreditCursor.parse(text, store, depth, Optional.empty()).orElseThrow();
                assertThat(events(books, 4, cursor)).isEqualTo(inFile.get(depth));
            }
        }
    }

    @Test
    void the_books_remember_the_commit_of_the_money_store_that_the_file_remembers() {
        CommitMark mark = new CommitMark("00112233445566778899aabbccddeeff", 7, 5);
        try (Books books = Books.open(folder, sample.tables())) {
            books.remember(() -> Optional.of(mark));
            sample.write(books);
        }

        opened(folder).close();

        assertThat(Books.remembered(database)).contains(mark);
    }

    @Test
    void a_number_that_the_file_has_given_to_a_pruned_entry_is_given_to_no_other() throws SQLException {
        writeFile();
        run("DELETE FROM credit_log");

        try (Books books = opened(folder)) {
            long last = Await.result(feed(books, 4).now(0, Optional.empty())).log();
            sample.goOn(books);
            assertThat(last).isZero();
            assertThat(fromTheBeginning(books, 4, 0, 100).events()).isNotEmpty().allMatch(event -> event.number() > 9);
        }
    }

    /** Modifies the file in ways that no daemon does. */
    private void run(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement one = connection.createStatement()) {
            one.execute(statement);
        }
    }

    @Test
    void a_daemon_that_dies_before_the_file_is_deleted_finds_the_books_in_the_database_and_deletes_it(
            @TempDir Path left) throws IOException {
        writeFile();
        CrashPoint.watch(point -> {
            if (point == CrashPoint.BOOKS_MOVED) {
                copy(file(), left.resolve(Books.FILE_NAME));
            }
        });
        opened(folder).close();
        CrashPoint.watch(null);

        try (Books books = opened(left)) {
            assertThat(left.resolve(Books.FILE_NAME)).doesNotExist();
            tellsTheSample(books);
        }
    }

    private static void copy(Path from, Path to) {
        try {
            Files.copy(from, to);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_move_whose_commit_gets_no_answer_is_made_once_by_the_next_start(boolean arrives) throws IOException {
        writeFile();
        database.losesTheOpening(folder, sample.tables(), arrives);
        assertThat(file()).exists();

        try (Books books = opened(folder)) {
            assertThat(file()).doesNotExist();
            tellsTheSample(books);
        }
    }

    @Test
    void a_file_that_cannot_be_moved_stays_and_nothing_of_it_is_in_the_database() throws Exception {
        writeFile();
        run("UPDATE coins SET height = 'high' WHERE id = 1");
        assertThatThrownBy(() -> opened(folder)).isInstanceOf(StoreException.class);
        assertThat(file()).exists();
        run("UPDATE coins SET height = 1 WHERE id = 1");

        try (Books books = opened(folder)) {
            tellsTheSample(books);
        }
    }

    /** Commit of the money store that is recorded by a move back. */
    private static final CommitMark MOVED = new CommitMark("00112233445566778899aabbccddeeff", 7, 5);

    private Path movedBack() {
        Path back = folder.resolve("back");
        assertThat(Books.requireMovable(database, sample.tables())).isTrue();
        assertThat(Books.moveBack(database, back, sample.tables(), MOVED).orElseThrow())
                .isPositive();
        return back;
    }

    @Test
    void books_that_become_a_file_again_tell_what_they_have_told_and_continue_also_in_the_next_database()
            throws IOException {
        assertThat(Books.requireMovable(database, sample.tables())).isFalse();
        assertThat(Books.moveBack(database, folder, sample.tables(), MOVED)).isEmpty();
        writeFile();
        List<CreditCursor> given = new ArrayList<>();
        String store;
        try (Books books = opened(folder)) {
            store = Await.result(feed(books, 4).store());
            for (int depth = 0; depth < 3; depth++) {
                given.add(fromTheBeginning(books, 4, depth, 2).cursor());
            }
        }

        Path back = movedBack();

        assertThat(Books.remembered(back)).contains(MOVED);
        try (Books books = Books.open(back, sample.tables());
                Books before = opened(folder)) {
            assertThat(Await.result(feed(books, 4).store())).isEqualTo(store);
            for (CreditCursor cursor : given) {
                assertThat(events(books, 4, cursor)).isNotEmpty().isEqualTo(events(before, 4, cursor));
            }
            assertThat(sample.read(books, 4, 1)).isEqualTo(expected("v13", "expected.txt"));
        }
        try (Books books = new SharedStores().openBooks(back, sample.tables())) {
            Await.result(books.beginRun());
            tellsTheSample(books);
        }
    }

    @Test
    void books_continue_in_the_file_as_they_would_have_in_the_database() throws IOException {
        writeFile();
        opened(folder).close();

        try (Books books = Books.open(movedBack(), sample.tables())) {
            tellsTheSample(books);
        }
    }

    @Test
    void a_number_that_the_database_has_given_to_a_pruned_entry_is_not_given_by_the_file() {
        writeFile();
        opened(folder).close();
        database.run("DELETE FROM credit_log");

        try (Books books = Books.open(movedBack(), sample.tables())) {
            sample.goOn(books);
            assertThat(fromTheBeginning(books, 4, 0, 100).events()).isNotEmpty().allMatch(event -> event.number() > 9);
        }
    }

    @Test
    void books_that_lack_a_commit_or_are_of_another_release_are_not_moved_back() {
        writeFile();
        opened(folder).close();
        database.run("UPDATE books SET stopped = 'they lack commit 7'");
        assertThatThrownBy(() -> Books.requireMovable(database, sample.tables()))
                .hasMessageContaining("they lack commit 7");
        database.run("UPDATE books SET stopped = NULL");
        database.run("UPDATE book_versions SET version = version + 1 WHERE book = 'credits'");
        assertThatThrownBy(() -> Books.requireMovable(database, sample.tables()))
                .hasMessageContaining("another release");
    }

    /** The next server counts daemon starts from the beginning, while entry numbers continue. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void a_cursor_of_forgotten_commits_misses_nothing_in_a_database_to_which_the_file_was_moved_again(int depth) {
        for (int start = 1; start <= 4; start++) {
            started(database, Books::epoch);
        }
        Path back = movedBack();
        SharedStores next = new SharedStores();
        CreditCursor cursor = started(
                next, () -> next.openBooks(back, sample.tables()), books -> cursorOfLostBlocks(next, books, depth));
        next.putBack();

        started(next, books -> isToldAnew(books, cursor, depth));
    }

    private static CreditFeed feed(Books books, long top) {
        return new CreditFeed(books, () -> Optional.of(place(top, 0)));
    }

    private static CreditFeed.Batch fromTheBeginning(Books books, long top, int depth, int most) {
        CreditFeed feed = feed(books, top);
        return Await.result(feed.read(Await.result(feed.beginning(depth, Optional.empty())), true, most));
    }

    private static List<CreditEvent> events(Books books, long top, CreditCursor cursor) {
        return Await.result(feed(books, top).read(cursor, true, 100)).events();
    }

    /** Starts a daemon on an intact database; it does the background work. */
    private <T> T started(SharedStores on, Function<Books, T> work) {
        return started(on, () -> on.openBooks(sample.tables()), work);
    }

    private <T> T started(SharedStores on, Supplier<Books> opening, Function<Books, T> work) {
        try (Store store = on.open();
                Books books = opening.get()) {
            assertThat(store.stopped()).isEmpty();
            Await.result(books.beginRun());
            return work.apply(books);
        }
    }

    private void block(Books books, long height, int branch) {
        BlockPlace place = place(height, branch);
        Await.result(books.epoch().write(session -> {
            BlockRows.put(
                    session.head(),
                    new BlockRow(
                            height, place.blockId(), place(height - 1, branch).blockId(), height, Hash256.ZERO, true));
            sample.credit(
                    session.head(),
                    new Credit(
                            new Outpoint(place.blockId(), 0),
                            OURS,
                            Amount.of(5_000 + height),
                            place,
                            1,
                            false,
                            false,
                            false,
                            Optional.empty()));
            return null;
        }));
    }

    private void blocks(Books books, int first, int last, int branch) {
        for (int height = first; height <= last; height++) {
            block(books, height, branch);
        }
    }

    private static BlockPlace place(long height, int branch) {
        return new BlockPlace(height, Hash256.sha256(new byte[] {(byte) height, (byte) branch}));
    }

    /** Adds different blocks in place of the lost ones, and checks that they are reported. */
    private Void isToldAnew(Books books, CreditCursor cursor, int depth) {
        blocks(books, 6, 8, 1);
        assertThat(blocks(books, cursor)).contains(placesUpTo(8 - Math.max(0, depth - 1)));
        return null;
    }

    /** Follows nine blocks, the last four of which the database loses when it goes back. */
    private CreditCursor cursorOfLostBlocks(SharedStores server, Books books, int depth) {
        blocks(books, 1, 5, 0);
        server.backUp();
        blocks(books, 6, 9, 0);
        return fromTheBeginning(books, 9, depth, 100).cursor();
    }

    /** The database has lost blocks that were followed; the chain now has different blocks, with fewer or more credits and other numbers. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void a_cursor_of_commits_that_the_database_has_forgotten_is_told_everything_that_is_entered_after_them(int depth) {
        CreditCursor cursor = started(database, books -> cursorOfLostBlocks(database, books, depth));
        database.putBack();

        started(database, books -> isToldAnew(books, cursor, depth));
    }

    /** No daemon starts: a running one takes over from the daemon that made the lost commits. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void a_cursor_of_blocks_that_a_fail_over_has_lost_is_told_those_that_another_daemon_enters_instead(int depth) {
        try (Store store = database.open()) {
            assertThat(store.stopped()).isEmpty();
        }
        try (Books successor = database.openBooks(sample.tables())) {
            CreditCursor cursor;
            try (Books books = database.openBooks(sample.tables())) {
                Await.result(books.beginRun());
                cursor = cursorOfLostBlocks(database, books, depth);
            }
            database.putBack();
            database.promote();
            Await.result(successor.beginRun());
            isToldAnew(successor, cursor, depth);
            CreditCursor now = Await.result(feed(successor, 8).now(depth, Optional.empty()));
            Await.result(successor.beginRun());
            assertThat(blocks(successor, now)).as("nothing is told twice").isEmpty();
        }
    }

    private static List<BlockPlace> blocks(Books books, CreditCursor cursor) {
        return events(books, 8, cursor).stream()
                .map(event -> event.credit().block())
                .toList();
    }

    private static BlockPlace[] placesUpTo(long deepest) {
        return LongStream.rangeClosed(6, deepest)
                .mapToObj(height -> place(height, 1))
                .toArray(BlockPlace[]::new);
    }

    @Test
    void a_daemon_that_has_seen_a_commit_which_is_missing_stops_the_books_although_another_one_made_it() {
        try (Books reader = database.openBooks(sample.tables());
                Books books = database.openBooks(sample.tables())) {
            List<Long> seen = new CopyOnWriteArrayList<>();
            Runnable end = reader.whenChanged(head -> seen.add(head.commit()));
            Await.result(books.beginRun());
            block(books, 1, 0);
            Await.until("it is seen", () -> seen.contains(2L));
            database.run("DELETE FROM book_commits WHERE number > 1");

            Await.until("the loss is seen", () -> seen.get(seen.size() - 1) == 1);
            assertThatThrownBy(() -> Await.result(reader.write(session -> null)))
                    .hasMessageContaining("lack commit 2");
            end.run();
            try (Books started = database.openBooks(sample.tables())) {
                Await.result(started.write(session -> null));
            }
        }
    }

    @Test
    void a_start_repeats_nothing_to_a_cursor_of_the_run_before() {
        started(database, books -> {
            blocks(books, 1, 5, 0);
            return null;
        });
        for (int depth = 0; depth < 3; depth++) {
            CreditCursor cursor;
            try (Books books = database.openBooks(sample.tables())) {
                cursor = fromTheBeginning(books, 5, depth, 100).cursor();
            }
            List<CreditEvent> repeated = started(database, books -> events(books, 5, cursor));
            assertThat(repeated).isEmpty();
        }
    }
}
