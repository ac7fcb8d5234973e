package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.chainwalletd.store.books.htlc.HtlcChanges;
import org.chainwalletd.store.books.htlc.HtlcChangesTest;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests of the books, on a server. Tests with random chains are in the packages of the writers of the books. */
@Tag("postgres")
class PostgresBooksContractTest {
    @TempDir
    Path folder;

    /** Rows of every kind give the same query results as in a file. */
    @Test
    void the_sample_of_all_books_is_told_as_from_a_file_also_after_they_are_opened_again() throws IOException {
        BooksSample sample = new BooksSample();
        BooksPlaces places = BooksPlaces.onServer();
        Path frozen = Path.of("src/test/resources/frozen/v13/books");
        try (Books books = places.open(folder, sample.tables())) {
            sample.write(books);
            assertThat(sample.read(books, 4, 1)).isEqualTo(Files.readString(frozen.resolve("expected.txt")));
            try (Books other = places.open(folder, sample.tables())) {
                assertThat(sample.read(other, 4, 1))
                        .as("at another daemon")
                        .isEqualTo(Files.readString(frozen.resolve("expected.txt")));
            }
        }
        try (Books books = places.open(folder, sample.tables())) {
            assertThat(sample.read(books, 4, 1)).isEqualTo(Files.readString(frozen.resolve("expected.txt")));
            sample.goOn(books);
            assertThat(sample.read(books, 4, 2)).isEqualTo(Files.readString(frozen.resolve("later.txt")));
        }
    }

    @Nested
    class Blocks extends BlockRowsTest implements OnBooks.OnServer {}

    @Nested
    class Coins extends CoinReadingTest implements OnBooks.OnServer {}

    @Nested
    class Flow extends MoneyFlowTest implements OnBooks.OnServer {}

    @Nested
    class Feed extends CreditFeedTest implements OnBooks.OnServer {}

    @Nested
    class CoinsAtAnotherDaemon extends CoinReadingTest implements OnBooks.AtAnotherDaemon {}

    @Nested
    class FlowAtAnotherDaemon extends MoneyFlowTest implements OnBooks.AtAnotherDaemon {}

    @Nested
    class Filter extends LedgerFilterTest implements OnBooks.OnServer {}

    @Nested
    class Spendings extends SpendingBooksTest implements OnBooks.OnServer {}

    @Nested
    class Credits extends CreditCacheTest implements OnBooks.OnServer {}

    @Nested
    class Htlcs extends HtlcChangesTest implements OnBooks.OnServer {
        /** Each daemon notifies its own clients, from its own position in the log. */
        @Test
        void changes_that_one_daemon_has_told_and_dropped_are_still_told_by_another_one() {
            try (Books other = places.open(folder, List.of(table))) {
                long before = Await.result(other.read(session -> HtlcChanges.last(session.head())));
                write(lock(10));
                write(head -> HtlcChanges.drop(head, HtlcChanges.last(head)));

                List<HtlcChanges.Change> told =
                        Await.result(other.read(session -> HtlcChanges.after(session.head(), before, 9)));
                assertThat(told)
                        .singleElement()
                        .satisfies(change -> assertThat(change.row()).isPresent());
            }
        }
    }
}
