package org.chainwalletd.watch;

/** Where a board is shown. Used by one thread, except for {@link #close}, which comes last. */
interface Surface extends AutoCloseable {
    /** The board has changed, or its clock went on. */
    void show(Board board);

    /** Something happened, told in the order in which it did. */
    void happened(Board.Happening happening);

    /** There is another number of lines or columns. */
    default void resized() {}

    @Override
    void close();
}
