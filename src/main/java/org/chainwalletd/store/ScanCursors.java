package org.chainwalletd.store;

import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** How far somebody has read a chain that this store keeps no books of. Stages fail with {@link StoreException}. */
public interface ScanCursors {
    /** The last block that was read in full; empty before the first. */
    CompletionStage<OptionalLong> of(String scan);

    /** Everything up to {@code block} was read. A cursor never goes back: a lower block than the one that is known changes nothing. */
    CompletionStage<Void> move(String scan, long block);
}
