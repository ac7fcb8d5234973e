package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The tables of one book. Rows name the block that made them and the block that spent them, so that undoing to a height is one delete and
 * one update by range; and they carry the number of their scan, {@link Page#scan}, so that what a rescan finds stays apart until it joins.
 *
 * <p>All methods but {@link #name} and {@link #steps} run on the writer's thread inside the commit of the blocks, and see what earlier
 * changes of the same commit have written.
 *
 * @param <V> what the book may look up while it reads a block
 * @param <C> one change of the book
 */
public interface BookTable<V, C> {
    /** Unique and for ever: under this name the file remembers the version of the tables. */
    String name();

    /** Statements that make the tables, step by step. A step is never edited once released: a new version appends one. */
    List<List<String>> steps();

    /** What the book may look up, in the rows of this page's scan. */
    V view(Page page);

    void write(Page page, C change);

    /** Following begins: the first block that is read is the one above {@code height}. */
    default void begin(Page page, long height) {}

    /**
     * Following begins once more, above {@code height} of a chain that shares no block with the one before.
     *
     * @return the lowest height of which the book has told anything; empty when of none
     */
    default OptionalLong beginAnew(Page head, long height) {
        undo(head, -1);
        begin(head, height);
        return OptionalLong.empty();
    }

    /**
     * The first block that is to be read again for something of which this book has not been told all; empty when of everything it has.
     *
     * @param underway will have told what it reads
     */
    default OptionalLong unread(Page head, Optional<ScanRow> underway) {
        return OptionalLong.empty();
    }

    /** Takes back what blocks above {@code height} have changed in the rows of this page's scan. */
    void undo(Page page, long height);

    /**
     * Makes the rows of this page's scan rows of the head ({@link Page#HEAD}), which stands at the same block. Rows that the head has
     * already are the same and stay.
     */
    void join(Page page);

    /** Deletes the rows of this page's scan. */
    void drop(Page page);
}
