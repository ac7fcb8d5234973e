package org.chainwalletd.http;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.net.ByteBudget;

/**
 * What each address that clients call from has of the connections and of the bytes that may be held, so that none of them takes what the
 * others need. One subscriber's network of IPv6 counts as one address. A proxy stands for many clients and is bound by nothing but the
 * totals. The table is as long as there are connections, and that of {@link Arrivals} is bounded.
 */
final class AddressShares {
    /** More than a backend's pool of connections has; waits may be very many, but have little to do. */
    private static final int FEW = 32;

    /** Of one connection; to be closed with it. */
    final class Place implements AutoCloseable {
        private final String address;
        private final ByteBudget budget;
        private final boolean inCrowd;
        private boolean closed;

        private Place(String address, ByteBudget budget, boolean inCrowd) {
            this.address = address;
            this.budget = budget;
            this.inCrowd = inCrowd;
        }

        /** The address whose share it is of. */
        String address() {
            return address;
        }

        /** Whether its address has very many connections, or opens very many. */
        boolean inCrowd() {
            return inCrowd;
        }

        /** What the connection may make the daemon hold. */
        ByteBudget budget() {
            return budget;
        }

        @Override
        public void close() {
            leave(this);
        }
    }

    /** One address's connections. */
    private static final class Share {
        private final ByteBudget budget;
        private int connections;

        private Share(ByteBudget budget) {
            this.budget = budget;
        }
    }

    private final HttpLimits limits;
    private final ByteBudget all;
    private final ClientAddress addresses;
    private final Map<String, Share> shares = new HashMap<>();
    private final Arrivals arrivals = new Arrivals(System::nanoTime);

    /** @param all what all clients together may make the daemon hold */
    AddressShares(HttpLimits limits, ByteBudget all, ClientAddress addresses) {
        this.limits = limits;
        this.all = all;
        this.addresses = addresses;
    }

    /** A place for one more connection from {@code peer}; empty when its address has all it may have. */
    synchronized Optional<Place> enter(InetAddress peer) {
        boolean proxy = addresses.isProxy(peer);
        // A proxy's neighbours in its network are bound as everybody is.
        String address = (proxy ? "proxy " : "") + ClientAddress.network(peer.getHostAddress());
        Share share = shares.computeIfAbsent(
                address, unknown -> new Share(proxy ? all : all.within(limits.heldPerAddress())));
        if (!proxy && share.connections >= limits.maxConnectionsPerAddress()) {
            return Optional.empty();
        }
        share.connections++;
        boolean often = arrivals.often(address);
        boolean inCrowd = !proxy && (often || share.connections > FEW);
        return Optional.of(new Place(address, share.budget.within(limits.heldPerConnection()), inCrowd));
    }

    private synchronized void leave(Place place) {
        if (place.closed) {
            return;
        }
        place.closed = true;
        Share share = shares.get(place.address);
        share.connections--;
        if (share.connections == 0) {
            shares.remove(place.address);
        }
    }
}
