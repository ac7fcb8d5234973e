package org.chainwalletd.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Selects and orders the nodes that a call asks: the first node rotates from call to call, nodes not known to be of our chain are never asked, and
 * nodes that refuse because of a quota or lack the method are skipped (interface.md, section 1.7; decisions.md, 8h; chain protocol, sections 10.3
 * and 14). Thread-safe.
 */
final class Rotation {
    private static final int INTERNAL = -32603;
    private static final int METHOD_NOT_FOUND = -32601;

    private final List<UpstreamNode> nodes;
    private final AtomicInteger next = new AtomicInteger();

    Rotation(List<UpstreamNode> nodes) {
        this.nodes = List.copyOf(nodes);
    }

    List<UpstreamNode> nodes() {
        return nodes;
    }

    /** Returns the index of the first node for a new call. A call to a single given node does not advance the rotation. */
    int start(View view) {
        if (view.turn() != null) {
            return Math.floorMod(view.turn().getAndIncrement(), nodes.size());
        }
        return view.only() != null ? 0 : Math.floorMod(next.getAndIncrement(), nodes.size());
    }

    Optional<UpstreamNode> at(String url) {
        return nodes.stream().filter(node -> node.url.equals(url)).findFirst();
    }

    /** Returns the first node that accepts the call now, or null if there is none. Used by every call, so it allocates nothing. */
    UpstreamNode firstAccepting(Call<?> call, int start, long now) {
        if (call.only() != null) {
            return accepts(call.only(), call, now) ? call.only() : null;
        }
        for (int i = 0; i < nodes.size(); i++) {
            UpstreamNode node = nodes.get((start + i) % nodes.size());
            if (accepts(node, call, now)) {
                return node;
            }
        }
        return null;
    }

    private static boolean accepts(UpstreamNode node, Call<?> call, long now) {
        return node.isOpenTo(call) && node.pause(call, now) == 0 && !node.lacks(call, now);
    }

    /**
     * Returns the nodes of our chain, starting with the call's first one, whether or not they accept it now. Empty while none is known to be of our
     * chain and at least one is not checked yet.
     *
     * @throws NodeException.WrongChain if all are of another chain
     */
    List<UpstreamNode> ofOurChain(Call<?> call, int start) {
        List<UpstreamNode> all = asked(call, start);
        List<UpstreamNode> ours =
                all.stream().filter(node -> node.isOpenTo(call)).toList();
        if (ours.isEmpty() && unchecked(all).isEmpty()) {
            String why = whyOther(all).orElse("");
            throw call.bucket() == Bucket.TX
                    ? new NodeException.WrongChain(why + "; nothing is broadcast")
                    : NodeException.WrongChain.unasked(why);
        }
        return ours;
    }

    /** Returns why nodes are of another chain that the call would ask otherwise; empty if there are none. */
    Optional<String> whyOther(Call<?> call, int start) {
        return whyOther(asked(call, start));
    }

    private static Optional<String> whyOther(List<UpstreamNode> all) {
        return all.stream()
                .filter(node -> node.health().chain() == UpstreamNode.NodeHealth.Chain.OTHER)
                .map(node -> node.health().why())
                .reduce((earlier, later) -> earlier + "; " + later);
    }

    /** Returns whether no node may be asked now but at least one is not checked yet. */
    boolean awaitsJudgement(Call<?> call, int start) {
        List<UpstreamNode> all = asked(call, start);
        return all.stream().noneMatch(node -> node.isOpenTo(call))
                && unchecked(all).isPresent();
    }

    /** Returns a node that the call would ask but that is not checked; the last one if there are several. */
    Optional<UpstreamNode> unjudged(Call<?> call, int start) {
        return unchecked(asked(call, start));
    }

    private List<UpstreamNode> asked(Call<?> call, int start) {
        if (call.only() != null) {
            return List.of(call.only());
        }
        List<UpstreamNode> all = new ArrayList<>(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            all.add(nodes.get((start + i) % nodes.size()));
        }
        return all;
    }

    private static Optional<UpstreamNode> unchecked(List<UpstreamNode> all) {
        return all.stream()
                .filter(node -> node.health().chain() == UpstreamNode.NodeHealth.Chain.UNJUDGED)
                .reduce((earlier, later) -> later);
    }

    /**
     * Returns the milliseconds that a call should wait for the quotas of the nodes that have its method; 0 if one of them accepts it now, if none
     * has the method, or if the call's timeout does not allow the wait.
     */
    long pause(Call<?> call, List<UpstreamNode> ours, long now) {
        if (call.timeouts == null) {
            return 0;
        }
        long pause = able(call, ours, now).stream()
                .mapToLong(node -> node.pause(call, now))
                .min()
                .orElse(0);
        return call.timeouts.allows(pause, now) ? pause : 0;
    }

    /**
     * Returns the nodes of one sweep in order.
     *
     * @throws NodeException.Rejected if all lack the method, or the quotas of all that have it hold the call back
     */
    List<UpstreamNode> candidates(Call<?> call, List<UpstreamNode> ours, long now) {
        List<UpstreamNode> able = able(call, ours, now);
        if (able.isEmpty()) {
            throw NodeException.Rejected.foreseen(METHOD_NOT_FOUND, "Method not found");
        }
        List<UpstreamNode> available =
                able.stream().filter(node -> node.pause(call, now) == 0).toList();
        if (available.isEmpty()) {
            throw NodeException.Rejected.foreseen(
                    INTERNAL, able.get(0).quota(call.bucket()).refusal(now));
        }
        return available;
    }

    private static List<UpstreamNode> able(Call<?> call, List<UpstreamNode> ours, long now) {
        return ours.stream().filter(node -> !node.lacks(call, now)).toList();
    }
}
