package org.chainwalletd.node.push;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.chainwalletd.chain.Address;

/**
 * What one stream has told since it was last listened to, merged: however much a node sends, this is no more than the stream's addresses.
 *
 * @param heard how often each address came is not kept
 * @param resync events were lost: all addresses may have changed
 * @param tip the last height that was told, or null
 */
record Nudges(Set<Address> heard, boolean resync, Long tip) {
    static final Nudges NONE = new Nudges(Set.of(), false, null);

    static Nudges changed(Address address) {
        return new Nudges(Set.of(address), false, null);
    }

    static Nudges lost() {
        return new Nudges(Set.of(), true, null);
    }

    static Nudges tip(long height) {
        return new Nudges(Set.of(), false, height);
    }

    boolean isNothing() {
        return heard.isEmpty() && !resync && tip == null;
    }

    Nudges and(Nudges later) {
        Set<Address> both = heard;
        if (!heard.containsAll(later.heard)) {
            both = new HashSet<>(heard);
            both.addAll(later.heard);
        }
        return new Nudges(
                Collections.unmodifiableSet(both), resync || later.resync, later.tip != null ? later.tip : tip);
    }
}
