package org.chainwalletd.indexer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.chainwalletd.chain.Outpoint;

/** Puts what the daemon itself knows of HTLCs and what an indexer knows into one list. Pure. */
public final class HtlcMerge {
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
