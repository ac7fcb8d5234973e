package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * Where the HTLC methods read. The local index answers for the daemon's own keys; a source that also asks an indexer answers through the
 * same questions and lets the local record win wherever there is one. Stages fail with {@link org.chainwalletd.store.StoreException}.
 */
public interface HtlcRecords {
    CompletionStage<Optional<HtlcRecord>> status(Outpoint lock);

    CompletionStage<Listing> list(Query query);

    /** All that commit to a hash lock, decoys among them, in the order of listings. */
    CompletionStage<List<HtlcRecord>> ofHashLock(Hash256 hashLock);

    /**
     * Which records are wanted, in ascending order of (lock height, lock transaction id, output index), locks in no block last.
     *
     * @param sinceHeight only locks in blocks of this height (unsigned) or higher
     * @param address only those of which it is a party
     * @param cursor from a previous listing; its text is not checked yet
     * @param limit at least 1
     */
    record Query(
            Set<HtlcRecord.Role> roles,
            Set<HtlcRecord.State> states,
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
}
