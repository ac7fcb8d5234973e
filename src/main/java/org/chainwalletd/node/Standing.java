package org.chainwalletd.node;

import java.util.HashMap;
import java.util.Map;

/**
 * What is known against a node. Immutable: {@link Upstream} publishes a new one at each change.
 *
 * @param chain whether it may be asked at all
 * @param why it is of another chain, or has not been judged yet; in words
 * @param lacksUntil methods that it has said it lacks, and until when it is not asked for them again
 */
record Standing(Chain chain, String why, Map<String, Long> lacksUntil) {
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

    static final Standing GOOD = new Standing(Chain.OURS, "", Map.of());
    static final Standing UNJUDGED = new Standing(Chain.UNJUDGED, "", Map.of());

    Standing withChain(Chain judged, String words) {
        return new Standing(judged, words, lacksUntil);
    }

    Standing lacking(String method, long now) {
        Map<String, Long> more = new HashMap<>(lacksUntil);
        more.put(method, now + MISSING_METHOD_MILLIS);
        return new Standing(chain, why, Map.copyOf(more));
    }

    boolean isKnownToLack(String method, long now) {
        Long until = lacksUntil.get(method);
        return until != null && now - until < 0;
    }
}
