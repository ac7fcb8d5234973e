package org.chainwalletd.node;

import java.util.ArrayList;
import java.util.List;

/**
 * Which nodes a call asks, and in which order: the first one rotates from call to call, nodes of another chain are passed over, and so are
 * those that refuse for a quota or lack the method (interface.md, section 1.7; chain protocol, sections 10.3 and 14). Used by {@link
 * Upstream} alone, on its thread.
 */
final class Rotation {
    private static final int INTERNAL = -32603;
    private static final int METHOD_NOT_FOUND = -32601;

    private final List<NodeState> nodes;
    private int next;

    Rotation(List<NodeState> nodes) {
        this.nodes = List.copyOf(nodes);
    }

    /** Gives a new call its first node. */
    void enter(Call<?> call) {
        call.start = next;
        next = (next + 1) % nodes.size();
    }

    void chainSeen(String url, boolean otherChain) {
        nodes.stream().filter(node -> node.url.equals(url)).forEach(node -> node.otherChain = otherChain);
    }

    /**
     * The nodes that may be asked, the call's first one first; whether they take it now is another question.
     *
     * @throws NodeException when there is none
     */
    List<NodeState> ofOurChain(Call<?> call) {
        if (call.pin != null && call.pin.node != null) {
            return List.of(call.pin.node);
        }
        if (call.pin != null && call.pin.url != null) {
            call.pin.node = nodes.stream()
                    .filter(node -> node.url.equals(call.pin.url))
                    .findFirst()
                    .orElseThrow(() -> new NodeException.Unreachable("there is no node " + call.pin.url));
            return List.of(call.pin.node);
        }
        List<NodeState> all = new ArrayList<>(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            all.add(nodes.get((call.start + i) % nodes.size()));
        }
        List<NodeState> ours = all.stream().filter(node -> !node.otherChain).toList();
        if (ours.isEmpty() && call.bucket == Bucket.TX) {
            throw new NodeException.WrongChain("every node reports another chain; nothing is broadcast");
        }
        return ours.isEmpty() ? all : ours;
    }

    /** How long a call that can wait does so for the quotas of the nodes; 0 when one takes it now or its time would not suffice. */
    long pause(Call<?> call, List<NodeState> ours, long now) {
        if (call.patience == null) {
            return 0;
        }
        long pause = ours.stream()
                .mapToLong(node -> node.quota(call.bucket).pause(true, now))
                .min()
                .orElse(0);
        return call.patience.allows(pause, now) ? pause : 0;
    }

    /**
     * The nodes of one sweep in their order.
     *
     * @throws NodeException.Rejected when all refuse for their quotas, or all lack the method
     */
    List<NodeState> candidates(Call<?> call, List<NodeState> ours, long now) {
        List<NodeState> willing = ours.stream()
                .filter(node -> node.quota(call.bucket).pause(call.patience != null, now) == 0)
                .toList();
        List<NodeState> unlimited = !willing.isEmpty()
                ? willing
                : ours.stream()
                        .filter(node -> !node.quota(call.bucket).isLimited(now))
                        .toList();
        if (unlimited.isEmpty()) {
            throw new NodeException.Rejected(
                    INTERNAL, ours.get(0).quota(call.bucket).refusal());
        }
        List<NodeState> able = unlimited.stream()
                .filter(node -> !call.mayBeMissing || !node.isKnownToLack(call.method, now))
                .toList();
        if (able.isEmpty()) {
            throw new NodeException.Rejected(METHOD_NOT_FOUND, "Method not found");
        }
        if (call.pin != null && call.pin.node == null) {
            call.pin.node = able.get(0);
            return List.of(call.pin.node);
        }
        return able;
    }
}
