package org.chainwalletd.follow;

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

/** The followed chain as the rest of the daemon sees it. Safe for threads. */
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
     * Follows whenever background work runs; while it does not, tells of what another daemon writes into shared books. No node needs to be up.
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

    /** The followed tip: the books hold all up to it. Empty until the first block is known. */
    public Optional<FollowedTip> tip() {
        return subscribers.tip();
    }

    /** Height, u64, of the followed tip; empty until the first block is known. */
    public OptionalLong height() {
        return tip().map(tip -> OptionalLong.of(tip.height())).orElse(OptionalLong.empty());
    }

    /** Names of the nodes that name a tip whose block they do not show. */
    public Set<String> setAside() {
        return subscribers.setAside();
    }

    /** Whether a node names a tip that it does not show, or was caught in a lie a short while ago. */
    public boolean isDistrusting() {
        return subscribers.isDistrusting();
    }

    public FollowStatus status() {
        return subscribers.status();
    }

    /**
     * Why it is not known that the books are of the chain that the operator means, in words: what they tell of is unverified. Empty when it is
     * known, on a development chain, and before the first block.
     */
    public Optional<String> unverified() {
        return status().network()
                .flatMap(network ->
                        subscribers.ancestor().flatMap(lowest -> setup.rules().unverified(network, lowest)));
    }

    /** The rescan under way. */
    public Optional<RescanProgress> rescan() {
        return rescan.get().underway();
    }

    /** Whether no rescan is to be done; false until that is known. */
    public boolean isFullyScanned() {
        Rescanner.RescanState standing = rescan.get();
        return standing.known() && standing.underway().isEmpty();
    }

    /**
     * Begins to read what is not known of addresses that are watched by now, if nothing of it is being read.
     *
     * @return the rescan that runs; empty when there is nothing to read, no block yet, or the operator wants none
     */
    public CompletionStage<Optional<RescanProgress>> readHistories() {
        CompletableFuture<Optional<RescanProgress>> reply = new CompletableFuture<>();
        rescanner.tell(new Rescanner.ReadHistories(reply));
        return reply;
    }

    /**
     * Begins to read the chain again from a height, in the background and across restarts, for all addresses and books that there are now.
     *
     * @return the rescan that runs, when it is durable that this one will be done; empty when there is no block of that height yet
     */
    public CompletionStage<Optional<RescanProgress>> rescan(long fromHeight) {
        CompletableFuture<Optional<RescanProgress>> reply = new CompletableFuture<>();
        rescanner.tell(new Rescanner.Begin(fromHeight, reply));
        return reply;
    }

    /** The tip channel: the current tip, then each newer one after its commit. Who is slow sees only the newest. */
    public Source<FollowedTip, NotUsed> tips() {
        return Source.<FollowedTip>queue(1, OverflowStrategy.dropHead()).mapMaterializedValue(queue -> {
            walker.tell(new Walker.WatchTips(queue));
            queue.watchCompletion()
                    .whenCompleteAsync((done, failure) -> walker.tell(new Walker.TipsEnded(queue)), executor);
            return NotUsed.getInstance();
        });
    }

    /** From now on {@code subscriber} hears all events, first where the follower stands; until it stops. */
    public void subscribe(ActorRef<? super FollowEvent> subscriber) {
        walker.tell(new Walker.Subscribe(subscriber));
    }

    /**
     * Whether a transaction is in a block of the followed chain, by bytes that the nodes send now; for what the books do not tell, because
     * they begin higher, or because it concerns none of them. Costs a question for each block up to the next kept id, at most a thousand.
     * False when it is not proven, for whatever reason.
     */
    public CompletionStage<Boolean> proves(Hash256 txId, BlockPlace place) {
        FollowStatus now = status();
        if (now.tip()
                .filter(tip -> place.height() >= 0 && place.height() <= tip.height())
                .isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        return setup.file()
                .read(session -> BlockRows.from(session.head(), place.height()))
                .thenComposeAsync(
                        kept -> kept.isEmpty()
                                ? CompletableFuture.completedFuture(false)
                                : new BlockProof(reader(), place, txId, kept.get(), executor)
                                        .by(setup.nodes().iterator()),
                        executor);
    }

    /**
     * Whether the work of every block of the followed chain between two heights, both included, is checked; what was left out while the chain
     * was being caught up with is checked now, in part when it is much. Never true while work is not to be verified, on a network that asks for
     * it. Fails when the books cannot be read, or no node sends a header.
     */
    public CompletionStage<Boolean> provesWork(long from, long to) {
        return new WorkProof(setup.file(), setup.any(), setup.work(), executor).of(from, to);
    }

    private BlockReader reader() {
        Leniency leniency = new Leniency(status().network().orElse(Network.MAINNET));
        return new BlockReader(setup.profile(), setup.any(), leniency, executor);
    }

    /** Looks for a new block now: somebody has heard of one. */
    public void nudge() {
        walker.tell(new Walker.Nudge());
    }

    /**
     * Makes up for the proofs of work that were not checked while the chain was being caught up with. Headers prove themselves by their ids, so
     * any node may send them; what has passed is written into the book of blocks, and is not computed again.
     */
    private static final class WorkProof {
        private static final Logger LOG = LoggerFactory.getLogger(WorkProof.class);
        /** Some tens of seconds of work: whoever needs more asks again. */
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

        /** Whether the work of every followed block between two heights, both included, is checked when this ends. */
        CompletionStage<Boolean> of(long from, long to) {
            return file.read(session -> BlockRows.withoutWork(session.head(), from, to, MOST))
                    .thenComposeAsync(this::each, executor)
                    .thenComposeAsync(
                            done -> file.read(session -> BlockRows.isWorkChecked(session.head(), from, to)), executor);
        }

        /** The lowest first; the rest waits for the next time when one does not pass. */
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
                    .thenComposeAsync(told -> passes(block, told), executor)
                    .thenApplyAsync(
                            passed -> {
                                if (!passed) {
                                    LOG.warn("the work of block {} is not proven", block.place());
                                }
                                return passed;
                            },
                            executor);
        }

        private CompletionStage<Boolean> passes(BlockRow block, Optional<NodeClient.BlockSummary> told) {
            return told.filter(header -> header.blockId().equals(block.blockId()))
                    .filter(header -> BlockReader.judge(header, block.height()).isEmpty())
                    .map(header -> work.passes(header.header(), block.blockId()))
                    .orElseGet(() -> CompletableFuture.completedFuture(false));
        }
    }

    /**
     * Proves by bytes that a block, and a transaction in it, are on the followed chain where the books do not say so: the block is read whole,
     * and headers are linked from it up to a kept id. One proof.
     */
    private static final class BlockProof {
        /** Links of one proof at most: below the last ids every 1,000th is kept. */
        private static final long MOST_LINKS = 1_000;

        private final BlockReader reader;
        private final BlockPlace place;
        private final Hash256 txId;
        private final BlockRow kept;
        private final Executor executor;

        /** @param kept the lowest block of the followed chain that is kept at the height or above */
        BlockProof(BlockReader reader, BlockPlace place, Hash256 txId, BlockRow kept, Executor executor) {
            this.reader = reader;
            this.place = place;
            this.txId = txId;
            this.kept = kept;
            this.executor = executor;
        }

        /** Whether one of the nodes can show it. Never fails: who does not answer shows nothing. */
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

        /** Whether the blocks from {@code height} on, the first one on top of {@code parent}, lead to the kept one. */
        private CompletionStage<Boolean> links(NodeClient node, long height, Hash256 parent) {
            if (height > kept.height()) {
                return CompletableFuture.completedFuture(parent.equals(kept.blockId()));
            }
            if (height == kept.height()) {
                return CompletableFuture.completedFuture(parent.equals(kept.parentId()));
            }
            return node.blockAt(height).thenComposeAsync(told -> link(node, height, parent, told), executor);
        }

        private CompletionStage<Boolean> link(
                NodeClient node, long height, Hash256 parent, Optional<NodeClient.BlockSummary> told) {
            boolean follows = told.filter(
                            block -> BlockReader.judge(block, height).isEmpty()
                                    && block.previousBlockId().equals(parent))
                    .isPresent();
            return follows ? links(node, height + 1, told.get().blockId()) : CompletableFuture.completedFuture(false);
        }

        private boolean hasTransaction(Fetched fetched) {
            return fetched instanceof Fetched.Whole whole
                    && whole.block().id().equals(place.blockId())
                    && whole.block().transactions().stream()
                            .anyMatch(mined -> mined.id().equals(txId));
        }
    }
}
