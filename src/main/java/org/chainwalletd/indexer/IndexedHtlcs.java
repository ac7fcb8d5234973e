package org.chainwalletd.indexer;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * The HTLCs of the whole chain as an indexer knows them, for those who keep records of the daemon's own ({@link HtlcMerge}). Hearsay:
 * nothing that moves funds rests on it without the node's own evidence.
 */
public interface IndexedHtlcs {
    /** Without an indexer nothing is known. */
    IndexedHtlcs NONE = new IndexedHtlcs() {
        @Override
        public CompletionStage<Optional<IndexedHtlc>> htlc(Outpoint lock) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletionStage<Page<IndexedHtlc>> htlcs(HtlcQuery query) {
            return CompletableFuture.completedFuture(new Page<>(List.of(), null));
        }

        @Override
        public CompletionStage<List<IndexedHtlc>> htlcsByHashLock(Hash256 hashLock) {
            return CompletableFuture.completedFuture(List.of());
        }
    };

    /** The HTLC at an outpoint; empty when the indexer has none there. */
    CompletionStage<Optional<IndexedHtlc>> htlc(Outpoint lock);

    /** Ascending by lock height, lock transaction id and index. */
    CompletionStage<Page<IndexedHtlc>> htlcs(HtlcQuery query);

    CompletionStage<List<IndexedHtlc>> htlcsByHashLock(Hash256 hashLock);
}
