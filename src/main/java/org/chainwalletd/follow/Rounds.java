package org.chainwalletd.follow;

import java.util.List;

/** Whom to ask next: the same node while it answers, the next one when it does not. */
final class Rounds {
    private final List<FollowedNode> nodes;
    private int current;

    Rounds(List<FollowedNode> nodes) {
        this.nodes = nodes;
    }

    FollowedNode current() {
        return nodes.get(current);
    }

    void next() {
        current = (current + 1) % nodes.size();
    }
}
