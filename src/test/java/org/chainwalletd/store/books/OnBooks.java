package org.chainwalletd.store.books;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Base of tests of the books' tables, in a file unless the class is marked. */
public abstract class OnBooks {
    /** Marks a class whose books are on the server of the test JVM. */
    public interface OnServer {}

    /** Marks a class whose queries go to another daemon than the one that writes blocks. */
    public interface AtAnotherDaemon extends OnServer {}

    protected final BooksPlaces places = this instanceof OnServer ? BooksPlaces.onServer() : BooksPlaces.FILES;

    @TempDir
    protected Path folder;

    @AutoClose
    protected Books file;

    private Books other;

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
        if (!(this instanceof AtAnotherDaemon)) {
            return file;
        }
        other = places.open(folder, tables());
        return other;
    }

    @AfterEach
    void closeOther() {
        if (other != null) {
            other.close();
        }
    }

    /** Adds the row of a block with checked work whose timestamp is its height. */
    protected static void put(Page page, BlockPlace place) {
        BlockRows.put(
                page, new BlockRow(place.height(), place.blockId(), Hash256.ZERO, place.height(), Hash256.ZERO, true));
    }

    /** Joins a rescan of all blocks that has found these changes. */
    protected <C> void rescanned(BookTable<?, C> table, List<? extends C> changes) {
        write(head -> {
            BlockRows.beginScan(head, 1);
            Page scan = head.session().page(BlockRows.scans(head).get(0).scan());
            changes.forEach(change -> table.write(scan, change));
            table.join(scan);
            BlockRows.endScan(scan);
        });
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
