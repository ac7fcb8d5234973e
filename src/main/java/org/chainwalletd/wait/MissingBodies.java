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
 * Transactions that a mempool names and whose bytes no node has sent yet. Each is asked for a few times more, by its id, which costs no scan: a payment
 * whose first fetch was lost would not be told before its block otherwise. Bounded, because a node may name what does not exist; after that a
 * later look asks for it. Touched by one actor.
 */
final class MissingBodies {
    static final Duration PAUSE = Duration.ofSeconds(1);

    private static final int TRIES = 10;
    private static final int MOST = 50;

    /** Transaction that is asked for again, with the addresses that it was named for. */
    private static final class Missing {
        final List<Address> addresses;
        int tries;

        Missing(List<Address> addresses) {
            this.addresses = addresses;
        }
    }

    private final Map<Hash256, Missing> missing = new LinkedHashMap<>();
    private boolean asking;

    /** A look at these addresses has named transactions whose bytes were not to be had. */
    void add(List<Address> addresses, Collection<Hash256> txIds) {
        for (Hash256 txId : txIds) {
            if (missing.size() < MOST) {
                missing.putIfAbsent(txId, new Missing(addresses));
            }
        }
    }

    /** Whether a question is due after {@link #PAUSE}. */
    boolean isDue() {
        return !asking && !missing.isEmpty();
    }

    /**
     * Transactions to ask for, which {@link #answered} or {@link #failed} ends.
     *
     * @param addresses all that they were named for
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
        failed();
    }

    void failed() {
        asking = false;
        missing.values().removeIf(one -> one.tries >= TRIES);
    }
}
