package org.chainwalletd.store;

import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** Stores, by scan name, how far a chain without books was read. Stages fail with {@link StoreException}. */
public interface ScanCursors {
    /** Returns the height of the last block that was read in full; empty before the first. */
    CompletionStage<OptionalLong> of(String scan);

    /** Records that every block up to the height {@code block} was read. Cursors never go back: a height below the recorded one changes nothing. */
    CompletionStage<Void> move(String scan, long block);
}
