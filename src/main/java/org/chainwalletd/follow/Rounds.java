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
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Choice of the node to ask next, and the faults that each node was caught in. Every round asks another one, so that all of them are compared with the followed
 * chain. A node that was caught in a lie is passed over for a while, unless all were: that changes whom the follower asks, nothing else.
 */
final class Rounds {
    private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);
    private static final Duration PASSED_OVER = Duration.ofMinutes(10);
    /** A node may lag, or follow another branch, for so long before anybody is told. */
    private static final Duration TOLERATED = Duration.ofMinutes(10);

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
    private final Set<String> setAside = new HashSet<>();
    private final Set<FollowedNode> strangers = new HashSet<>();
    private int current;

    Rounds(List<FollowedNode> nodes, Clock clock, MeterRegistry meters) {
        this.nodes = nodes;
        this.clock = clock;
        nodes.forEach(node -> asides.put(
                node,
                Counter.builder("walletd.follower.tips.aside")
                        .description("Times that the node began to name tips whose block it did not show")
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

    /** The tip that it names is none that can be followed: nobody is told of it until it names one that can. */
    void setAside(FollowedNode node) {
        if (setAside.add(node.name())) {
            LOG.warn("{} names a tip whose block it does not show, which is set aside", node.name());
            asides.get(node).increment();
        }
    }

    void takeBack(FollowedNode node) {
        setAside.remove(node.name());
    }

    /** Whether a node names a tip that it does not show, or was caught in a lie a short while ago. */
    boolean distrusts() {
        return !setAside.isEmpty() || nodes.stream().anyMatch(this::isPassedOver);
    }

    /** Nodes whose tips are set aside. */
    Set<String> aside() {
        return Set.copyOf(setAside);
    }

    void lied(FollowedNode node, Fault fault) {
        if (!isPassedOver(node)) {
            LOG.warn("{} insists on a block that is none, and is not asked for a while: {}", node.name(), fault);
        }
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
