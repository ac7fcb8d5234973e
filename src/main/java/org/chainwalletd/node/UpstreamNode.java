package org.chainwalletd.node;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.net.HttpPeer;

/**
 * Node, with its connection limit, quotas and health. Limiter and quotas are used by calls on any thread; the health is written only by {@link
 * Upstream}.
 */
final class UpstreamNode {
    final String url;
    final HttpPeer peer;
    final ConcurrencyLimiter limiter;

    private final Map<Bucket, Quota> quotas = new EnumMap<>(Bucket.class);
    private volatile NodeHealth health = NodeHealth.GOOD;

    UpstreamNode(String url, HttpPeer peer, int maxConnections) {
        this.url = url;
        this.peer = peer;
        this.limiter = new ConcurrencyLimiter(maxConnections);
        for (Bucket bucket : Bucket.values()) {
            quotas.put(bucket, new Quota(bucket));
        }
    }

    Quota quota(Bucket bucket) {
        return quotas.get(bucket);
    }

    NodeHealth health() {
        return health;
    }

    /** Publishes the node's health; called only by {@link Upstream}. */
    void publish(NodeHealth now) {
        health = now;
    }

    /** Returns whether {@code call} may be sent to this node at all. */
    boolean isOpenTo(Call<?> call) {
        return call.view.anyChain() || health.chain() == NodeHealth.Chain.OURS;
    }

    /** Returns the milliseconds that {@code call} should wait for this node's quota. */
    long pause(Call<?> call, long now) {
        return quota(call.bucket()).pause(call.priority(), call.timeouts != null, now);
    }

    boolean lacks(Call<?> call, long now) {
        return call.kind.mayBeMissing() && health.isKnownToLack(call.method, now);
    }

    /**
     * State of one quota of one node, as far as this process knows. Its own count does not delay foreground calls, because a node may be configured
     * without quotas, except patient ones while a quota is known to exist; after a refusal all calls are held back until the node's window must
     * have ended. Background calls get a third of each window, whatever the node reports. Thread-safe: the state is immutable and replaced as a
     * whole.
     */
    static final class Quota {
        /** The node's window of a minute, plus a second: its window starts when our first call arrives, which is after we sent it. */
        static final long WINDOW_MILLIS = 61_000;
        /** Milliseconds for which a quota is assumed to exist after a refusal; nodes may be reconfigured. */
        private static final long KNOWN_MILLIS = 600_000;
        /** Tenths of a window that patient calls may use. */
        private static final int PATIENT_TENTHS = 7;

        private static final int BACKGROUND_PART = 3;

        /**
         * @param start of the window; meaningless while {@code counting} is false
         * @param used calls in the window, background calls included
         * @param refusal error text of the node; null if it has not refused
         */
        private record Count(
                boolean counting,
                long start,
                int used,
                int usedInBackground,
                String refusal,
                long limitedUntil,
                boolean known,
                long knownUntil) {
            static final Count NOTHING = new Count(false, 0, 0, 0, null, 0, false, 0);

            boolean inWindow(long now) {
                return counting && now - start < WINDOW_MILLIS;
            }

            boolean isLimited(long now) {
                return refusal != null && now - limitedUntil < 0;
            }

            Count spent(Priority priority, long now) {
                boolean same = inWindow(now);
                int background = priority == Priority.BACKGROUND ? 1 : 0;
                return new Count(
                        true,
                        same ? start : now,
                        same ? used + 1 : 1,
                        same ? usedInBackground + background : background,
                        refusal,
                        limitedUntil,
                        known,
                        knownUntil);
            }

            Count refused(String text, long now) {
                long until = (inWindow(now) ? start : now) + WINDOW_MILLIS;
                return new Count(counting, start, used, usedInBackground, text, until, true, now + KNOWN_MILLIS);
            }
        }

        private final Bucket bucket;
        private final AtomicReference<Count> count = new AtomicReference<>(Count.NOTHING);

        Quota(Bucket bucket) {
            this.bucket = bucket;
        }

        /**
         * Counts a call that is sent to the node.
         *
         * @param now monotonic milliseconds
         */
        void spent(Priority priority, long now) {
            if (bucket != Bucket.NONE) {
                count.updateAndGet(before -> before.spent(priority, now));
            }
        }

        /** Records that the node refused a call with {@code text}. Its window began with our first call at the latest, so it ends a window later. */
        void refused(String text, long now) {
            count.updateAndGet(before -> before.refused(text, now));
        }

        /**
         * Returns the milliseconds that a call should wait for this quota. A patient call also waits for the next window if it would use calls that
         * are reserved for payments.
         */
        long pause(Priority priority, boolean patient, long now) {
            Count seen = count.get();
            if (seen.isLimited(now)) {
                return seen.limitedUntil() - now;
            }
            if (bucket == Bucket.NONE || !seen.inWindow(now)) {
                return 0;
            }
            boolean thirdUsed = priority == Priority.BACKGROUND
                    && seen.usedInBackground() >= bucket.callsPerWindow() / BACKGROUND_PART;
            int reserved = bucket.callsPerWindow() - bucket.callsPerWindow() / 10 * PATIENT_TENTHS;
            boolean known = seen.known() && now - seen.knownUntil() < 0;
            boolean restReserved = patient && known && left(seen) <= reserved;
            return thirdUsed || restReserved ? seen.start() + WINDOW_MILLIS - now : 0;
        }

        /**
         * Returns the refusal for a call that this quota holds back: the node's error text while the node refuses, otherwise that the rest is
         * reserved for payments.
         */
        String refusal(long now) {
            Count seen = count.get();
            return seen.isLimited(now)
                    ? seen.refusal()
                    : "Rate limit exceeded: the rest of the node's quota is kept for payments";
        }

        /** Returns the calls left in the node's window, as far as this process can tell. */
        int budget(long now) {
            Count seen = count.get();
            if (seen.isLimited(now)) {
                return 0;
            }
            return seen.inWindow(now) ? left(seen) : bucket.callsPerWindow();
        }

        private int left(Count seen) {
            return Math.max(0, bucket.callsPerWindow() - seen.used());
        }
    }

    /**
     * Health of a node: its chain, and the methods that it lacks. Immutable: {@link Upstream} publishes a new one at each change.
     *
     * @param chain whether it may be asked at all
     * @param why reason, as text, why it is of another chain or not checked yet
     * @param lacksUntil methods that it reported missing, with the time until which it is not asked for them again
     */
    record NodeHealth(Chain chain, String why, Map<String, Long> lacksUntil) {
        /** Result of {@link NodeWatch}'s check that a node is of our chain. */
        enum Chain {
            /** Not checked yet: calls wait until the node has reported its chain. */
            UNJUDGED,
            OURS,
            /** The node is of another chain and is not asked. */
            OTHER
        }

        /** Time after which a missing method is tried again, because nodes are upgraded. */
        private static final long MISSING_METHOD_MILLIS = 600_000;

        static final NodeHealth GOOD = new NodeHealth(Chain.OURS, "", Map.of());
        static final NodeHealth UNJUDGED = new NodeHealth(Chain.UNJUDGED, "", Map.of());

        NodeHealth withChain(Chain judged, String words) {
            return new NodeHealth(judged, words, lacksUntil);
        }

        NodeHealth lacking(String method, long now) {
            Map<String, Long> more = new HashMap<>(lacksUntil);
            more.put(method, now + MISSING_METHOD_MILLIS);
            return new NodeHealth(chain, why, Map.copyOf(more));
        }

        boolean isKnownToLack(String method, long now) {
            Long until = lacksUntil.get(method);
            return until != null && now - until < 0;
        }
    }
}
