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
 * Chooses the node for each round, and records the nodes' faults. Each round asks another node, so that all nodes are compared with the followed
 * chain. A node that returned false data is skipped for a while, unless all have: this only changes which node is asked.
 */
final class Rounds {
    private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);
    private static final Duration PASSED_OVER = Duration.ofMinutes(10);
    /** Time for which a node may lag, or follow another branch, before it is reported. */
    private static final Duration TOLERATED = Duration.ofMinutes(10);

    private static final String DIFFERENT = " lags behind the followed chain or shows another one";
    private static final String NO_COMMON_BLOCK =
            " shows a chain that shares no block with the books (if it is the right one, start the daemon again with"
                    + " --checkpoint=height:id of a block of that chain, at a height of which the books keep another one)";

    private final List<FollowedNode> nodes;
    private final Clock clock;
    private final Map<FollowedNode, Instant> falseDataAt = new HashMap<>();
    private final Map<FollowedNode, Instant> differsSince = new HashMap<>();
    private final Map<FollowedNode, Counter> falseData = new HashMap<>();
    private final Map<FollowedNode, Counter> ignoredTipCounters = new HashMap<>();
    private final Set<String> ignoredTips = new HashSet<>();
    private final Set<FollowedNode> withoutCommonBlock = new HashSet<>();
    private int current;

    Rounds(List<FollowedNode> nodes, Clock clock, MeterRegistry meters) {
        this.nodes = nodes;
        this.clock = clock;
        nodes.forEach(node -> ignoredTipCounters.put(
                node,
                Counter.builder("walletd.follower.tips.aside")
                        .description("Times that the node began to name tips whose block it did not show")
                        .tag("node", node.name())
                        .register(meters)));
        nodes.forEach(node -> falseData.put(
                node,
                Counter.builder("walletd.follower.lies")
                        .description("Blocks of the node that failed a check twice")
                        .tag("node", node.name())
                        .register(meters)));
    }

    /** Returns the node of the next round. */
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
        Instant when = falseDataAt.get(node);
        return when != null && clock.instant().isBefore(when.plus(PASSED_OVER));
    }

    void agrees(FollowedNode node) {
        differsSince.remove(node);
        withoutCommonBlock.remove(node);
    }

    /** Records that a node lags, or shows a chain without more work than ours. */
    void differs(FollowedNode node) {
        differsSince.putIfAbsent(node, clock.instant());
        withoutCommonBlock.remove(node);
    }

    /** Records that a node's chain shares no block with the books: work cannot be compared, and only the operator can say which chain is right. */
    void hasNoCommonBlock(FollowedNode node) {
        differsSince.putIfAbsent(node, clock.instant());
        if (withoutCommonBlock.add(node)) {
            LOG.warn("{} shows a chain that shares no block with the books and is not followed", node.name());
        }
    }

    /** Ignores the tip that the node reports, because it cannot be followed, until it reports one that can. */
    void ignoreTip(FollowedNode node) {
        if (ignoredTips.add(node.name())) {
            LOG.warn("{} reports a tip whose block it does not show; the tip is ignored", node.name());
            ignoredTipCounters.get(node).increment();
        }
    }

    void acceptTip(FollowedNode node) {
        ignoredTips.remove(node.name());
    }

    /** Returns whether a node reports a tip that it does not show, or has returned false data recently. */
    boolean isDistrusting() {
        return !ignoredTips.isEmpty() || nodes.stream().anyMatch(this::isPassedOver);
    }

    /** Returns the names of the nodes whose tips are ignored. */
    Set<String> ignoredTips() {
        return Set.copyOf(ignoredTips);
    }

    void returnedFalseData(FollowedNode node, Fault fault) {
        if (!isPassedOver(node)) {
            LOG.warn("{} repeatedly shows an invalid block and is skipped for a while: {}", node.name(), fault);
        }
        falseDataAt.put(node, clock.instant());
        falseData.get(node).increment();
    }

    /** Returns complaints for the operator, one line for each node. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        for (FollowedNode node : nodes) {
            Instant since = differsSince.get(node);
            if (since != null && !clock.instant().isBefore(since.plus(TOLERATED))) {
                complaints.add(node.name() + (withoutCommonBlock.contains(node) ? NO_COMMON_BLOCK : DIFFERENT)
                        + " since " + since);
            }
        }
        return complaints;
    }
}
