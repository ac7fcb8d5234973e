package org.chainwalletd.node;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.net.HttpPeer;

/**
 * Node as the calls see it. The limiter and the quotas are used by calls on any thread; the health is published by {@link Upstream} alone.
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

    /** Publishes the node's health; called by {@link Upstream} alone. */
    void publish(NodeHealth now) {
        health = now;
    }

    /** Whether {@code call} may be put to this node at all. */
    boolean isOpenTo(Call<?> call) {
        return call.view.anyChain() || health.chain() == NodeHealth.Chain.OURS;
    }

    /** Milliseconds that {@code call} should wait for this node's quota. */
    long pause(Call<?> call, long now) {
        return quota(call.bucket()).pause(call.priority(), call.timeouts != null, now);
    }

    boolean lacks(Call<?> call, long now) {
        return call.kind.mayBeMissing() && health.isKnownToLack(call.method, now);
    }

    /**
     * Knowledge of this process about one quota of one node. It never holds calls that somebody waits for back on its own count, because a node may
     * be configured without quotas; it remembers that the node has refused, until the window must have ended. The background has a third of
     * each window, whatever the node says. Thread-safe: what is known is replaced as a whole.
     */
    static final class Quota {
        /** The node's minute, and one second more: its window begins when our first call arrives, which is after we have sent it. */
        static final long WINDOW_MILLIS = 61_000;
        /** Time, in milliseconds, for which a quota is assumed after a refusal; nodes may be reconfigured. */
        private static final long KNOWN_MILLIS = 600_000;
        /** Calls, of ten that a window allows, that may be used by calls that can wait. */
        private static final int PATIENT_TENTHS = 7;

        private static final int BACKGROUND_PART = 3;

        /**
         * @param start of the window; meaningless while nothing was counted
         * @param used calls of the window, the background's included
         * @param refusal the node's words, or null when it has not refused
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
         * A call leaves for the node.
         *
         * @param now milliseconds of a clock that never goes back
         */
        void spent(Priority priority, long now) {
            if (bucket != Bucket.NONE) {
                count.updateAndGet(before -> before.spent(priority, now));
            }
        }

        /** The node has refused a call with {@code text}. Its window began with our first call at the latest, so it ends a window later. */
        void refused(String text, long now) {
            count.updateAndGet(before -> before.refused(text, now));
        }

        /**
         * Milliseconds that a call should wait for this quota. A patient call also waits for the next window when it would use up what the calls of
         * payments need.
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

        boolean isLimited(long now) {
            return count.get().isLimited(now);
        }

        /** Refusal for a call that this quota keeps back: the node's words while it refuses, else that the rest is for payments. */
        String refusal(long now) {
            Count seen = count.get();
            return seen.isLimited(now)
                    ? seen.refusal()
                    : "Rate limit exceeded: the rest of the node's quota is kept for payments";
        }

        /** Calls that are left in the node's window as far as this process can tell. */
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
     * Health of a node: which chain it is of, and which methods it lacks. Immutable: {@link Upstream} publishes a new one at each change.
     *
     * @param chain whether it may be asked at all
     * @param why it is of another chain, or has not been judged yet; in words
     * @param lacksUntil methods that it has said it lacks, and until when it is not asked for them again
     */
    record NodeHealth(Chain chain, String why, Map<String, Long> lacksUntil) {
        /** Result of {@link NodeWatch}'s check that a node is of our chain. */
        enum Chain {
            /** Not checked yet: calls wait until the node has named its chain. */
            UNJUDGED,
            OURS,
            /** The node is of another chain and is not asked. */
            OTHER
        }

        /** Nodes are upgraded. */
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
