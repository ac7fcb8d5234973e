package org.chainwalletd.http.door;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.chainwalletd.net.ByteBudget;

/**
 * Limits each client address to a share of the connections and of the buffered bytes, so that no address starves the others. An IPv6 /64
 * counts as one address. A proxy represents many clients, so only the totals apply to it. The table is bounded by the number of open
 * connections, and that of {@link Arrivals} has a bound of its own.
 *
 * <p>Many addresses with a few connections each can still exhaust the total. Then an idle connection of the address with the most connections is
 * closed in favour of an address with fewer ({@link #mayGiveWay}): its client only has to reconnect, whereas a refused client gets no service.
 */
public final class AddressShares {
    /** Number of connections of one address in the normal class, unless {@link #few} lowers it; more than a typical backend's pool has. */
    private static final int FEW = 32;

    /** Maximum number of connections in the normal class: with very many addresses, a few connections of each are too many. */
    private static final int NORMAL = 512;

    /** Maximum number of connections of one address that are examined to find one to close. */
    private static final int LOOKED_AT_OF_ADDRESS = 64;

    /** Maximum number of connections examined before the new connection is refused: others wait in the meantime. */
    private static final int LOOKED_AT = 256;

    /** Holder of a place. */
    interface Holder {
        /**
         * Returns the time since which no answer is due on the connection, by the clock of {@code now}; empty when one is. Called with a
         * lock held.
         */
        OptionalLong quietSince(long now);

        /** Closes the connection if it is still quiet; false when it is not. */
        boolean giveWay(long now);
    }

    /** Place of one connection; to be closed with it. */
    final class Place implements AutoCloseable {
        private final String address;
        private final ByteBudget budget;
        private final ConnectionClass connectionClass;
        private Optional<Holder> holder = Optional.empty();
        private boolean closed;

        private Place(String address, ByteBudget budget, ConnectionClass connectionClass) {
            this.address = address;
            this.budget = budget;
            this.connectionClass = connectionClass;
        }

        /** Returns the address to whose share the place belongs. */
        String address() {
            return address;
        }

        /** Whether its address has very many connections, or opens very many. */
        ConnectionClass connectionClass() {
            return connectionClass;
        }

        /**
         * Sets the holder.
         *
         * @param holder may be asked to give way from now on
         */
        void heldBy(Holder holder) {
            synchronized (AddressShares.this) {
                this.holder = Optional.of(holder);
            }
        }

        /** Bytes that the daemon may buffer for the connection. */
        ByteBudget budget() {
            return budget;
        }

        @Override
        public void close() {
            leave(this);
        }
    }

    /** Connections of one address. */
    private static final class Share {
        private final ByteBudget budget;
        private final boolean proxy;
        /** In the order of examination by {@link #mayGiveWay}: the ones examined last are last. */
        private final LinkedHashSet<Place> places = new LinkedHashSet<>();

        private Share(ByteBudget budget, boolean proxy) {
            this.budget = budget;
            this.proxy = proxy;
        }
    }

    /** Idle connection that can give way. */
    private record Quiet(Holder holder, long since) {}

    private final HttpLimits limits;
    private final ByteBudget all;
    private final ClientAddress addresses;
    private final Map<String, Share> shares = new HashMap<>();
    /** Limited addresses by their number of connections, in the same order of examination. */
    private final TreeMap<Integer, LinkedHashSet<Share>> bySize = new TreeMap<>();

    private final Arrivals arrivals = new Arrivals(System::nanoTime);

    /** @param all memory budget for the buffered bytes of all clients together */
    public AddressShares(HttpLimits limits, ByteBudget all, ClientAddress addresses) {
        this.limits = limits;
        this.all = all;
        this.addresses = addresses;
    }

    /** Reserves a place for a connection from {@code peer}; empty when its address has reached its limit. */
    synchronized Optional<Place> enter(InetAddress peer) {
        boolean proxy = addresses.isProxy(peer);
        String address = address(peer, proxy);
        Share share = shares.computeIfAbsent(
                address,
                unknown -> new Share(proxy ? all : all.within(limits.memory().perAddress()), proxy));
        if (!proxy && share.places.size() >= limits.maxConnectionsPerAddress()) {
            return Optional.empty();
        }
        boolean often = arrivals.often(address);
        boolean heavy = !proxy && (often || share.places.size() >= few());
        Place place = new Place(
                address,
                share.budget.within(limits.memory().perConnection()),
                heavy ? ConnectionClass.HEAVY : ConnectionClass.NORMAL);
        resize(share, () -> share.places.add(place));
        return Optional.of(place);
    }

    /** Returns the key of the share; a proxy's key differs from that of its network, so that other hosts in its network stay limited. */
    private static String address(InetAddress peer, boolean proxy) {
        return (proxy ? "proxy " : "") + ClientAddress.network(peer.getHostAddress());
    }

    private int few() {
        return Math.max(1, Math.min(FEW, NORMAL / shares.size()));
    }

    /**
     * Finds a connection to close in favour of a new one from {@code peer}: a quiet connection of the address with the most connections;
     * among those examined, the one that has been quiet longest. Examines a bounded number of connections, of addresses with more than
     * {@code peer}; empty when none of them is quiet.
     *
     * @param among connections whose place is of use
     * @param now by the clock of the holders, in nanoseconds
     */
    synchronized Optional<Holder> mayGiveWay(InetAddress peer, Predicate<Holder> among, long now) {
        boolean proxy = addresses.isProxy(peer);
        Share own = shares.get(address(peer, proxy));
        int has = proxy || own == null ? 0 : own.places.size();
        int left = LOOKED_AT;
        for (LinkedHashSet<Share> ofSize :
                bySize.tailMap(has, false).descendingMap().values()) {
            for (Share share : first(ofSize, left)) {
                toTheEnd(ofSize, share);
                List<Place> places = first(share.places, Math.min(left, LOOKED_AT_OF_ADDRESS));
                left -= places.size();
                Optional<Holder> quiet = quietest(share, places, among, now);
                if (quiet.isPresent()) {
                    return quiet;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Holder> quietest(Share share, List<Place> places, Predicate<Holder> among, long now) {
        places.forEach(place -> toTheEnd(share.places, place));
        return places.stream()
                .flatMap(place -> place.holder.filter(among).stream())
                .flatMap(holder -> quiet(holder, now).stream())
                .min(Comparator.comparingLong(quiet -> quiet.since() - now))
                .map(Quiet::holder);
    }

    private static Optional<Quiet> quiet(Holder holder, long now) {
        OptionalLong since = holder.quietSince(now);
        return since.isPresent() ? Optional.of(new Quiet(holder, since.getAsLong())) : Optional.empty();
    }

    private static <T> List<T> first(LinkedHashSet<T> all, int most) {
        List<T> some = new ArrayList<>(Math.min(all.size(), most));
        for (T one : all) {
            if (some.size() >= most) {
                break;
            }
            some.add(one);
        }
        return some;
    }

    private static <T> void toTheEnd(LinkedHashSet<T> all, T one) {
        if (all.remove(one)) {
            all.add(one);
        }
    }

    private synchronized void leave(Place place) {
        if (place.closed) {
            return;
        }
        place.closed = true;
        Share share = shares.get(place.address);
        resize(share, () -> share.places.remove(place));
        if (share.places.isEmpty()) {
            shares.remove(place.address);
        }
    }

    private void resize(Share share, Runnable change) {
        int before = share.places.size();
        change.run();
        if (share.proxy) {
            return;
        }
        bySize.computeIfPresent(before, (size, those) -> {
            those.remove(share);
            return those.isEmpty() ? null : those;
        });
        int after = share.places.size();
        if (after > 0) {
            bySize.computeIfAbsent(after, unknown -> new LinkedHashSet<>()).add(share);
        }
    }

    /** Rate limit of new connections from one address. Keeps the most recent addresses only. Not thread-safe. */
    static final class Arrivals {
        private static final int MOST_ADDRESSES = 1024;
        /** Number of connections that may arrive at once. */
        private static final double BURST = 64;

        private static final double A_SECOND = 20;

        /** Leaky bucket. */
        private static final class Bucket {
            private double level;
            private long at;

            Bucket(long at) {
                this.at = at;
            }

            double add(long now) {
                double leaked = (now - at) * A_SECOND / TimeUnit.SECONDS.toNanos(1);
                level = Math.max(0, level - leaked) + 1;
                at = now;
                return level;
            }
        }

        private final LongSupplier clock;
        private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
                return size() > MOST_ADDRESSES;
            }
        };

        /** @param clock in nanoseconds */
        Arrivals(LongSupplier clock) {
            this.clock = clock;
        }

        /** Counts a connection. Returns whether the address opens more connections than a client that reuses them. */
        boolean often(String address) {
            long now = clock.getAsLong();
            return buckets.computeIfAbsent(address, unknown -> new Bucket(now)).add(now) > BURST;
        }
    }
}
