package org.chainwalletd.devnet.wire;

import java.util.LinkedHashSet;
import java.util.Set;

/** The open request connections, oldest first, and those that are only being drained. Touched by the selector thread alone. */
final class Connections {
    private final Set<RpcConnection> serving = new LinkedHashSet<>();
    private final Set<RpcConnection> draining = new LinkedHashSet<>();

    void add(RpcConnection connection) {
        serving.add(connection);
    }

    void addDraining(RpcConnection connection) {
        draining.add(connection);
    }

    void remove(RpcConnection connection) {
        if (!serving.remove(connection)) {
            draining.remove(connection);
        }
    }

    /** How many count against the limit. */
    int serving() {
        return serving.size();
    }

    /** Deadline of the connection that is cut next; {@link Long#MAX_VALUE} when there is none. */
    long nextDeadline() {
        return Math.min(first(serving), first(draining));
    }

    /** A connection whose time is over, or null. */
    RpcConnection overdue(long now) {
        if (first(serving) <= now) {
            return serving.iterator().next();
        }
        return first(draining) <= now ? draining.iterator().next() : null;
    }

    private static long first(Set<RpcConnection> connections) {
        return connections.isEmpty() ? Long.MAX_VALUE : connections.iterator().next().deadline;
    }
}
