package org.chainwalletd.store;

import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

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
public record SwapEntry(
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
