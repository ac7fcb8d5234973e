package org.chainwalletd.follow;

import java.util.List;
import org.chainwalletd.store.books.BookTable;

/**
 * Index that is kept from blocks. A pure function of the block and of what was written before: it uses no clock, calls nothing outside, and keeps
 * no state between two blocks except in its tables. The changes of all books for a block are one commit.
 *
 * @param <V> view for look-ups
 * @param <C> one change
 */
public interface Book<V, C> {
    BookTable<V, C> table();

    /** Returns the changes that {@code block} makes. Its parent must be the block connected last. */
    List<C> connect(ChainBlock block, V view);
}
