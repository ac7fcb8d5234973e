package org.chainwalletd.node;

import java.util.HashMap;
import java.util.Map;

/**
 * What is known against a node. Immutable: {@link Upstream} publishes a new one at each change.
 *
 * @param otherChain whether it is of another chain than ours
 * @param lacksUntil methods that it has said it lacks, and until when it is not asked for them again
 */
record Standing(boolean otherChain, Map<String, Long> lacksUntil) {
    /** Nodes are upgraded. */
    private static final long MISSING_METHOD_MILLIS = 600_000;

    static final Standing GOOD = new Standing(false, Map.of());

    Standing withChain(boolean other) {
        return new Standing(other, lacksUntil);
    }

    Standing lacking(String method, long now) {
        Map<String, Long> more = new HashMap<>(lacksUntil);
        more.put(method, now + MISSING_METHOD_MILLIS);
        return new Standing(otherChain, Map.copyOf(more));
    }

    boolean isKnownToLack(String method, long now) {
        Long until = lacksUntil.get(method);
        return until != null && now - until < 0;
    }
}
