package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * The swap journal. A row changes only from the version that its writer has read: of two writers one loses, and looks again. Stages fail
 * with {@link StoreException}.
 */
public interface SwapStore {
    /**
     * Adds a row of version 0. Empty, and nothing written, when its id, its hash lock or the pool's id of it is there already: a pool that
     * gives an id twice, or a secret that would be used twice.
     */
    CompletionStage<Optional<SwapEntry>> add(SwapEntry entry);

    /** Replaces the row of this id by {@code entry}, whose version is one above the row's; false when it is not. */
    CompletionStage<Boolean> replace(SwapEntry entry);

    CompletionStage<Optional<SwapEntry>> find(String id);

    CompletionStage<Optional<SwapEntry>> ofHashLock(Hash256 hashLock);

    /** All that are looked after, oldest first. */
    CompletionStage<List<SwapEntry>> watched();

    /** The newest row of all, whose seal the next ones share. */
    CompletionStage<Optional<SwapEntry>> newest();

    /**
     * Newest first.
     *
     * @param status only these; empty for all
     * @param below only numbers below it
     */
    CompletionStage<List<SwapEntry>> page(Optional<String> status, long below, int limit);

    /** Removes rows of this status that are not looked after and have not changed since {@code updatedBefore}; answers how many. */
    CompletionStage<Integer> remove(String status, long updatedBefore);

    /**
     * A row of the swap journal. What it says in clear is what anybody may read; the rest, with the secret, is sealed.
     *
     * @param number in the order of the quotes; given by the store, 0 before
     * @param version counts the changes; 0 for a new row
     * @param poolId the pool's id of the swap
     * @param status what callers filter by
     * @param watched whether the daemon still looks after it
     * @param content sealed
     * @param updatedAt Unix seconds
     */
    record SwapEntry(
            long number,
            String id,
            long version,
            String poolId,
            Hash256 hashLock,
            String status,
            boolean watched,
            Bytes content,
            long updatedAt) {

        SwapEntry numbered(long given) {
            return new SwapEntry(given, id, version, poolId, hashLock, status, watched, content, updatedAt);
        }
    }
}
