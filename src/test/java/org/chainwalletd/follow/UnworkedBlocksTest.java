package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.MerkleTree;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.LogCapture;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Node that shows blocks without work, with timestamps of yesterday and below a false tip, so that few of them are checked; or a branch of which it
 * has only the headers. A nonce of one counts as work here.
 */
class UnworkedBlocksTest {
    private static final Hash256 TARGET = Hash256.parse("10" + "00".repeat(31));
    private static final long YESTERDAY = Instant.now().getEpochSecond() - 86_400;
    private static final Hash256 NO_TRANSACTIONS = MerkleTree.root(ChainProfile.of("chain"), List.of());
    private static final long FAR_ABOVE = 100_000;

    @TempDir
    Path folder;

    private final WorkCheck work = new WorkCheck(header -> header.nonce() == 1, Runnable::run);
    private final Node node = new Node();
    private NodeClient any = node.client();
    private Duration timeout = Duration.ofSeconds(10);

    @AutoClose
    private FollowRig rig;

    /** Node that answers from a list of headers, and does not return their transactions unless it is to delay them. */
    private static final class Node {
        volatile List<BlockHeader> shown = List.of();
        /** Height of a false tip far above the headers, whose block has no ancestors; none when 0. */
        volatile long claimed;
        /** Whether it denies having blocks above the first, until it has denied the second. */
        volatile boolean denies;
        /** Height above which it shows no block but its tip. */
        volatile long failsAbove = Long.MAX_VALUE;
        /** Height of a block that it does not have. */
        volatile long lacks = -1;
        /** Run on each request for a block, before the answer. */
        volatile Runnable whenAsked = () -> {};
        /** Delay of each answer about a block. */
        volatile Duration delay = Duration.ZERO;
        /** Number of transactions that a block lists if its header has the root of any. */
        volatile int listed = 1;
        /** Delay of each transaction; none is sent if empty. */
        volatile Optional<Duration> bodiesDelay = Optional.empty();
        /** Whether it reports its tip but shows no block. */
        volatile boolean fails;

        final AtomicInteger bodiesAsked = new AtomicInteger();
        final Set<Hash256> bodies = ConcurrentHashMap.newKeySet();
        final AtomicInteger tipsAsked = new AtomicInteger();
        final AtomicInteger blocksAsked = new AtomicInteger();

        NodeClient client() {
            return Stub.of(NodeClient.class, call -> switch (call.name()) {
                case "tip" -> {
                    tipsAsked.incrementAndGet();
                    yield CompletableFuture.completedFuture(tip());
                }
                case "blockAt" -> {
                    blocksAsked.incrementAndGet();
                    whenAsked.run();
                    long height = (Long) call.arguments()[0];
                    yield fails || height > failsAbove && height < shown.size() - 1
                            ? CompletableFuture.failedFuture(new NodeException.Unreachable("the answer is too long"))
                            : delayed(blockAt(height), delay);
                }
                case "transaction" -> {
                    bodiesAsked.incrementAndGet();
                    bodies.add((Hash256) call.arguments()[0]);
                    Optional<NodeClient.NodeTransaction> sent = bodiesDelay.map(time -> new NodeClient.NodeTransaction(
                            (Hash256) call.arguments()[0], Bytes.wrap(new byte[1]), false, Hash256.ZERO, 0L));
                    yield delayed(sent, bodiesDelay.orElse(Duration.ZERO));
                }
                case "each" -> List.of(call.self());
                case "pinned", "hasty", "background", "patient" -> call.self();
                default -> throw new UnsupportedOperationException(call.name());
            });
        }

        private static <T> CompletableFuture<T> delayed(T answer, Duration delay) {
            return delay.isZero()
                    ? CompletableFuture.completedFuture(answer)
                    : new CompletableFuture<T>().completeOnTimeout(answer, delay.toMillis(), TimeUnit.MILLISECONDS);
        }

        private NodeClient.Tip tip() {
            NodeClient.BlockSummary top =
                    blockAt(claimed == 0 ? shown.size() - 1 : claimed).orElseThrow();
            return new NodeClient.Tip(top.height(), top.blockId(), shown.get(0).id());
        }

        private Optional<NodeClient.BlockSummary> blockAt(long height) {
            if (denies && height > 0 && height < shown.size()) {
                denies = height > 1;
                return Optional.empty();
            }
            if (height >= 0 && height < shown.size() && height != lacks) {
                return Optional.of(summary(shown.get((int) height)));
            }
            return height == claimed ? Optional.of(summary(header(height, Hash256.ZERO, 0))) : Optional.empty();
        }

        private NodeClient.BlockSummary summary(BlockHeader header) {
            List<Hash256> transactions = IntStream.range(0, header.txRoot().equals(NO_TRANSACTIONS) ? 0 : listed)
                    .mapToObj(number -> Hash256.parse("%064x".formatted(number)))
                    .toList();
            return new NodeClient.BlockSummary(
                    header.id(),
                    header.height(),
                    header.previousId(),
                    header.stateRoot(),
                    header.txRoot(),
                    header.timestamp(),
                    header.nonce(),
                    header.target(),
                    transactions.size(),
                    transactions);
        }
    }

    private static BlockHeader header(long height, Hash256 parent, long nonce) {
        return header(height, parent, nonce, YESTERDAY + height, NO_TRANSACTIONS);
    }

    private static BlockHeader header(long height, Hash256 parent, long nonce, long time, Hash256 root) {
        return header(height, parent, nonce, time, root, TARGET);
    }

    private static BlockHeader header(
            long height, Hash256 parent, long nonce, long time, Hash256 root, Hash256 target) {
        return new BlockHeader(BlockHeader.VERSION, height, parent, time, target, nonce, root, Hash256.ZERO);
    }

    private static List<BlockHeader> grown(List<BlockHeader> from, int count, boolean worked) {
        List<BlockHeader> chain = new ArrayList<>(from);
        for (int i = 0; i < count; i++) {
            chain.add(header(chain.size(), topOf(chain), worked ? 1 : 0));
        }
        return chain;
    }

    private static Hash256 topOf(List<BlockHeader> chain) {
        return chain.isEmpty() ? Hash256.ZERO : chain.get(chain.size() - 1).id();
    }

    private void follow(List<BlockHeader> chain) {
        follow(chain, node);
    }

    /** Follows nodes that all show the same ten blocks, which are returned. */
    private List<BlockHeader> followed(Node... nodes) {
        List<BlockHeader> chain = grown(List.of(), 10, true);
        follow(chain, nodes);
        return chain;
    }

    private void follow(List<BlockHeader> chain, Node... nodes) {
        follow(chain, Clock.systemUTC(), nodes);
    }

    private void follow(List<BlockHeader> chain, Clock clock, Node... nodes) {
        List<FollowedNode> followed = new ArrayList<>();
        for (Node each : nodes) {
            each.shown = chain;
            followed.add(new FollowedNode("node " + followed.size(), each.client()));
        }
        rig = new FollowRig(
                folder,
                List.of(),
                setup -> Copies.with(
                        setup,
                        "sources",
                        new FollowerSetup.Sources(followed, any, FollowRig.known(Network.TESTNET)),
                        "work",
                        work,
                        "clock",
                        clock,
                        "requestTimeout",
                        timeout),
                URI.create("http://127.0.0.1:9"));
        rig.awaitTip(topOf(chain));
    }

    private double lies() {
        return rig.meters()
                .get("walletd.follower.lies")
                .tag("node", "node 0")
                .counter()
                .count();
    }

    @Test
    void a_branch_without_work_replaces_nothing_however_high_the_node_says_its_chain_is() {
        List<BlockHeader> common = grown(List.of(), 20, true);
        HeaderChain ours = HeaderChain.of(grown(common, 105, true).stream()
                .map(header -> HeaderCheck.row(header, true))
                .toList());
        node.claimed = FAR_ABOVE;
        node.shown = grown(List.of(common.get(0)), 150, false);
        HeaderCheck check = check(work);

        for (int i = 0; i < 100; i++) {
            assertThat(Await.result(new ChainComparison(node.client(), ours.copy(), check, Runnable::run).begin()))
                    .isInstanceOf(ChainComparison.Finding.Unclear.class);
        }
    }

    @Test
    void a_node_that_names_its_tip_and_shows_no_blocks_is_complained_of_until_it_shows_them() {
        List<BlockHeader> chain = grown(List.of(), 5, true);
        follow(chain);
        node.fails = true;
        node.shown = grown(chain, 1, true);
        Await.until(
                "somebody is told",
                () -> rig.follower().status().complaints().stream()
                        .anyMatch(complaint -> complaint.startsWith("no node shows its blocks: node 0")));

        node.fails = false;
        rig.awaitTip(topOf(node.shown));
        assertThat(rig.follower().status().complaints()).isEmpty();
    }

    @Test
    void blocks_below_one_without_work_give_way_to_blocks_of_less_work_that_somebody_worked_for() {
        List<BlockHeader> honest = grown(List.of(), 10, true);
        follow(honest);
        for (int i = 1; i <= 3; i++) {
            double before = lies();
            List<BlockHeader> lie = grown(honest, 50, false);
            // Recent enough to be checked in any case.
            lie.add(header(lie.size(), topOf(lie), 0, Instant.now().getEpochSecond(), NO_TRANSACTIONS));
            node.claimed = FAR_ABOVE;
            node.shown = lie;
            Await.until("the lie is found out", () -> lies() > before);

            honest = grown(honest, 1, true);
            node.claimed = 0;
            node.shown = honest;
            rig.awaitTip(topOf(honest));
        }
        assertThat(rig.events()).noneMatch(FollowEvent.Disconnected.class::isInstance);
    }

    @Test
    void a_node_that_sends_each_header_late_does_not_keep_the_follower_from_the_others() {
        timeout = Duration.ofMillis(100);
        Node late = new Node();
        List<BlockHeader> common = followed(late, node);
        List<BlockHeader> ours = grown(common, 200, true);
        late.shown = ours;
        node.shown = ours;
        rig.awaitTip(topOf(ours));
        List<BlockHeader> branch = new ArrayList<>(common);
        branch.add(header(10, topOf(common), 1, YESTERDAY + 11, NO_TRANSACTIONS));
        late.delay = timeout.dividedBy(2);
        late.shown = grown(branch, 150, true);
        int before = late.blocksAsked.get();
        Await.until("it is looked at", () -> late.blocksAsked.get() > before + 2);

        node.shown = grown(ours, 1, true);

        rig.awaitTip(topOf(node.shown));
        assertThat(late.blocksAsked.get() - before).isLessThan(100);
    }

    @Test
    void a_node_that_sends_each_transaction_of_its_block_late_does_not_keep_the_follower_from_the_others() {
        timeout = Duration.ofMillis(100);
        Node late = new Node();
        any = late.client();
        List<BlockHeader> chain = followed(late, node);
        late.bodiesDelay = Optional.of(timeout.multipliedBy(9).dividedBy(10));
        late.listed = 1_000;
        late.shown = grownWithoutBodies(chain, 1, true);
        Await.until("its block is read", () -> late.bodiesAsked.get() > 0);

        node.shown = grown(chain, 1, true);

        rig.awaitTip(topOf(node.shown));
        assertThat(late.bodiesAsked).hasValueLessThan(200);
    }

    @Test
    void a_block_with_many_transactions_is_read_as_a_whole_although_all_nodes_are_slow() {
        timeout = Duration.ofMillis(50);
        Node second = new Node();
        any = node.client();
        List<BlockHeader> chain = followed(second, node);
        List<BlockHeader> next = grownWithoutBodies(chain, 1, true);
        for (Node slow : List.of(second, node)) {
            slow.bodiesDelay = Optional.of(timeout.multipliedBy(3).dividedBy(10));
            slow.listed = 200;
            slow.shown = next;
        }

        Await.until("all transactions of the block are read", () -> node.bodies.size() == 200);
    }

    @Test
    void a_node_that_uses_up_its_time_before_it_shows_an_invalid_block_is_caught() {
        timeout = Duration.ofMillis(20);
        Node late = new Node();
        List<BlockHeader> chain = followed(late, node);
        late.delay = timeout.multipliedBy(8);
        late.shown = grown(chain, 1, false);

        Await.until("it is caught", () -> lies() > 0);
    }

    @Test
    void a_node_that_answers_late_is_logged_once_until_it_answers_in_time_again() {
        timeout = Duration.ofMillis(20);
        Node late = new Node();
        List<BlockHeader> chain = followed(late, node);
        try (LogCapture log = LogCapture.of(Walker.class).at(Level.WARN)) {
            for (int i = 1; i <= 2; i++) {
                chain = grown(chain, 20, true);
                late.delay = timeout.multipliedBy(8);
                late.shown = chain;
                int before = late.tipsAsked.get();
                Await.until("it is looked at", () -> late.tipsAsked.get() > before + 3);
                assertThat(log.messages().stream().filter(text -> text.startsWith("node 0 answers too late")))
                        .hasSize(i);

                late.delay = Duration.ZERO;
                rig.awaitTip(topOf(chain));
                node.shown = chain;
            }
        }
    }

    @Test
    void a_node_that_sends_each_header_late_does_not_delay_the_first_start_with_another() {
        timeout = Duration.ofMillis(100);
        Node late = new Node();
        late.delay = timeout.multipliedBy(9).dividedBy(10);

        follow(grown(List.of(), 400, true), node, late);

        assertThat(late.blocksAsked).hasValueBetween(10, 200);
    }

    @Test
    void a_node_that_denies_our_blocks_and_shows_them_then_costs_no_work() {
        List<BlockHeader> chain = grown(List.of(), 200, true);
        HeaderChain ours = HeaderChain.of(
                chain.stream().map(header -> HeaderCheck.row(header, true)).toList());
        node.shown = chain;
        node.claimed = chain.size();
        node.denies = true;
        AtomicInteger computed = new AtomicInteger();
        WorkCheck counting = new WorkCheck(header -> computed.incrementAndGet() > 0, Runnable::run);
        HeaderCheck check = check(counting);

        assertThat(Await.result(new ChainComparison(node.client(), ours, check, Runnable::run).begin()))
                .isEqualTo(new ChainComparison.Finding.Unclear(Optional.empty()));
        assertThat(computed).hasValue(0);
    }

    private ChainComparison.Finding compare(List<BlockHeader> kept, WorkCheck counting) {
        return compare(kept, check(counting));
    }

    private ChainComparison.Finding compare(List<BlockHeader> kept, HeaderCheck check) {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            return Await.result(new ChainComparison(node.client(), checked(kept), check, executor).begin());
        } finally {
            executor.shutdownNow();
        }
    }

    private static WorkCheck counting(AtomicInteger computed) {
        return new WorkCheck(
                header -> {
                    computed.incrementAndGet();
                    return header.nonce() == 1;
                },
                Runnable::run);
    }

    /** Returns those of 4,020 headers whose ids would be kept, if that were many. */
    private static List<BlockHeader> kept(List<BlockHeader> chain) {
        return kept(chain, 4_000);
    }

    private static List<BlockHeader> kept(List<BlockHeader> chain, long allAbove) {
        return chain.stream()
                .filter(header -> header.height() % BlockRows.EVERY == 0 || header.height() > allAbove)
                .toList();
    }

    @Test
    void a_node_that_is_far_behind_costs_no_work_even_at_a_block_whose_id_is_not_kept() {
        List<BlockHeader> chain = grown(List.of(), 4_020, true);
        AtomicInteger computed = new AtomicInteger();
        node.shown = chain.subList(0, 4_000);

        assertThat(compare(kept(chain), counting(computed)))
                .isEqualTo(new ChainComparison.Finding.LighterBranch(3_999, 3_000));
        assertThat(computed).hasValue(0);
    }

    @Test
    void blocks_that_may_be_ours_are_not_read_if_so_many_can_never_have_more_work() {
        node.shown = grown(List.of(), 3_101, true);

        assertThat(compare(kept(grown(node.shown, 919, true)), work))
                .isEqualTo(new ChainComparison.Finding.LighterBranch(3_100, 3_000));
        assertThat(node.blocksAsked).hasValueLessThan(50);
    }

    /** Adds blocks with a different target. */
    private static List<BlockHeader> grown(List<BlockHeader> from, int count, Hash256 target) {
        List<BlockHeader> chain = new ArrayList<>(from);
        for (int i = 0; i < count; i++) {
            chain.add(header(chain.size(), topOf(chain), 1, YESTERDAY + 1 + chain.size(), NO_TRANSACTIONS, target));
        }
        return chain;
    }

    @Test
    void a_branch_in_a_gap_of_the_kept_ids_is_heavier_if_its_target_becomes_harder_there() {
        List<BlockHeader> common = grown(List.of(), 4_001, true);
        Hash256 hardest = Difficulty.adjust(Network.TESTNET, TARGET, 0, 0);
        node.shown = grown(grown(common, 319, TARGET), 680, hardest);

        assertThat(compare(kept(grown(common, 1_100, true), 5_000), work))
                .isInstanceOfSatisfying(
                        ChainComparison.Finding.HeavierBranch.class,
                        heavier -> assertThat(heavier.fork()).isEqualTo(4_000));
    }

    @Test
    void a_branch_of_a_development_chain_is_heavier_with_any_target() {
        List<BlockHeader> common = grown(List.of(), 3_001, true);
        node.shown = grown(common, 100, Hash256.parse("0001" + "00".repeat(30)));

        assertThat(compare(kept(grown(common, 1_019, true)), check(work, Network.DEVNET)))
                .isInstanceOf(ChainComparison.Finding.HeavierBranch.class);
        assertThat(compare(kept(grown(common, 1_019, true)), work))
                .isInstanceOf(ChainComparison.Finding.LighterBranch.class);
    }

    @Test
    void a_node_that_denies_blocks_of_ours_whose_ids_are_kept_and_shows_those_below_costs_no_work() {
        List<BlockHeader> chain = grown(List.of(), 4_020, true);
        AtomicInteger computed = new AtomicInteger();
        node.shown = chain.subList(0, 4_000);
        node.claimed = 4_010;

        assertThat(compare(kept(chain), counting(computed)))
                .isEqualTo(new ChainComparison.Finding.Unclear(Optional.empty()));
        assertThat(computed).hasValue(0);
    }

    @Test
    void a_long_branch_without_work_is_a_lie_at_its_first_header() {
        List<BlockHeader> chain = grown(List.of(), 3_500, true);
        AtomicInteger computed = new AtomicInteger();
        node.shown = grown(chain.subList(0, 1_500), 1_900, false);

        ChainComparison.Finding finding = compare(chain, counting(computed));

        assertThat(finding)
                .isInstanceOfSatisfying(
                        ChainComparison.Finding.Unclear.class,
                        unclear ->
                                assertThat(unclear.fault().orElseThrow().rule()).isEqualTo(Fault.Rule.WORK));
        assertThat(computed).hasValue(1);
        assertThat(node.blocksAsked).hasValueLessThan(50);
    }

    @Test
    void headers_without_work_are_a_lie_even_if_they_claim_no_more_work_than_ours() {
        List<BlockHeader> chain = grown(List.of(), 3_600, true);
        assertLie(chain.subList(0, 20), 15, 5, 15);
        assertLie(chain.subList(0, 20), 15, 4, 15);
        assertLie(kept(chain, 3_499), 3_495, 10, 3_500);
    }

    /** Asserts that a node is detected that shows blocks without work on {@code common} blocks of ours. */
    private void assertLie(List<BlockHeader> ours, int common, int unworked, int lie) {
        AtomicInteger computed = new AtomicInteger();
        node.shown = grown(grown(List.of(), common, true), unworked, false);

        assertThat(compare(ours, counting(computed)))
                .isEqualTo(new ChainComparison.Finding.Unclear(Optional.of(
                        new Fault(Fault.Rule.WORK, lie, node.shown.get(lie).id()))));
        assertThat(computed).hasValue(1);
    }

    @Test
    void a_branch_of_more_work_counts_only_if_each_of_its_headers_has_that_work() {
        List<BlockHeader> common = grown(List.of(), 20, true);
        for (int length : List.of(11, 1_000, 1_001)) {
            List<BlockHeader> ours = grown(common, length - 1, true);
            for (int unworked : List.of(-1, 0, 1, length / 2, length - 2, length - 1)) {
                List<BlockHeader> branch = new ArrayList<>(common);
                for (int i = 0; i < length; i++) {
                    branch.add(header(
                            branch.size(),
                            topOf(branch),
                            i == unworked ? 0 : 1,
                            YESTERDAY + 1 + branch.size(),
                            NO_TRANSACTIONS));
                }
                node.shown = branch;
                AtomicInteger computed = new AtomicInteger();
                ChainComparison.Finding finding = compare(ours, counting(computed));

                if (unworked < 0) {
                    assertThat(finding)
                            .isInstanceOfSatisfying(
                                    ChainComparison.Finding.HeavierBranch.class,
                                    heavier -> assertThat(heavier.fork()).isEqualTo(19));
                    assertThat(computed).hasValue(length);
                } else {
                    assertThat(finding)
                            .isEqualTo(new ChainComparison.Finding.Unclear(Optional.of(new Fault(
                                    Fault.Rule.WORK,
                                    20 + unworked,
                                    branch.get(20 + unworked).id()))));
                }
            }
        }
    }

    @Test
    void the_lie_of_one_node_takes_nothing_back_that_another_one_has_shown() {
        Node honest = new Node();
        List<BlockHeader> common = grown(List.of(), 10, true);
        follow(common, node, honest);
        honest.claimed = FAR_ABOVE;
        honest.shown = grown(common, 50, true);
        Await.until("its blocks are read", () -> honest.blocksAsked.get() > 50);
        honest.claimed = 0;
        int tips = honest.tipsAsked.get();
        Await.until("they are followed", () -> honest.tipsAsked.get() > tips + 3);

        List<BlockHeader> lie = new ArrayList<>(honest.shown);
        lie.add(header(lie.size(), topOf(lie), 0, Instant.now().getEpochSecond(), NO_TRANSACTIONS));
        int before = honest.blocksAsked.get();
        node.shown = lie;
        Await.until("the lie is found out", () -> lies() > 0);
        int then = honest.tipsAsked.get();
        Await.until("the other one is asked again", () -> honest.tipsAsked.get() > then + 3);

        assertThat(honest.blocksAsked.get()).isEqualTo(before);
    }

    @Test
    void a_branch_whose_first_block_is_not_to_be_had_takes_no_block_off_the_chain() {
        List<BlockHeader> honest = grown(List.of(), 10, true);
        follow(grown(honest, 2, true));
        Hash256 tip = rig.follower().tip().orElseThrow().place().blockId();
        List<BlockHeader> branch = new ArrayList<>(honest);
        branch.add(header(10, topOf(honest), 1, YESTERDAY + 11, Hash256.parse("bb".repeat(32))));
        node.shown = grown(branch, 5, true);

        Await.until("its transactions were asked for in several rounds", () -> node.bodiesAsked.get() > 8);

        assertThat(rig.events()).noneMatch(FollowEvent.Disconnected.class::isInstance);
        assertThat(rig.follower().tip().orElseThrow().place().blockId()).isEqualTo(tip);
    }

    @Test
    void blocks_that_are_followed_below_one_without_work_give_way_again() {
        List<BlockHeader> honest = grown(List.of(), 10, true);
        follow(honest);
        double before = lies();
        // Three blocks that prove the branch: the others are read because of them.
        List<BlockHeader> lie = grown(grown(honest, 3, true), 50, false);
        lie.add(header(lie.size(), topOf(lie), 0, Instant.now().getEpochSecond(), NO_TRANSACTIONS));
        node.claimed = FAR_ABOVE;
        node.shown = lie;
        Await.until("the lie is found out", () -> lies() > before);

        honest = grown(honest, 1, true);
        node.claimed = 0;
        node.shown = honest;
        rig.awaitTip(topOf(honest));
    }

    /** Returns the greatest lag that is observed while each node is asked for its tip this number of times. */
    private long greatestLag(int looks, Node... nodes) {
        AtomicLong greatest = new AtomicLong();
        for (Node each : nodes) {
            int before = each.tipsAsked.get();
            Await.until("it is asked again", () -> {
                greatest.accumulateAndGet(rig.follower().status().lag(), Math::max);
                return each.tipsAsked.get() > before + looks;
            });
        }
        return greatest.get();
    }

    /** Returns the smallest lag that is observed while each node is asked for its tip this number of times. */
    private long leastLag(int looks, Node... nodes) {
        AtomicLong least = new AtomicLong(Long.MAX_VALUE);
        for (Node each : nodes) {
            int before = each.tipsAsked.get();
            Await.until("it is asked again", () -> {
                least.accumulateAndGet(rig.follower().status().lag(), Math::min);
                return each.tipsAsked.get() > before + looks;
            });
        }
        return least.get();
    }

    private static HeaderChain checked(List<BlockHeader> headers) {
        return HeaderChain.of(
                headers.stream().map(header -> HeaderCheck.row(header, true)).toList());
    }

    private static HeaderCheck check(WorkCheck work) {
        return check(work, Network.TESTNET);
    }

    private static HeaderCheck check(WorkCheck work, Network network) {
        return new HeaderCheck(new HeaderRules(network), new Leniency(network), work, true, Clock.systemUTC());
    }

    /** Adds blocks whose transactions no node has. */
    private static List<BlockHeader> grownWithoutBodies(List<BlockHeader> from, int count, boolean worked) {
        List<BlockHeader> chain = new ArrayList<>(from);
        for (int i = 0; i < count; i++) {
            Hash256 root = Hash256.parse("bb".repeat(32));
            chain.add(header(chain.size(), topOf(chain), worked ? 1 : 0, YESTERDAY + chain.size(), root));
        }
        return chain;
    }

    @Test
    void a_tip_far_above_that_no_work_leads_to_makes_no_lag_and_its_node_is_caught_by_headers_alone() {
        Node honest = new Node();
        Node another = new Node();
        List<BlockHeader> chain = followed(node, honest, another);
        node.claimed = FAR_ABOVE;
        node.shown = grownWithoutBodies(chain, 3, false);

        assertThat(greatestLag(4, honest, another)).isZero();

        Await.until("it is caught", () -> lies() > 0);
        assertThat(rig.follower().precedence()).isEqualTo(Precedence.BOOKS);
        assertThat(rig.follower().status().complaints()).isEmpty();
    }

    @Test
    void neither_the_books_nor_the_nodes_count_while_the_only_node_reports_blocks_that_it_does_not_show() {
        List<BlockHeader> chain = followed(node);
        node.claimed = FAR_ABOVE;

        Await.until("neither counts", () -> rig.follower().precedence() == Precedence.NEITHER);
        assertThat(rig.follower().reportedLag()).isEqualTo(FAR_ABOVE - (chain.size() - 1));

        node.claimed = 0;
        Await.until("the nodes count", () -> rig.follower().precedence() == Precedence.NODES);
        assertThat(rig.follower().reportedLag()).isZero();
    }

    @Test
    void the_books_count_while_a_node_reports_blocks_that_it_does_not_show_and_another_confirms_the_followed_tip() {
        Node honest = new Node();
        followed(node, honest);
        node.claimed = FAR_ABOVE;

        Await.until("the books count", () -> rig.follower().precedence() == Precedence.BOOKS);
        assertThat(rig.follower().reportedLag()).isZero();
    }

    @Test
    void a_tip_far_above_makes_no_lag_when_the_newest_block_is_shown_below_it() {
        Node honest = new Node();
        List<BlockHeader> chain = followed(node, honest);
        for (int i = 0; i < 3; i++) {
            chain = grown(chain, 1, true);
            node.claimed = FAR_ABOVE;
            node.shown = chain;
            rig.awaitTip(topOf(chain));
            honest.shown = chain;

            assertThat(greatestLag(3, node, honest)).isLessThanOrEqualTo(1);
        }
        assertThat(rig.follower().nodesWithIgnoredTips()).containsExactly("node 0");
    }

    @Test
    void a_lag_that_headers_with_work_prove_stays_whatever_another_node_says_and_while_the_node_is_silent() {
        Node behind = new Node();
        List<BlockHeader> chain = followed(node, behind);
        node.shown = grownWithoutBodies(chain, 5, true);
        Await.until("it lags", () -> rig.follower().status().lag() == 5);

        int before = behind.tipsAsked.get();
        Await.until("the other one is asked often", () -> {
            assertThat(rig.follower().status().lag()).isEqualTo(5);
            return behind.tipsAsked.get() > before + 4;
        });
        node.fails = true;
        int then = behind.tipsAsked.get();
        Await.until("the other one is asked often", () -> {
            assertThat(rig.follower().status().lag()).isGreaterThanOrEqualTo(ChainComparison.PROOF);
            return behind.tipsAsked.get() > then + 4;
        });
        node.shown = chain;
        Await.until("its own word takes it back", () -> rig.follower().status().lag() == 0);
    }

    @Test
    void a_fault_of_a_node_takes_nothing_back_that_it_has_proven() {
        Node behind = new Node();
        List<BlockHeader> chain = followed(node, behind);
        node.shown = grownWithoutBodies(chain, 5, true);
        Await.until("it lags", () -> rig.follower().status().lag() == 5);

        node.shown = grownWithoutBodies(chain, 5, false);
        Await.until("it is caught", () -> lies() > 0);

        int before = behind.tipsAsked.get();
        Await.until("the other one is asked often", () -> {
            assertThat(rig.follower().status().lag()).isGreaterThanOrEqualTo(ChainComparison.PROOF);
            return behind.tipsAsked.get() > before + 4;
        });
        Await.until(
                "what was only named is forgotten",
                () -> rig.follower().status().lag() == ChainComparison.PROOF);
    }

    @Test
    void a_daemon_whose_clock_is_slow_lags_although_it_takes_no_block() {
        List<BlockHeader> chain = grown(List.of(), 1, true);
        Clock slow = Clock.offset(Clock.systemUTC(), Duration.ofDays(-2));
        follow(chain, slow, node, new Node());
        node.shown = grown(chain, 20, true);

        Await.until("it lags", () -> rig.follower().status().lag() == 20);
        assertThat(rig.follower().tip().orElseThrow().height()).isZero();
        assertThat(lies()).isZero();
    }

    @Test
    void a_block_that_fails_a_check_at_every_node_is_lag_and_is_complained_of() {
        Node another = new Node();
        List<BlockHeader> chain = followed(node, another);
        List<BlockHeader> longer = grown(chain, 20, false);
        node.shown = longer;
        another.shown = longer;

        Await.until("it lags", () -> rig.follower().status().lag() == 20);
        Await.until(
                "somebody is told",
                () -> rig.follower().status().complaints().stream()
                        .anyMatch(complaint -> complaint.startsWith("no node shows a valid next block: node 1")
                                && complaint.endsWith("its proof of work is invalid")));

        another.shown = grown(chain, 1, true);
        rig.awaitTip(topOf(another.shown));
        Await.until("all is well", () -> rig.follower().status().complaints().isEmpty());
        assertThat(rig.follower().status().lag()).isZero();
    }

    @Test
    void blocks_that_one_node_has_shown_below_a_tip_that_no_chain_has_are_reported_when_they_are_the_newest() {
        Node honest = new Node();
        List<BlockHeader> chain = followed(node, honest);
        List<BlockHeader> longer = grown(chain, 150, true);
        node.claimed = FAR_ABOVE;
        node.shown = longer;
        Await.until("they are read", () -> node.blocksAsked.get() > 150);
        Await.until("all of them", () -> greatestLag(3, node) > 0);
        honest.shown = longer;

        rig.awaitTip(topOf(longer));
        Await.until("all is well", () -> rig.follower().status().lag() == 0);
        assertThat(rig.events()).noneMatch(FollowEvent.Disconnected.class::isInstance);
    }

    @Test
    void a_header_that_is_not_to_be_had_above_the_next_one_keeps_none_of_those_below_away() {
        Node another = new Node();
        List<BlockHeader> chain = followed(node, another);
        List<BlockHeader> longer = grown(chain, 20, true);
        node.failsAbove = 11;
        node.shown = longer;

        rig.awaitTip(longer.get(11).id());
    }

    @Test
    void a_block_that_no_node_has_is_lag_however_long_it_is_missing() {
        Node another = new Node();
        List<BlockHeader> chain = followed(node, another);
        List<BlockHeader> longer = grown(chain, 30, true);
        node.lacks = 20;
        another.lacks = 20;
        node.shown = longer;
        another.shown = longer;
        rig.awaitTip(longer.get(19).id());
        Await.until(
                "both are set aside",
                () -> rig.follower().nodesWithIgnoredTips().size() == 2);
        Await.until("it lags", () -> rig.follower().status().lag() == 20);

        assertThat(leastLag(10, node, another)).isEqualTo(20);

        node.lacks = -1;
        rig.awaitTip(topOf(longer));
        Await.until("all is well", () -> rig.follower().status().lag() == 0);
        assertThat(rig.follower().status().complaints()).isEmpty();
    }

    @Test
    void a_block_that_one_node_does_not_have_is_lag_while_the_other_one_is_silent() {
        Node another = new Node();
        List<BlockHeader> chain = followed(node, another);
        List<BlockHeader> longer = grown(chain, 30, true);
        another.fails = true;
        another.shown = longer;
        node.lacks = 20;
        node.shown = longer;
        rig.awaitTip(longer.get(19).id());
        Await.until(
                "it is set aside", () -> !rig.follower().nodesWithIgnoredTips().isEmpty());
        int before = another.tipsAsked.get();
        Await.until("the other one has failed often", () -> another.tipsAsked.get() > before + 4);
        Await.until("it lags", () -> rig.follower().status().lag() == 20);

        assertThat(leastLag(10, node, another)).isEqualTo(20);
    }

    @Test
    void blocks_that_are_found_while_a_node_delays_its_answers_prove_a_tip_that_it_names_until_they_are_followed() {
        FollowedNode slow = new FollowedNode("slow", node.client());
        Rounds rounds = new Rounds(
                List.of(slow, new FollowedNode("other", new Node().client())),
                Clock.systemUTC(),
                new SimpleMeterRegistry());
        List<BlockHeader> chain = grown(List.of(), 10, true);
        node.shown = chain;
        node.claimed = FAR_ABOVE;
        node.whenAsked = () -> node.shown = grown(node.shown, 1, true);

        ChainComparison.Finding finding =
                Await.result(new ChainComparison(slow.client(), checked(chain), check(work), Runnable::run).begin());

        rounds.found(slow, finding, 9);
        long passed = 9 + ChainComparison.PROOF;
        assertThat(rounds.highest(FAR_ABOVE, 9, 9)).isEqualTo(FAR_ABOVE);
        assertThat(rounds.highest(FAR_ABOVE, 9, passed)).isEqualTo(passed);
        assertThat(finding)
                .as("it is walked up to")
                .isInstanceOfSatisfying(
                        ChainComparison.Finding.Longer.class,
                        longer -> assertThat(longer.proof().height()).isEqualTo(FAR_ABOVE));
    }

    @Test
    void a_tip_that_is_replaced_during_a_comparison_takes_back_no_height() {
        FollowedNode replacing = new FollowedNode("replacing", node.client());
        Rounds rounds = new Rounds(
                List.of(replacing, new FollowedNode("other", new Node().client())),
                Clock.systemUTC(),
                new SimpleMeterRegistry());
        List<BlockHeader> chain = grown(List.of(), 10, true);
        List<BlockHeader> below = grown(chain, 489, true);
        node.shown = grown(below, 1, true);
        List<BlockHeader> sibling = new ArrayList<>(below);
        sibling.add(header(499, topOf(below), 1, YESTERDAY + 500, NO_TRANSACTIONS));
        // The block above ours, then the tip.
        node.whenAsked = () -> node.shown = node.blocksAsked.get() == 2 ? grown(sibling, 1, true) : node.shown;

        ChainComparison.Finding finding = Await.result(
                new ChainComparison(replacing.client(), checked(chain), check(work), Runnable::run).begin());

        rounds.found(replacing, finding, 9);
        assertThat(rounds.highest(500, 499, 9)).isEqualTo(500);
        assertThat(finding)
                .isEqualTo(new ChainComparison.Finding.Longer(
                        500,
                        true,
                        new ChainComparison.Proof(500, ChainComparison.Proof.Extent.FIRST, Optional.empty())));
    }

    @Test
    void a_question_for_a_header_that_fails_once_is_asked_again() {
        List<BlockHeader> chain = grown(List.of(), 10, true);
        node.shown = grown(chain, 20, true);
        // The block above ours, the tip, and the second one above ours.
        node.whenAsked = () -> node.fails = node.blocksAsked.get() == 3;

        assertThat(Await.result(new ChainComparison(node.client(), checked(chain), check(work), Runnable::run).begin()))
                .isEqualTo(new ChainComparison.Finding.Longer(
                        29, true, new ChainComparison.Proof(29, ChainComparison.Proof.Extent.FIRST, Optional.empty())));
    }

    @Test
    void a_block_without_work_on_an_orphan_is_a_lie() {
        List<BlockHeader> chain = followed(node, new Node());
        List<BlockHeader> orphaned = new ArrayList<>(chain.subList(0, 9));
        orphaned.add(header(9, topOf(orphaned), 1, YESTERDAY + 20, NO_TRANSACTIONS));
        node.shown = grown(orphaned, 1, false);

        Await.until("it is caught", () -> lies() > 0);
    }
}
