package org.chainwalletd.node;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.net.HttpPeer;

/** What {@link Upstream} knows of one node; only it changes this. The counters are read by metrics from other threads. */
final class NodeState {
    /** How long a node that lacks a method is not asked for it again: nodes are upgraded. */
    private static final long MISSING_METHOD_MILLIS = 600_000;

    final int index;
    final String url;
    final HttpPeer peer;
    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger waitingCount = new AtomicInteger();
    final AtomicInteger scanBudget = new AtomicInteger(Bucket.SCAN.callsPerWindow());
    final Deque<Call<?>> waiting = new ArrayDeque<>();
    boolean otherChain;

    private final Map<Bucket, Quota> quotas = new EnumMap<>(Bucket.class);
    private final Map<String, Long> missingMethods = new HashMap<>();

    NodeState(int index, String url, HttpPeer peer) {
        this.index = index;
        this.url = url;
        this.peer = peer;
        for (Bucket bucket : Bucket.values()) {
            quotas.put(bucket, new Quota(bucket));
        }
    }

    Quota quota(Bucket bucket) {
        return quotas.get(bucket);
    }

    void spent(Bucket bucket, long now) {
        quota(bucket).spent(now);
        scanBudget.set(quota(Bucket.SCAN).budget(now));
    }

    void refused(Bucket bucket, String text, long now) {
        quota(bucket).refused(text, now);
        scanBudget.set(quota(Bucket.SCAN).budget(now));
    }

    void lacks(String method, long now) {
        missingMethods.put(method, now + MISSING_METHOD_MILLIS);
    }

    boolean isKnownToLack(String method, long now) {
        Long until = missingMethods.get(method);
        return until != null && now - until < 0;
    }
}
