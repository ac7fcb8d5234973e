package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The tables of a book. Rows name the block that made them and the block that spent them, so that undoing to a height is one delete and one
 * update by range; and they carry the number of their scan, {@link Page#scan}, so that the rows found by a rescan stay apart until it joins.
 *
 * <p>All methods but {@link #name} and {@link #steps} run on the writer's thread inside the commit of the blocks, and see what earlier changes of
 * the same commit have written.
 *
 * @param <V> data that the book may look up while it reads a block
 * @param <C> a change of the book
 */
public interface BookTable<V, C> {
    /** Returns the book's name, unique and never changed: under it the file records the version of the tables. */
    String name();

    /** Returns the statements that create the tables, step by step. A step is never edited once released: a new version appends one. */
    List<List<String>> steps();

    /**
     * Returns the statements that make what the tables need on a server beside what {@link #steps} leaves: triggers and first rows, in its
     * language.
     */
    default List<String> onServer() {
        return List.of();
    }

    /** Returns the data that the book may look up, from the rows of this page's scan. */
    V view(Page page);

    void write(Page page, C change);

    /**
     * Begins a generation of numbers by which readers go on: higher than all that were given, also by a database that has gone back since and has
     * forgotten some. Runs in the commit that begins a run of background work; nothing when both numbers are those of the run before.
     *
     * @param start number of the last start of a daemon
     * @param timeline of the server, which a fail-over raises
     */
    default void beginGeneration(Page head, long start, long timeline) {}

    /** Ends the generations that a server has begun, in a file into which its rows were moved. */
    default void leaveServer(Page head) {}

    /** Prepares for following the chain; the first block that is read is the one above {@code height}. */
    default void begin(Page page, long height) {}

    /**
     * Prepares for following again, above {@code height} of a chain that shares no block with the one before.
     *
     * @return the lowest height about which the book has reported anything; empty when about none
     */
    default OptionalLong beginAnew(Page head, long height) {
        undo(head, -1);
        begin(head, height);
        return OptionalLong.empty();
    }

    /**
     * Returns the first block that must be read again because the book has not reported everything in it; empty when there is none.
     *
     * @param underway rescan that will report the blocks it reads
     */
    default OptionalLong unread(Page head, Optional<ScanRow> underway) {
        return OptionalLong.empty();
    }

    /** Undoes the changes by blocks above {@code height} in the rows of this page's scan, before the rows of these blocks are deleted. */
    void undo(Page page, long height);

    /**
     * Turns the rows of this page's scan into rows of the head ({@link Page#HEAD}), which stands at the same block. Rows that the head already
     * has are the same and stay.
     */
    void join(Page page);

    /** Deletes the rows of this page's scan. */
    void drop(Page page);
}
