package org.chainwalletd.node;

import java.util.HashMap;
import java.util.Map;

/**
 * Health of a node: which chain it is of, and which methods it lacks. Immutable: {@link Upstream} publishes a new one at each change.
 *
 * @param chain whether it may be asked at all
 * @param why it is of another chain, or has not been judged yet; in words
 * @param lacksUntil methods that it has said it lacks, and until when it is not asked for them again
 */
record NodeHealth(Chain chain, String why, Map<String, Long> lacksUntil) {
    /** Which chain a node is of, as {@link NodeWatch} has judged. */
    enum Chain {
        /** Nobody knows yet: calls wait until it has said which chain it is of. */
        UNJUDGED,
        OURS,
        /** It is not asked. */
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
