package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Htlcs.Htlc;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;

/**
 * Source of records for the HTLC methods. The local index answers for the daemon's own keys; a source that also queries an indexer answers the same
 * queries and prefers local records. Stages fail with {@link org.chainwalletd.store.StoreException}.
 */
public interface HtlcRecords {
    CompletionStage<Optional<HtlcRecord>> status(Outpoint lock);

    CompletionStage<Listing> list(Query query);

    /** Returns all records with a hash lock, including decoys, in the order of listings. */
    CompletionStage<List<HtlcRecord>> ofHashLock(Hash256 hashLock);

    /**
     * Filter and page of a listing, in ascending order of (lock height, lock transaction id, output index), locks in no block last.
     *
     * @param sinceHeight only locks in blocks of this height (unsigned) or higher
     * @param address only HTLCs of which it is a party
     * @param cursor from a previous listing; its text is not validated yet
     * @param limit at least 1
     */
    record Query(
            Set<Htlcs.Role> roles,
            Set<Htlcs.State> states,
            OptionalLong sinceHeight,
            Optional<Address> address,
            Optional<String> cursor,
            int limit) {
        public Query {
            roles = Set.copyOf(roles);
            states = Set.copyOf(states);
        }
    }

    /** @param nextCursor empty on the last page */
    record Listing(List<HtlcRecord> records, Optional<String> nextCursor) {
        public Listing {
            records = List.copyOf(records);
        }
    }

    /**
     * HTLC as returned to callers (interface.md, section 2.8; decisions.md, section 3).
     *
     * @param lockHeight empty while the lock is in no block
     * @param claim including one that is in no block yet; the state changes only with its block
     * @param lastIndexedHeight height of the followed tip, 0 before the first block
     */
    record HtlcRecord(
            Outpoint lock,
            HtlcParams params,
            Amount amount,
            OptionalLong lockHeight,
            Htlcs.State state,
            Optional<Htlc.Claim> claim,
            Optional<Htlc.Reclaim> reclaim,
            Htlcs.Role role,
            long lastIndexedHeight) {
        /** Tests whether a key of its parties is still needed. */
        public boolean isOpen() {
            return state == Htlcs.State.LOCKED || state == Htlcs.State.LOCKED_EXPIRED;
        }
    }
}
