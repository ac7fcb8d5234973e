package org.chainwalletd.node;

import java.util.EnumMap;
import java.util.Map;
import org.chainwalletd.net.HttpPeer;

/**
 * One node as the calls see it. The limiter and the quotas are used by calls on any thread; the health is published by {@link Upstream} alone.
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

    /** For {@link Upstream}. */
    void publish(NodeHealth now) {
        health = now;
    }

    /** Whether {@code call} may be put to this node at all. */
    boolean isOpenTo(Call<?> call) {
        return call.view.anyChain() || health.chain() == NodeHealth.Chain.OURS;
    }

    /** How long {@code call} should wait for this node's quota, in milliseconds. */
    long pause(Call<?> call, long now) {
        return quota(call.bucket()).pause(call.priority(), call.timeouts != null, now);
    }

    boolean lacks(Call<?> call, long now) {
        return call.kind.mayBeMissing() && health.isKnownToLack(call.method, now);
    }
}
