package org.chainwalletd.store.postgres;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.testkit.Await;

/** Opens the books in tests that are the same for both engines. */
@FunctionalInterface
public interface BooksPlaces {
    /** Opens books in files. */
    BooksPlaces FILES = Books::open;

    /** Opens books into which the caller may write blocks. */
    Books open(Path folder, List<? extends BookTable<?, ?>> tables);

    /** Returns an opener of books on the server of the test JVM, with a schema per folder. */
    static BooksPlaces onServer() {
        Map<Path, SharedStores> schemas = new HashMap<>();
        return (folder, tables) -> {
            Books books =
                    schemas.computeIfAbsent(folder, any -> new SharedStores()).openBooks(tables);
            Await.result(books.beginRun());
            return books;
        };
    }
}
