package org.chainwalletd.node;

import java.util.EnumMap;
import java.util.Map;
import org.chainwalletd.net.HttpPeer;

/**
 * One node as the calls see it. Places and quotas are used by calls on any thread; the standing is published by {@link Upstream} alone.
 */
final class UpstreamNode {
    final String url;
    final HttpPeer peer;
    final Places places;

    private final Map<Bucket, Quota> quotas = new EnumMap<>(Bucket.class);
    private volatile Standing standing = Standing.GOOD;

    UpstreamNode(String url, HttpPeer peer, int maxConnections) {
        this.url = url;
        this.peer = peer;
        this.places = new Places(maxConnections);
        for (Bucket bucket : Bucket.values()) {
            quotas.put(bucket, new Quota(bucket));
        }
    }

    Quota quota(Bucket bucket) {
        return quotas.get(bucket);
    }

    Standing standing() {
        return standing;
    }

    /** For {@link Upstream}. */
    void publish(Standing now) {
        standing = now;
    }

    /** Whether {@code call} may be put to this node at all. */
    boolean isOpenTo(Call<?> call) {
        return call.view.anyChain() || standing.chain() == Standing.Chain.OURS;
    }

    /** How long {@code call} should wait for this node's quota, in milliseconds. */
    long pause(Call<?> call, long now) {
        return quota(call.bucket()).pause(call.lane(), call.patience != null, now);
    }

    boolean lacks(Call<?> call, long now) {
        return call.kind.mayBeMissing() && standing.isKnownToLack(call.method, now);
    }
}
