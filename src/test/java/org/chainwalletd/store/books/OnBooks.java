package org.chainwalletd.store.books;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Base of tests of the books' tables, in a file or where a subclass puts them. */
public abstract class OnBooks {
    protected final BooksPlaces places = places();

    @TempDir
    protected Path folder;

    @AutoClose
    protected Books file;

    protected BooksPlaces places() {
        return BooksPlaces.FILES;
    }

    protected abstract List<? extends BookTable<?, ?>> tables();

    @BeforeEach
    void openBooks() {
        file = places.open(folder, tables());
    }

    protected void reopen() {
        file.close();
        openBooks();
    }

    /** Returns the books of the daemon that is queried, which is not always the one that writes blocks. */
    protected Books another() {
        return file;
    }

    /** Runs a unit of work on the head. */
    protected void write(Consumer<Page> work) {
        Await.result(file.write(session -> {
            work.accept(session.head());
            return null;
        }));
    }

    /** Undoes the blocks above this height. */
    protected void undo(long height) {
        write(head -> {
            tables().forEach(table -> table.undo(head, height));
            BlockRows.undo(head, height);
        });
    }
}
