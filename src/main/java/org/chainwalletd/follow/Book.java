package org.chainwalletd.follow;

import java.util.List;
import org.chainwalletd.store.books.BookTable;

/**
 * Book that one owner keeps of each block. A pure function of the block and of what was written before: no clock, no question to anybody,
 * nothing remembered between two blocks but in the tables. The changes of all books for a block are one commit.
 *
 * @param <V> what may be looked up
 * @param <C> one change
 */
public interface Book<V, C> {
    BookTable<V, C> table();

    /** Changes that {@code block} makes, its parent being the last block that was connected. */
    List<C> connect(ChainBlock block, V view);
}
