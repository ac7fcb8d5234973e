package org.chainwalletd.follow;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.follow.ChainComparison.Proof.Extent;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the node for each round, and records the nodes' faults and the heights of their chains. Each round asks another node, so that all nodes are
 * compared with the followed chain. A node that returned false data is skipped for a while, unless all have: this only changes which node is asked.
 */
final class Rounds {
    private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);
    private static final Duration PASSED_OVER = Duration.ofMinutes(10);
    /** Time for which a node may lag, or follow another branch, before it is reported. */
    private static final Duration TOLERATED = Duration.ofMinutes(10);

    /** Looks at each node during which the height that a node reported counts after its last proof. Long enough for the node to restart. */
    private static final int KEPT_LOOKS = 20;
    /** Failed looks in a row after which a node counts as silent. */
    private static final int SILENT_LOOKS = 3;
    /**
     * As {@link #KEPT_LOOKS}, once the followed chain has reached the headers of the proof and the node has supplied many blocks: from then on it must
     * prove its height again. Not less than {@link #SILENT_LOOKS}: a lag must not vanish before all nodes count as silent.
     */
    private static final int PASSED_LOOKS = SILENT_LOOKS;
    /** Blocks that are hardly found in the few seconds since the followed tip was the newest. */
    private static final int BROUGHT = 10;
    /** A fifth of the usual time between blocks, which are hardly ever found so fast. */
    static final Duration FASTEST_BLOCKS = Duration.ofSeconds(2);

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
    /** Names of the nodes that showed false data instead of the blocks up to the tip that they report. */
    private final Set<String> falseTips = new HashSet<>();
    /** Nodes that last reported a tip above ours on a branch without proven work. */
    private final Set<FollowedNode> apart = new HashSet<>();
    /** Heights of the tips that nodes showed, on the followed chain or above it, when they were last asked. */
    private final Map<FollowedNode, Long> shownTips = new HashMap<>();

    private final Set<FollowedNode> withoutCommonBlock = new HashSet<>();
    private final Map<FollowedNode, Height> heights = new HashMap<>();
    /** Nodes whose last reported tip cannot be followed. */
    private final Set<FollowedNode> tipsNotFollowable = new HashSet<>();

    private final Map<FollowedNode, NoNextBlock> withoutNextBlock = new HashMap<>();
    /** Failed looks at each node since it last answered. */
    private final Map<FollowedNode, Integer> failedLooks = new HashMap<>();

    private long looks;
    /** Whether a node has answered since the start. Until then, the height known before counts. */
    private boolean answered;

    private int current;

    Rounds(List<FollowedNode> nodes, Clock clock, MeterRegistry meters) {
        this.nodes = nodes;
        this.clock = clock;
        nodes.forEach(node -> ignoredTipCounters.put(
                node,
                Counter.builder("walletd.follower.tips.aside")
                        .description("Times that the node began to report tips that cannot be followed")
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
        looks++;
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

    /**
     * Records the height of a node's chain, and whether its tip can be followed, by what the node itself shows. Done for each node before its height can
     * count as the highest.
     *
     * @param ours height of the followed chain
     */
    void found(FollowedNode node, ChainComparison.Finding finding, long ours) {
        answered = true;
        failedLooks.remove(node);
        shownTips.remove(node);
        apart.remove(node);
        if (isApart(finding, ours)) {
            apart.add(node);
        }
        if (finding instanceof ChainComparison.Finding.Longer longer) {
            if (longer.shown() && longer.proof().extent() != Extent.PARTIAL) {
                shownTips.put(node, longer.to());
            }
            recordProof(node, longer.proof(), longer.to(), ours);
            if (isFalseData(longer.proof().fault()) || !longer.shown()) {
                doubtTip(node, isFalseData(longer.proof().fault()));
            } else if (longer.proof().extent() == Extent.COMPLETE) {
                acceptTip(node);
            } else if (longer.proof().extent() == Extent.FIRST) {
                // An ignored tip stays ignored: these headers do not lead up to it.
                tipsNotFollowable.remove(node);
            }
        } else if (finding instanceof ChainComparison.Finding.HeavierBranch heavier) {
            recordProof(node, heavier.proof(), heavier.to(), ours);
            shownTips.put(node, heavier.to());
            acceptTip(node);
        } else if (finding instanceof ChainComparison.Finding.TipNotShown notShown) {
            doubtTip(node, false);
            if (ignoredTips.contains(node.name())) {
                lacksNextBlock(node, Optional.empty(), notShown.tip().height());
                heights.computeIfPresent(node, (same, before) -> before.byHeadersOnly());
            }
        } else if (finding instanceof ChainComparison.Finding.Unclear unclear) {
            if (isFalseData(unclear.fault())) {
                doubtTip(node, true);
            }
        } else if (finding instanceof ChainComparison.Finding.OtherBranch other) {
            if (other.shown()) {
                clearDoubts(node);
            } else {
                doubtTip(node, false);
            }
            // A branch that may be heavier does not take back what the node proved before.
            if (other.height() <= ours) {
                heights.remove(node);
            }
        } else if (finding instanceof ChainComparison.Finding.Same) {
            shownTips.put(node, ours);
            clearDoubts(node);
            heights.put(node, new Height(ours, ours, looks, false));
        } else {
            clearDoubts(node);
            heights.remove(node);
        }
    }

    private static boolean isApart(ChainComparison.Finding finding, long ours) {
        return finding instanceof ChainComparison.Finding.NoCommonBlock none
                        && Long.compareUnsigned(none.height(), ours) > 0
                || finding instanceof ChainComparison.Finding.OtherBranch branch
                        && Long.compareUnsigned(branch.height(), ours) > 0;
    }

    private void clearDoubts(FollowedNode node) {
        withoutNextBlock.remove(node);
        acceptTip(node);
    }

    private static boolean isFalseData(Optional<Fault> fault) {
        return fault.filter(known -> known.rule().provesFalseData()).isPresent();
    }

    private void recordProof(FollowedNode node, ChainComparison.Proof proof, long to, long ours) {
        long headers = Math.min(proof.height(), ours + ChainComparison.PROOF);
        if (proof.extent() != Extent.PARTIAL) {
            heights.put(node, proven(node, headers, to, ours, proof.extent()));
        } else if (headers > ours) {
            heights.merge(
                    node,
                    new Height(headers, headers, looks, false),
                    (before, now) -> known(node, before, ours) > before.proven
                            ? before.withProven(now)
                            : now.withProven(before));
        } else if (proof.fault().isPresent()) {
            lacksNextBlock(node, proof.fault(), to);
        }
    }

    /** Headers do not prolong the height of a node that supplied blocks: while it still counts, its time runs on. */
    private Height proven(FollowedNode node, long headers, long to, long ours, Extent extent) {
        Height before = heights.get(node);
        boolean prolongs = extent != Extent.COMPLETE && before != null && before.supplied;
        return prolongs && known(node, before, ours) > before.proven
                ? new Height(headers, to, before.look, true)
                : new Height(headers, to, looks, false);
    }

    private void lacksNextBlock(FollowedNode node, Optional<Fault> fault, long reported) {
        withoutNextBlock.merge(node, new NoNextBlock(fault, reported), NoNextBlock::and);
    }

    /** Records that the node showed blocks that were accepted, or the header of a valid next block. */
    void brings(FollowedNode node) {
        withoutNextBlock.remove(node);
    }

    /**
     * Records that the node supplied {@code count} blocks that were accepted. More than it could have waited for prove the height that it reports, too.
     *
     * @param time since the look before the first of these blocks
     */
    void supplied(FollowedNode node, long count, Duration time) {
        brings(node);
        if (count > BROUGHT + time.dividedBy(FASTEST_BLOCKS)) {
            heights.computeIfPresent(node, (same, before) -> before.suppliedAt(looks));
        }
    }

    /** Records that another daemon wrote blocks faster than they are found: some node supplies them. */
    void suppliedToAnother() {
        heights.replaceAll((node, before) ->
                before.look >= looks - (long) KEPT_LOOKS * nodes.size() ? before.suppliedAt(looks) : before);
    }

    /** Limits what nodes have proven on blocks above {@code height} that were undone. */
    void undone(long height) {
        shownTips.clear();
        heights.replaceAll((node, known) -> known.atMost(height + ChainComparison.PROOF));
    }

    /** Records that the node did not answer. */
    void failed(FollowedNode node) {
        if (failedLooks.merge(node, 1, Integer::sum) >= SILENT_LOOKS) {
            shownTips.remove(node);
            lacksNextBlock(node, Optional.empty(), -1);
        }
    }

    /** Forgets what the nodes showed above the previous chain, because another chain is followed now. */
    void forgetHeights() {
        heights.clear();
        withoutNextBlock.clear();
        tipsNotFollowable.clear();
        ignoredTips.clear();
        falseTips.clear();
        shownTips.clear();
        apart.clear();
        answered = true;
    }

    /**
     * Returns the height of the chain: the highest that a node has proven. With a single node, or if no node shows a valid next block, the reported
     * height counts.
     *
     * @param named the height last reported by a node whose chain extends ours
     * @param before the previous result
     * @param ours height of the followed chain
     */
    long highest(long named, long before, long ours) {
        long proven = heights.entrySet().stream()
                .mapToLong(entry -> known(entry.getKey(), entry.getValue(), ours))
                .max()
                .orElse(answered ? Math.min(before, ours) : before);
        if (nodes.size() == 1 && !lacksNextBlock()) {
            return named;
        }
        return lacksNextBlock()
                ? withoutNextBlock.values().stream()
                        .mapToLong(NoNextBlock::reported)
                        .reduce(Math.max(named, proven), Math::max)
                : proven;
    }

    private boolean lacksNextBlock() {
        return withoutNextBlock.size() == nodes.size();
    }

    private long known(FollowedNode node, Height height, long ours) {
        if (ours >= height.proven && !height.supplied) {
            return height.proven;
        }
        boolean keepsLong = ours < height.proven || failedLooks.containsKey(node);
        long kept = keepsLong ? KEPT_LOOKS : PASSED_LOOKS;
        return height.look >= looks - kept * nodes.size() ? Math.max(height.proven, height.named) : height.proven;
    }

    /**
     * Height of a node's chain.
     *
     * @param proven height of the last header of its proof
     * @param named the height that it reported, accepted because of that proof
     * @param look number of the look of the proof, or of the last one before the node supplied blocks
     * @param supplied whether blocks were then supplied faster than they are found, to this daemon or to another
     */
    private record Height(long proven, long named, long look, boolean supplied) {
        Height withProven(Height more) {
            return new Height(Math.max(proven, more.proven), named, look, supplied);
        }

        Height byHeadersOnly() {
            return new Height(proven, proven, look, supplied);
        }

        Height suppliedAt(long now) {
            return new Height(proven, named, now, true);
        }

        Height atMost(long most) {
            return new Height(Math.min(proven, most), named > proven ? named : Math.min(named, most), look, supplied);
        }
    }

    /**
     * Why a node shows no valid next block.
     *
     * @param fault fault of the block that it shows instead
     * @param reported height that it reports; negative if unknown
     */
    private record NoNextBlock(Optional<Fault> fault, long reported) {
        NoNextBlock and(NoNextBlock later) {
            return new NoNextBlock(later.fault.or(() -> fault), later.reported < 0 ? reported : later.reported);
        }
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

    /** Ignores the tip that the node reports from the second time on that it cannot be followed, until the node reports one that can. */
    private void doubtTip(FollowedNode node, boolean isFalse) {
        if (isFalse) {
            falseTips.add(node.name());
        } else {
            falseTips.remove(node.name());
        }
        if (tipsNotFollowable.add(node)) {
            return;
        }
        if (ignoredTips.add(node.name())) {
            LOG.warn("{} reports a tip that cannot be followed; the tip is ignored", node.name());
            ignoredTipCounters.get(node).increment();
        }
    }

    private void acceptTip(FollowedNode node) {
        tipsNotFollowable.remove(node);
        ignoredTips.remove(node.name());
        falseTips.remove(node.name());
    }

    /** @param ours height of the followed chain */
    Precedence precedence(long ours) {
        boolean isFalse = nodes.stream().anyMatch(this::isPassedOver) || !Collections.disjoint(ignoredTips, falseTips);
        boolean confirmed = shownTips.values().stream().anyMatch(tip -> Long.compareUnsigned(tip, ours) <= 0);
        if (isFalse || confirmed && !(ignoredTips.isEmpty() && apart.isEmpty())) {
            return Precedence.BOOKS;
        }
        return ignoredTips.isEmpty() ? Precedence.NODES : Precedence.NEITHER;
    }

    /** Returns the names of the nodes whose tips are ignored. */
    Set<String> ignoredTips() {
        return Set.copyOf(ignoredTips);
    }

    void returnedFalseData(FollowedNode node, Fault fault) {
        if (!isPassedOver(node)) {
            LOG.warn("{} repeatedly shows an invalid block and is skipped for a while: {}", node.name(), fault);
        }
        lacksNextBlock(node, Optional.of(fault), -1);
        falseDataAt.put(node, clock.instant());
        falseData.get(node).increment();
    }

    /** Returns complaints for the operator, one line for each node. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        if (lacksNextBlock()) {
            withoutNextBlock.forEach((node, why) -> why.fault()
                    .ifPresent(fault -> complaints.add(
                            "no node shows a valid next block: " + node.name() + " shows an invalid one: " + fault)));
        }
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
