package org.chainwalletd.coins;

import org.chainwalletd.store.BooksPlaces;
import org.junit.jupiter.api.Tag;

@Tag("postgres")
class PostgresCreditBooksTest extends CreditBooksTest {
    @Override
    BooksPlaces places() {
        return BooksPlaces.onServer();
    }
}
