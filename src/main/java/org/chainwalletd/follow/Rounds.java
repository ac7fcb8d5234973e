package org.chainwalletd.follow;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Choice of the node to ask next, the faults that each node was caught in, and how high each node's chain is. Every round asks another one, so that all of them are
 * compared with the followed chain. A node that was caught in a lie is passed over for a while, unless all were: that changes whom the follower
 * asks, and that its tip is set aside; nothing else.
 */
final class Rounds {
    private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);
    private static final Duration PASSED_OVER = Duration.ofMinutes(10);
    /** A node may lag, or follow another branch, for so long before anybody is told. */
    private static final Duration TOLERATED = Duration.ofMinutes(10);
    /** A tip of a node counts again when it has proven all that it named for so long: one that names another every second counts never. */
    private static final Duration ASIDE = Duration.ofMinutes(1);

    /** Looks at a node for which the height that it has proven last is kept: it may start again, or lack a block for a moment. */
    private static final int MOST_UNPROVEN = 20;

    private static final String DIFFERENT = " lags behind the followed chain or shows another one";
    private static final String STRANGER =
            " shows a chain that shares no block with the books (if it is the right one, start the daemon again with"
                    + " --checkpoint=height:id of a block of that chain, at a height of which the books keep another one)";

    private final List<FollowedNode> nodes;
    private final Clock clock;
    private final Map<FollowedNode, Instant> lied = new HashMap<>();
    private final Map<FollowedNode, Instant> differsSince = new HashMap<>();
    private final Map<FollowedNode, Counter> lies = new HashMap<>();
    private final Map<FollowedNode, Counter> asides = new HashMap<>();
    private final Map<FollowedNode, Instant> setAside = new HashMap<>();
    private final Map<FollowedNode, Height> heights = new HashMap<>();
    private final Set<FollowedNode> strangers = new HashSet<>();
    private int current;

    Rounds(List<FollowedNode> nodes, Clock clock, MeterRegistry meters) {
        this.nodes = nodes;
        this.clock = clock;
        nodes.forEach(node -> asides.put(
                node,
                Counter.builder("walletd.follower.tips.aside")
                        .description("Times that the node began to name tips that it did not prove")
                        .tag("node", node.name())
                        .register(meters)));
        nodes.forEach(node -> lies.put(
                node,
                Counter.builder("walletd.follower.lies")
                        .description("Blocks of the node that failed a check twice")
                        .tag("node", node.name())
                        .register(meters)));
    }

    /** The node of the next round. */
    FollowedNode next() {
        for (int i = 0; i < nodes.size(); i++) {
            current = (current + 1) % nodes.size();
            if (!isPassedOver(nodes.get(current))) {
                return nodes.get(current);
            }
        }
        current = (current + 1) % nodes.size();
        return nodes.get(current);
    }

    private boolean isPassedOver(FollowedNode node) {
        Instant when = lied.get(node);
        return when != null && clock.instant().isBefore(when.plus(PASSED_OVER));
    }

    /**
     * Takes how a node's chain stands to ours: whether it differs, and how high it is. A tip is believed by what its node shows, each for itself, before
     * anybody takes the highest.
     *
     * @param ours height of the followed chain
     */
    void found(FollowedNode node, Look.Finding finding, long ours) {
        if (finding instanceof Look.Finding.Same) {
            agrees(node);
            heights.put(node, new Height(ours, ours, 0));
            takeBack(node);
        } else if (finding instanceof Look.Finding.Longer longer) {
            agrees(node);
            proves(node, longer.to(), ours, longer.whole());
        } else if (finding instanceof Look.Finding.Heavier heavier) {
            proves(node, heavier.to(), ours, heavier.whole());
        } else if (finding instanceof Look.Finding.Behind) {
            differs(node);
            heights.remove(node);
            takeBack(node);
        } else if (finding instanceof Look.Finding.Dissent dissent) {
            differs(node);
            heights.remove(node);
            judgeTip(node, dissent.whole());
        } else if (finding instanceof Look.Finding.Stranger) {
            isStranger(node);
            heights.remove(node);
            setAside(node);
        } else if (finding instanceof Look.Finding.Hollow) {
            differs(node);
            silent(node);
            setAside(node);
        } else if (finding instanceof Look.Finding.Unclear unclear) {
            silent(node);
            unclear.fault().ifPresent(fault -> setAside(node));
        }
    }

    void agrees(FollowedNode node) {
        differsSince.remove(node);
        strangers.remove(node);
    }

    /** It lags, or shows a chain without more work than ours. */
    void differs(FollowedNode node) {
        differsSince.putIfAbsent(node, clock.instant());
        strangers.remove(node);
    }

    /** Its chain has no block that the books know: no work can be weighed, and only the operator can say which one is right. */
    void isStranger(FollowedNode node) {
        differsSince.putIfAbsent(node, clock.instant());
        if (strangers.add(node)) {
            LOG.warn("{} shows a chain that shares no block with the books and is not followed", node.name());
        }
    }

    private void proves(FollowedNode node, long to, long ours, boolean whole) {
        Height now = new Height(Math.min(to, ours + Look.PROOF), to, 0);
        if (whole) {
            heights.put(node, now);
        } else {
            heights.merge(node, now, Height::unproven);
        }
        judgeTip(node, whole);
    }

    /**
     * It does not answer, or names a tip of which it proves nothing. The height that it has proven last is kept for {@value #MOST_UNPROVEN} looks:
     * a node starts again, or lacks a block for a moment, and then we lag as before.
     */
    void silent(FollowedNode node) {
        heights.computeIfPresent(node, (same, before) -> before.unproven(before));
    }

    private void judgeTip(FollowedNode node, boolean proven) {
        if (proven) {
            takeBack(node);
        } else {
            setAside(node);
        }
    }

    /** The tip that it names is none that can be followed: nobody is told of it until it has named only others for a while. */
    private void setAside(FollowedNode node) {
        if (setAside.put(node, clock.instant()) == null) {
            LOG.warn("{} names a tip that it does not prove, which is set aside", node.name());
            asides.get(node).increment();
        }
    }

    /** The tip that it names is proven. */
    private void takeBack(FollowedNode node) {
        setAside.computeIfPresent(node, (same, last) -> clock.instant().isBefore(last.plus(ASIDE)) ? last : null);
    }

    /** Whether a node names a tip that it does not prove, or was caught in a lie a short while ago. */
    boolean distrusts() {
        return !setAside.isEmpty() || nodes.stream().anyMatch(this::isPassedOver);
    }

    /** Nodes whose tips are set aside. */
    Set<String> aside() {
        return setAside.keySet().stream().map(FollowedNode::name).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The highest that a node's chain is, as far as that is proven; -1 before a node has said it. Where none says it any longer, no more than our
     * own chain is known.
     *
     * @param before what this was at the last look
     * @param ours height of the followed chain
     */
    long highest(long before, long ours) {
        return heights.values().stream().mapToLong(Height::named).max().orElse(Math.min(before, ours));
    }

    /**
     * Height of a node's chain.
     *
     * @param proven as high as the node has shown blocks
     * @param named as high as it says, when it has proven that last
     * @param looks without a proof since then
     */
    private record Height(long proven, long named, int looks) {
        Height unproven(Height now) {
            int more = looks + 1;
            long atLeast = Math.max(proven, now.proven);
            return new Height(atLeast, more < MOST_UNPROVEN ? Math.max(named, atLeast) : atLeast, more);
        }
    }

    void lied(FollowedNode node, Fault fault) {
        if (!isPassedOver(node)) {
            LOG.warn("{} insists on a block that is none, and is not asked for a while: {}", node.name(), fault);
        }
        setAside(node);
        heights.remove(node);
        lied.put(node, clock.instant());
        lies.get(node).increment();
    }

    /** Complaints for the operator, one line for each node. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        for (FollowedNode node : nodes) {
            Instant since = differsSince.get(node);
            if (since != null && !clock.instant().isBefore(since.plus(TOLERATED))) {
                complaints.add(node.name() + (strangers.contains(node) ? STRANGER : DIFFERENT) + " since " + since);
            }
        }
        return complaints;
    }
}
