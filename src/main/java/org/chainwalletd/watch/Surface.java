package org.chainwalletd.watch;

/** Output of a board. Used by one thread, except for {@link #close}, which comes last. */
interface Surface extends AutoCloseable {
    /** Shows the board, which has changed, or whose clock went on. */
    void show(Board board);

    /** Shows an event; called in the order in which they happened. */
    void happened(Board.LogEntry entry);

    /** Adapts to another number of lines or columns. */
    default void resized() {}

    @Override
    void close();
}
