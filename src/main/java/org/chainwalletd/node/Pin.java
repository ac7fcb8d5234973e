package org.chainwalletd.node;

import java.util.concurrent.atomic.AtomicReference;

/** The one node of a pinned client: named from the start, or the first one that a call of the client is sent to. Set once, thread-safe. */
final class Pin {
    private final AtomicReference<UpstreamNode> node = new AtomicReference<>();

    /** To be chosen by the first call. */
    Pin() {}

    Pin(UpstreamNode named) {
        node.set(named);
    }

    /** The node, or null while none is chosen. */
    UpstreamNode node() {
        return node.get();
    }

    /**
     * Chooses {@code proposed} if none is chosen yet.
     *
     * @return the chosen one
     */
    UpstreamNode settle(UpstreamNode proposed) {
        node.compareAndSet(null, proposed);
        return node.get();
    }
}
