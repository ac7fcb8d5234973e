package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.stream.OverflowStrategy;
import org.apache.pekko.stream.javadsl.Source;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Interface of the followed chain for the rest of the daemon. Thread-safe. */
public final class Follower {
    private final ActorRef<Walker.Command> walker;
    private final Subscribers subscribers;
    private final Executor executor;
    private final ActorRef<Rescanner.Command> rescanner;
    private final AtomicReference<Rescanner.RescanState> rescan;
    private final FollowerSetup setup;

    private Follower(
            ActorRef<Walker.Command> walker,
            Subscribers subscribers,
            ActorRef<Rescanner.Command> rescanner,
            AtomicReference<Rescanner.RescanState> rescan,
            FollowerSetup setup) {
        this.walker = walker;
        this.rescanner = rescanner;
        this.rescan = rescan;
        this.subscribers = subscribers;
        this.setup = setup;
        this.executor = setup.executor();
    }

    /**
     * Starts following, which goes on whenever background work runs. Otherwise, with shared books, it publishes the blocks that another daemon
     * writes. No node needs to be up.
     */
    public static Follower start(Background background, FollowerSetup setup) {
        Subscribers subscribers = new Subscribers(setup.clock().instant());
        AtomicReference<Rescanner.RescanState> rescan = new AtomicReference<>(Rescanner.RescanState.UNKNOWN);
        ActorRef<Walker.Command> walker = setup.file().isShared()
                ? background.begin(
                        "follower", Walker.create(setup, subscribers), Reader.create(setup, subscribers, rescan))
                : background.begin(
                        "follower",
                        Walker.create(setup, subscribers),
                        command -> Walker.whileStopped(command, subscribers));
        LongConsumer tellJoined = from -> walker.tell(new Walker.RescanJoined(from));
        return new Follower(
                walker,
                subscribers,
                background.begin(
                        "rescanner", Rescanner.create(setup, subscribers, tellJoined, rescan), Rescanner::whileStopped),
                rescan,
                setup);
    }

    /** Returns the followed tip: the books hold all blocks up to it. Empty until the first block is known. */
    public Optional<FollowedTip> tip() {
        return subscribers.tip();
    }

    /** Returns the height (u64) of the followed tip; empty until the first block is known. */
    public OptionalLong height() {
        return tip().map(tip -> OptionalLong.of(tip.height())).orElse(OptionalLong.empty());
    }

    /** Returns the names of the nodes whose reported tips are ignored, because they cannot be followed. */
    public Set<String> nodesWithIgnoredTips() {
        return subscribers.nodesWithIgnoredTips();
    }

    public Precedence precedence() {
        return subscribers.precedence();
    }

    /**
     * Returns how many blocks the nodes' height is above the followed tip, for display: a height that no node proves counts as well, unless a node
     * confirms the followed tip.
     */
    public long reportedLag() {
        FollowStatus status = status();
        return precedence() != Precedence.NEITHER
                ? status.lag()
                : status.tip()
                        .map(tip -> Math.max(0, status.highest() - tip.height()))
                        .orElse(0L);
    }

    public FollowStatus status() {
        return subscribers.status();
    }

    /**
     * Returns the reason, as text, why the books are not known to be of the operator's chain, so that their data is unverified. Empty when they are
     * known to be, on a development chain, and before the first block.
     */
    public Optional<String> unverified() {
        return status().network()
                .flatMap(network ->
                        subscribers.ancestor().flatMap(lowest -> setup.rules().unverified(network, lowest)));
    }

    /** Returns the rescan under way. */
    public Optional<RescanProgress> rescan() {
        return rescan.get().underway();
    }

    /** Returns whether no rescan is under way or due; false until that is known. */
    public boolean isFullyScanned() {
        Rescanner.RescanState standing = rescan.get();
        return standing.known() && standing.underway().isEmpty();
    }

    /**
     * Starts to read the missing history of the addresses watched now, unless a rescan is already reading it.
     *
     * @return the rescan under way; empty when nothing is missing, there is no block yet, or the operator has turned this off
     */
    public CompletionStage<Optional<RescanProgress>> readHistories() {
        CompletableFuture<Optional<RescanProgress>> reply = new CompletableFuture<>();
        rescanner.tell(new Rescanner.ReadHistories(reply));
        return reply;
    }

    /**
     * Starts to read the chain again from a height, for all current addresses and books, in the background and across restarts.
     *
     * @return the rescan under way, once the request is durable; empty when there is no block of that height yet
     */
    public CompletionStage<Optional<RescanProgress>> rescan(long fromHeight) {
        CompletableFuture<Optional<RescanProgress>> reply = new CompletableFuture<>();
        rescanner.tell(new Rescanner.Begin(fromHeight, reply));
        return reply;
    }

    /** Returns the current tip, then each newer one after its commit. Slow readers get only the latest tip. */
    public Source<FollowedTip, NotUsed> tips() {
        return Source.<FollowedTip>queue(1, OverflowStrategy.dropHead()).mapMaterializedValue(queue -> {
            walker.tell(new Walker.WatchTips(queue));
            queue.watchCompletion()
                    .whenCompleteAsync((done, failure) -> walker.tell(new Walker.TipsEnded(queue)), executor);
            return NotUsed.getInstance();
        });
    }

    /** Sends {@code subscriber} all events from now on, starting with the current tip, until it stops. */
    public void subscribe(ActorRef<? super FollowEvent> subscriber) {
        walker.tell(new Walker.Subscribe(subscriber));
    }

    /**
     * Checks, by bytes that the nodes send now, whether a transaction is in a block of the followed chain. For facts that the books lack because
     * they start at a higher block or index other data. Costs a request for each block up to the next kept id, at most a thousand. False when it is
     * not proven, for whatever reason.
     */
    public CompletionStage<Boolean> proves(Hash256 txId, BlockPlace place) {
        return proves(txId, place, url -> true);
    }

    /**
     * As {@link #proves(Hash256, BlockPlace)}, for callers that wait.
     *
     * @param answering whether the node of this URL answers at present; the others are asked last, because each takes its whole timeout
     */
    public CompletionStage<Boolean> proves(Hash256 txId, BlockPlace place, Predicate<String> answering) {
        FollowStatus now = status();
        if (now.tip()
                .filter(tip -> place.height() >= 0 && place.height() <= tip.height())
                .isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        List<FollowedNode> order = new ArrayList<>(setup.nodes());
        order.sort(Comparator.comparing(node -> !answering.test(node.name())));
        return setup.file()
                .read(session -> BlockRows.from(session.head(), place.height()))
                .thenComposeAsync(
                        kept -> kept.isEmpty()
                                ? CompletableFuture.completedFuture(false)
                                : new BlockProof(reader(), place, txId, kept.get(), executor).by(order.iterator()),
                        executor);
    }

    /**
     * Returns whether the work of each followed block between two heights, both included, is checked. Work that was skipped while catching up is
     * checked now, but only in part if there is much. Never true while {@code verifyWork} is off on a network that demands work. Fails when the
     * books cannot be read or no node sends a header.
     */
    public CompletionStage<Boolean> provesWork(long from, long to) {
        return new WorkProof(setup.file(), setup.any(), setup.work(), executor).of(from, to);
    }

    private BlockReader reader() {
        Leniency leniency = new Leniency(status().network().orElse(Network.MAINNET));
        return new BlockReader(setup.profile(), setup.any(), leniency, executor);
    }

    /** Compares with a node now, because a new block was reported. */
    public void nudge() {
        walker.tell(new Walker.Nudge());
    }

    /**
     * Checks proofs of work that were skipped while catching up. Headers prove themselves by their ids, so any node may send them; a passed check
     * is recorded in the books and not repeated.
     */
    private static final class WorkProof {
        private static final Logger LOG = LoggerFactory.getLogger(WorkProof.class);
        /** Maximum number of blocks per call, some tens of seconds of work; the caller asks again for the rest. */
        private static final int MOST = 64;

        private final Books file;
        private final NodeClient any;
        private final WorkCheck work;
        private final Executor executor;

        WorkProof(Books file, NodeClient any, WorkCheck work, Executor executor) {
            this.file = file;
            this.any = any;
            this.work = work;
            this.executor = executor;
        }

        /** Returns whether the work of each followed block between two heights, both included, is checked after this call. */
        CompletionStage<Boolean> of(long from, long to) {
            return file.read(session -> BlockRows.withoutWork(session.head(), from, to, MOST))
                    .thenComposeAsync(this::each, executor)
                    .thenComposeAsync(
                            done -> file.read(session -> BlockRows.isWorkChecked(session.head(), from, to)), executor);
        }

        /** Checks the blocks in order, lowest first, and stops at the first that fails; the rest is left for the next call. */
        private CompletionStage<Void> each(List<BlockRow> blocks) {
            if (blocks.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            return passes(blocks.get(0))
                    .thenComposeAsync(
                            passed -> passed
                                    ? written(blocks.get(0))
                                            .thenComposeAsync(done -> each(blocks.subList(1, blocks.size())), executor)
                                    : CompletableFuture.completedFuture(null),
                            executor);
        }

        private CompletionStage<Void> written(BlockRow block) {
            return file.write(session -> {
                BlockRows.checkWork(session.head(), block.place());
                return null;
            });
        }

        private CompletionStage<Boolean> passes(BlockRow block) {
            return any.block(block.blockId())
                    .thenComposeAsync(summary -> passes(block, summary), executor)
                    .thenApplyAsync(
                            passed -> {
                                if (!passed) {
                                    LOG.warn("the work of block {} is not proven", block.place());
                                }
                                return passed;
                            },
                            executor);
        }

        private CompletionStage<Boolean> passes(BlockRow block, Optional<NodeClient.BlockSummary> summary) {
            return summary.filter(header -> header.blockId().equals(block.blockId()))
                    .filter(header -> BlockReader.judge(header, block.height()).isEmpty())
                    .map(header -> work.passes(header.header(), block.blockId()))
                    .orElseGet(() -> CompletableFuture.completedFuture(false));
        }
    }

    /**
     * Proves that a block, and a transaction in it, are on the followed chain when the books do not say so: reads the whole block, and links
     * headers from it up to a kept id. Used for one proof.
     */
    private static final class BlockProof {
        /** Maximum number of linked headers: below the latest ids every 1,000th is kept. */
        private static final long MOST_LINKS = 1_000;

        private final BlockReader reader;
        private final BlockPlace place;
        private final Hash256 txId;
        private final BlockRow kept;
        private final Executor executor;

        /** @param kept the lowest kept block of the followed chain at the height or above */
        BlockProof(BlockReader reader, BlockPlace place, Hash256 txId, BlockRow kept, Executor executor) {
            this.reader = reader;
            this.place = place;
            this.txId = txId;
            this.kept = kept;
            this.executor = executor;
        }

        /** Returns whether one of the nodes can prove it. Never fails: a node that does not answer proves nothing. */
        CompletionStage<Boolean> by(Iterator<FollowedNode> nodes) {
            boolean impossible = kept.height() - place.height() > MOST_LINKS
                    || kept.height() == place.height() && !kept.blockId().equals(place.blockId());
            if (impossible || !nodes.hasNext()) {
                return CompletableFuture.completedFuture(false);
            }
            NodeClient node = nodes.next().client();
            return by(node).exceptionallyAsync(silent -> false, executor)
                    .thenComposeAsync(shown -> shown ? CompletableFuture.completedFuture(true) : by(nodes), executor);
        }

        private CompletionStage<Boolean> by(NodeClient node) {
            return links(node, place.height() + 1, place.blockId())
                    .thenComposeAsync(
                            linked -> linked
                                    ? reader.read(node, place.height()).thenApplyAsync(this::hasTransaction, executor)
                                    : CompletableFuture.completedFuture(false),
                            executor);
        }

        /** Returns whether the blocks from {@code height} on, the first of which has {@code parent}, lead to the kept block. */
        private CompletionStage<Boolean> links(NodeClient node, long height, Hash256 parent) {
            if (height > kept.height()) {
                return CompletableFuture.completedFuture(parent.equals(kept.blockId()));
            }
            if (height == kept.height()) {
                return CompletableFuture.completedFuture(parent.equals(kept.parentId()));
            }
            return node.blockAt(height).thenComposeAsync(summary -> link(node, height, parent, summary), executor);
        }

        private CompletionStage<Boolean> link(
                NodeClient node, long height, Hash256 parent, Optional<NodeClient.BlockSummary> summary) {
            boolean follows = summary.filter(
                            block -> BlockReader.judge(block, height).isEmpty()
                                    && block.previousBlockId().equals(parent))
                    .isPresent();
            return follows
                    ? links(node, height + 1, summary.get().blockId())
                    : CompletableFuture.completedFuture(false);
        }

        private boolean hasTransaction(Fetched fetched) {
            return fetched instanceof Fetched.Whole whole
                    && whole.block().id().equals(place.blockId())
                    && whole.block().transactions().stream()
                            .anyMatch(mined -> mined.id().equals(txId));
        }
    }
}
