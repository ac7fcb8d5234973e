package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * The swap journal. Optimistic locking: a row is replaced only by a writer that has read its newest version; the losing one of two concurrent
 * writers reads again. Stages fail with {@link StoreException}.
 */
public interface SwapStore {
    /**
     * Adds a row of version 0. Returns empty, and writes nothing, when its id, hash lock or pool id already exists: the pool has issued an id twice,
     * or a secret would be used twice.
     */
    CompletionStage<Optional<SwapEntry>> add(SwapEntry entry);

    /** Replaces the row with this id by {@code entry}, whose version must be the row's plus one; otherwise returns false and writes nothing. */
    CompletionStage<Boolean> replace(SwapEntry entry);

    CompletionStage<Optional<SwapEntry>> find(String id);

    CompletionStage<Optional<SwapEntry>> ofHashLock(Hash256 hashLock);

    /** Lists the swaps that the daemon is still working on, oldest first. */
    CompletionStage<List<SwapEntry>> watched();

    /** Returns the newest row, so that the next rows can share the salt of its encryption. */
    CompletionStage<Optional<SwapEntry>> newest();

    /**
     * Lists rows, newest first.
     *
     * @param status only rows with it; empty for all
     * @param below number below which the listing starts
     * @param limit upper limit of the listing
     */
    CompletionStage<List<SwapEntry>> page(Optional<String> status, long below, int limit);

    /**
     * Removes rows with this status that the daemon has finished working on and that have not changed since {@code updatedBefore} (Unix seconds);
     * returns their number.
     */
    CompletionStage<Integer> remove(String status, long updatedBefore);

    /**
     * A row of the swap journal. {@code content}, which includes the secret, is sealed; the other fields are stored in clear.
     *
     * @param number in the order of the quotes; assigned by the store, 0 before that
     * @param version counts the changes; 0 for a new row
     * @param poolId the pool's id of the swap
     * @param status state by which callers filter
     * @param watched whether the daemon is still working on the swap
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

        public SwapEntry numbered(long given) {
            return new SwapEntry(given, id, version, poolId, hashLock, status, watched, content, updatedAt);
        }
    }
}
