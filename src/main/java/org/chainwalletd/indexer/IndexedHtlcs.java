package org.chainwalletd.indexer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * The HTLCs of the whole chain as an indexer knows them, for those who keep records of the daemon's own ({@link HtlcMerge}). Hearsay:
 * nothing that moves funds rests on it without the node's own evidence.
 */
public interface IndexedHtlcs {
    /** The HTLC at an outpoint; empty when the indexer has none there. */
    CompletionStage<Optional<IndexedHtlc>> htlc(Outpoint lock);

    /** Ascending by lock height, lock transaction id and index. */
    CompletionStage<Page<IndexedHtlc>> htlcs(HtlcQuery query);

    CompletionStage<List<IndexedHtlc>> htlcsByHashLock(Hash256 hashLock);

    /** Puts what the daemon itself knows of HTLCs and what an indexer knows into one list. Pure. */
    public static final class HtlcMerge {
        private HtlcMerge() {}

        /**
         * All own records, and those of the indexer whose output the daemon has no record of: its own role and state, which come from blocks
         * that it has checked, always win.
         *
         * @param lockOf the output that an own record is about
         * @param seen makes a record of what an indexer has seen
         * @param order of the whole list
         */
        public static <T> List<T> merge(
                List<T> own,
                Function<T, Outpoint> lockOf,
                List<IndexedHtlc> indexed,
                Function<IndexedHtlc, T> seen,
                Comparator<? super T> order) {
            Set<Outpoint> known = new HashSet<>();
            own.forEach(one -> known.add(lockOf.apply(one)));
            List<T> all = new ArrayList<>(own);
            // An indexer may repeat itself.
            indexed.stream().filter(one -> known.add(one.outpoint())).map(seen).forEach(all::add);
            all.sort(order);
            return List.copyOf(all);
        }
    }

    /**
     * A part of a longer list.
     *
     * @param next cursor of the next page, opaque; null on the last page
     */
    record Page<T>(List<T> items, String next) {}
}
