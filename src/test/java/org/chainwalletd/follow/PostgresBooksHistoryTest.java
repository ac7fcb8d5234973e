package org.chainwalletd.follow;

import org.chainwalletd.store.postgres.BooksPlaces;
import org.junit.jupiter.api.Tag;

/**
 * The books of the daemon on a database server, and the reference books too. Sometimes another daemon takes them over while the previous one
 * continues to follow, like one that was paused and does not know of it.
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
