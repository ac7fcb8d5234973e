package org.chainwalletd.wait;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;

/**
 * Transactions listed in a mempool whose bytes no node has sent yet. Each is requested a few more times by its id, which costs no scan; otherwise a
 * payment whose first fetch failed would be reported only with its block. Bounded, because a node may list transactions that do not exist; after
 * the last attempt, or above the maximum, only a later look-up requests it. Used by one actor.
 */
final class MissingBodies {
    static final Duration PAUSE = Duration.ofSeconds(1);

    private static final int TRIES = 10;
    /** Maximum number of transactions that are requested again. */
    static final int MOST = 50;

    /** Transaction that is requested again, with the addresses for which it was listed. */
    private static final class Missing {
        final List<Address> addresses;
        int tries;

        Missing(List<Address> addresses) {
            this.addresses = addresses;
        }
    }

    private final Map<Hash256, Missing> missing = new LinkedHashMap<>();
    private boolean asking;

    /**
     * Adds transactions that a look-up of these addresses listed but whose bytes were not fetched, up to {@value #MOST} in all.
     *
     * @return whether all were added
     */
    boolean add(List<Address> addresses, Collection<Hash256> txIds) {
        for (Hash256 txId : txIds) {
            if (missing.size() < MOST) {
                missing.putIfAbsent(txId, new Missing(addresses));
            }
        }
        return missing.keySet().containsAll(txIds);
    }

    /** Returns whether a request is due after {@link #PAUSE}. */
    boolean isDue() {
        return !asking && !missing.isEmpty();
    }

    /**
     * Transactions to request; ended by {@link #answered} or {@link #failed}.
     *
     * @param addresses all addresses for which they were listed
     */
    record Question(List<Address> addresses, List<Hash256> txIds) {}

    Question ask() {
        asking = true;
        Set<Address> addresses = new LinkedHashSet<>();
        missing.values().forEach(one -> {
            one.tries++;
            addresses.addAll(one.addresses);
        });
        return new Question(List.copyOf(addresses), new ArrayList<>(missing.keySet()));
    }

    void answered(MempoolLook.Found found) {
        missing.keySet().removeAll(found.transactions().keySet());
        missing.forEach((txId, one) -> {
            if (found.unrequested().contains(txId)) {
                one.tries--;
            }
        });
        failed();
    }

    void failed() {
        asking = false;
        missing.values().removeIf(one -> one.tries >= TRIES);
    }
}
