package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The tables of a book. Rows contain the heights of the blocks that created and spent them, so that undoing to a height is a delete and an update by
 * range. They also contain the number of their scan, {@link Page#scan}, so that rows found by a rescan stay separate until it joins.
 *
 * <p>All methods except {@link #name}, {@link #steps} and {@link #onServer} run on the writer's thread inside the commit of the blocks, and see
 * earlier changes of the same commit.
 *
 * @param <V> data that the book needs while it reads a block
 * @param <C> a change of the book
 */
public interface BookTable<V, C> {
    /** Returns the book's name, which is unique and never changes: the version of the tables is recorded under it. */
    String name();

    /** Returns the statements that create the tables, step by step. A step is never edited once released: a new version appends one. */
    List<List<String>> steps();

    /**
     * Returns statements for what a server needs in addition to the result of {@link #steps}, such as triggers and initial rows, in its SQL dialect.
     */
    default List<String> onServer() {
        return List.of();
    }

    /** Returns the data that the book needs, from the rows of this page's scan. */
    V view(Page page);

    void write(Page page, C change);

    /**
     * Begins a generation of feed numbers, which are higher than all numbers assigned before, including those that the database has lost. Runs in
     * the commit that begins a run of background work; does nothing when both parameters equal those of the previous run.
     *
     * @param start number of the last start of a daemon
     * @param timeline of the server; increases with each fail-over
     */
    default void beginGeneration(Page head, long start, long timeline) {}

    /** Ends the generations of a server, in a file into which its rows were moved. */
    default void leaveServer(Page head) {}

    /** Prepares for following the chain; the first block to be read is the one above {@code height}. */
    default void begin(Page page, long height) {}

    /**
     * Prepares for following a different chain, which shares no block with the previous one, from above {@code height}.
     *
     * @return the lowest height about which the book has reported anything; empty when nothing was reported
     */
    default OptionalLong beginAnew(Page head, long height) {
        undo(head, -1);
        begin(head, height);
        return OptionalLong.empty();
    }

    /**
     * Returns the height of the first block that must be read again because the book has not reported all of it; empty when there is none.
     *
     * @param underway running rescan, which will report the blocks it reads
     */
    default OptionalLong unread(Page head, Optional<ScanRow> underway) {
        return OptionalLong.empty();
    }

    /** Undoes the changes by blocks above {@code height} in the rows of this page's scan; called before these blocks' own rows are deleted. */
    void undo(Page page, long height);

    /**
     * Moves the rows of this page's scan to the head ({@link Page#HEAD}), which is at the same block. Rows that the head already has are identical.
     */
    void join(Page page);

    /** Deletes the rows of this page's scan. */
    void drop(Page page);
}
