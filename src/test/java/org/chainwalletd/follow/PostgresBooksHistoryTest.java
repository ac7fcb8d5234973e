package org.chainwalletd.follow;

import org.chainwalletd.store.postgres.BooksPlaces;
import org.junit.jupiter.api.Tag;

/**
 * The books of the daemon on a server; those that they are compared with are written to it as well. Now and then another daemon takes them over
 * while the one before goes on following, as one does that was paused and knows nothing of it.
 */
@Tag("postgres")
class PostgresBooksHistoryTest extends BooksHistoryTest {
    @Override
    BooksPlaces places() {
        return BooksPlaces.onServer();
    }

    @Override
    boolean shared() {
        return true;
    }

    @Override
    int histories() {
        return Integer.getInteger("books.histories", 3);
    }
}
