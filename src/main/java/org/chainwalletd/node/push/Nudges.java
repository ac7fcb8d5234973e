package org.chainwalletd.node.push;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.chainwalletd.chain.Address;

/**
 * Merged news of one stream since they were last taken. However much a node sends, this holds no more than the stream's addresses.
 *
 * @param heard addresses with an event
 * @param again addresses with more than one event: the first may only confirm that the address is watched
 * @param resync events were lost: every address may have changed
 * @param tip last height reported; null for none
 */
record Nudges(Set<Address> heard, Set<Address> again, boolean resync, Long tip) {
    static final Nudges NONE = new Nudges(Set.of(), Set.of(), false, null);

    static Nudges changed(Address address) {
        return new Nudges(Set.of(address), Set.of(), false, null);
    }

    static Nudges lost() {
        return new Nudges(Set.of(), Set.of(), true, null);
    }

    static Nudges tip(long height) {
        return new Nudges(Set.of(), Set.of(), false, height);
    }

    boolean isNothing() {
        return heard.isEmpty() && !resync && tip == null;
    }

    Nudges and(Nudges later) {
        if (later.isNothing()) {
            return this;
        }
        Set<Address> twice = new HashSet<>(later.heard);
        twice.retainAll(heard);
        twice.addAll(later.again);
        return new Nudges(
                both(heard, later.heard),
                both(again, twice),
                resync || later.resync,
                later.tip != null ? later.tip : tip);
    }

    private static Set<Address> both(Set<Address> first, Set<Address> second) {
        if (first.containsAll(second)) {
            return first;
        }
        Set<Address> both = new HashSet<>(first);
        both.addAll(second);
        return Collections.unmodifiableSet(both);
    }
}
