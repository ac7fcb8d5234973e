package org.chainwalletd.watch;

/** Output of a board. Used by one thread, except for {@link #close}, which is called last. */
interface Surface extends AutoCloseable {
    /** Shows the board after a change or a tick of the clock. */
    void show(Board board);

    /** Shows an event; called in order. */
    void happened(Board.LogEntry entry);

    /** Adapts to a new terminal size. */
    default void resized() {}

    @Override
    void close();
}
