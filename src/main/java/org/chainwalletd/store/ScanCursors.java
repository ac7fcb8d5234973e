package org.chainwalletd.store;

import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** Stores how far a chain without books was read, by the name of the scan. Stages fail with {@link StoreException}. */
public interface ScanCursors {
    /** Returns the height of the last block that was read in full; empty before the first. */
    CompletionStage<OptionalLong> of(String scan);

    /**
     * Records that every block up to the height {@code block} was read. A cursor never goes back: a lower block than the recorded one changes
     * nothing.
     */
    CompletionStage<Void> move(String scan, long block);
}
