package org.chainwalletd.follow;

import org.chainwalletd.store.BooksPlaces;
import org.junit.jupiter.api.Tag;

/** The books of the daemon on a server; those that they are compared with are written to a file. */
@Tag("postgres")
class PostgresBooksHistoryTest extends BooksHistoryTest {
    @Override
    BooksPlaces places() {
        return BooksPlaces.onServer();
    }

    @Override
    int histories() {
        return Integer.getInteger("books.histories", 2);
    }
}
