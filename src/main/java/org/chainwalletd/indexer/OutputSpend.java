package org.chainwalletd.indexer;

import org.chainwalletd.chain.Hash256;

/**
 * Whether an output has been spent, and by what.
 *
 * @param spend null when nobody has spent it in the view of who answered
 */
public record OutputSpend(Source source, Spend spend) {
    public enum Source {
        INDEXER_CACHE,
        NODE,
        FALLBACK_UNKNOWN_METHOD
    }

    public record Spend(Hash256 txId, long inputIndex, long blockHeight) {}
}
