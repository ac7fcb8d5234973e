package org.chainwalletd.follow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the {@link Walker} while another daemon writes the shared books: publishes their new blocks to the subscribers. The books decide which
 * blocks these are and that they are trusted; nodes are asked only for the contents of a block with that id, and for headers above it. If no node shows
 * a block in time, subscribers learn that the tip has moved but not what is in the block. Writes nothing. Owns the subscribers while it lives;
 * after a restart it continues from what was last published.
 */
final class Reader extends AbstractBehavior<Walker.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Reader.class);
    private static final Duration FIRST_RESTART = Duration.ofSeconds(1);
    private static final Duration LAST_RESTART = Duration.ofSeconds(30);
    private static final double RESTART_JITTER = 0.1;

    /** Time for which the tip waits for a block that no node shows yet. */
    private static final Duration FETCH_TIMEOUT = Duration.ofSeconds(3);

    private static final Duration RETRY = Duration.ofMillis(150);
    /** Maximum number of blocks that are published one by one. */
    private static final int MOST_BLOCKS = 50;

    private static final int BLOCKS_AT_ONCE = 4;
    /** Time without an answer from the books after which the operator is warned. */
    private static final Duration MAX_SILENCE = Duration.ofSeconds(3);

    /** No node is asked for its height while the other daemon, which writes many blocks in each tick, needs more ticks than this to reach the known one. */
    private static final int MIN_TICKS_BELOW = 5;

    private record Moved() implements Walker.ToReader {}

    private record Read(Outcome<Bookkeeping.SharedHead> head) implements Walker.ToReader {}

    private record Arrived(List<BlockPlace> wanted, Outcome<List<Optional<ChainBlock>>> blocks)
            implements Walker.ToReader {}

    private record FetchAgain() implements Walker.ToReader {}

    /** Ends the wait for the blocks that are being fetched. */
    private record FetchTimedOut() implements Walker.ToReader {}

    private record Tick() implements Walker.ToReader {}

    private record NodeSeen(FollowedNode node, BlockRow ours, Outcome<ChainComparison.Finding> finding)
            implements Walker.ToReader {}

    private final TimerScheduler<Walker.Command> timers;
    private final FollowerSetup setup;
    private final Subscribers subscribers;
    private final AtomicReference<Rescanner.RescanState> rescan;
    private final Bookkeeping books;
    private final Rounds rounds;
    private final Runnable stopWatching;
    private final Map<Hash256, ChainBlock> fetched = new HashMap<>();
    private final SupplyRate.Growth growth = new SupplyRate.Growth();
    /** Chain of the books at the last read. */
    private HeaderChain chain = HeaderChain.of(List.of());
    /** Height of the last block that is being fetched. */
    private OptionalLong fetching = OptionalLong.empty();

    private long joined = -1;
    private Optional<BlockReader> blocks = Optional.empty();
    private Optional<HeaderCheck> check = Optional.empty();
    private boolean reading;
    private boolean moved;
    private boolean nodeRequested;
    /** Height of the chain at the last tick; negative before the first. */
    private long lastHeight = -1;

    private Reader(
            ActorContext<Walker.Command> context,
            TimerScheduler<Walker.Command> timers,
            FollowerSetup setup,
            Subscribers subscribers,
            AtomicReference<Rescanner.RescanState> rescan) {
        super(context);
        this.timers = timers;
        this.setup = setup;
        this.subscribers = subscribers;
        this.rescan = rescan;
        this.books = new Bookkeeping(setup.file(), setup.books(), setup.rules());
        this.rounds = new Rounds(setup.nodes(), setup.clock(), setup.meters());
        subscribers.actors().forEach(subscriber -> context.watchWith(subscriber, new Walker.Left(subscriber)));
        ActorRef<Walker.Command> self = context.getSelf();
        this.stopWatching = setup.file().whenChanged(head -> self.tell(new Moved()));
        timers.startTimerWithFixedDelay(new Tick(), setup.interval());
    }

    /** @param rescan updated with the progress of the other daemon's rescans */
    static Behavior<Walker.Command> create(
            FollowerSetup setup, Subscribers subscribers, AtomicReference<Rescanner.RescanState> rescan) {
        return Behaviors.supervise(Behaviors.<Walker.Command>setup(context ->
                        Behaviors.withTimers(timers -> new Reader(context, timers, setup, subscribers, rescan))))
                .onFailure(SupervisorStrategy.restartWithBackoff(FIRST_RESTART, LAST_RESTART, RESTART_JITTER));
    }

    @Override
    public Receive<Walker.Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Walker.Subscribe.class, this::subscribe)
                .onMessage(Walker.Left.class, left -> done(() -> subscribers.leave(left.subscriber())))
                .onMessage(Walker.WatchTips.class, watch -> done(() -> subscribers.watch(watch.queue())))
                .onMessage(Walker.TipsEnded.class, ended -> done(() -> subscribers.leave(ended.queue())))
                .onMessage(Moved.class, message -> read())
                .onMessage(Read.class, this::onRead)
                .onMessage(Arrived.class, this::onArrived)
                .onMessage(FetchAgain.class, again -> done(this::fetch))
                .onMessage(FetchTimedOut.class, over -> tell(List.of()))
                .onMessage(Tick.class, tick -> tick())
                .onMessage(NodeSeen.class, this::onNodeSeen)
                .onAnyMessage(ofTheWalker -> this)
                .onSignal(PreRestart.class, signal -> done(stopWatching))
                .onSignal(PostStop.class, signal -> done(stopWatching))
                .build();
    }

    private Behavior<Walker.Command> done(Runnable action) {
        action.run();
        return this;
    }

    private Behavior<Walker.Command> subscribe(Walker.Subscribe command) {
        getContext().watchWith(command.subscriber(), new Walker.Left(command.subscriber()));
        subscribers.subscribe(command.subscriber());
        return this;
    }

    /** Reads the head; deferred while the result of an earlier read is not published yet. */
    private Behavior<Walker.Command> read() {
        moved = reading || fetching.isPresent();
        if (!moved) {
            reading = true;
            Outcome.pipe(getContext(), books.sharedHead(chain.copy()), Read::new);
        }
        return this;
    }

    private Behavior<Walker.Command> readIfMoved() {
        return moved ? read() : this;
    }

    private Behavior<Walker.Command> onRead(Read read) {
        reading = false;
        return read.head().fold(this::onHead, this::readFailed);
    }

    private Behavior<Walker.Command> readFailed(Throwable failure) {
        LOG.debug("cannot read the head of the books: {}", failure.getMessage());
        moved = true;
        return this;
    }

    private Behavior<Walker.Command> onHead(Bookkeeping.SharedHead head) {
        chain = head.chain();
        head.ancestor().ifPresent(subscribers::setAncestor);
        if (head.publishable().isPresent()) {
            Network network = head.network().orElse(Network.MAINNET);
            if (!subscribers.status().network().equals(Optional.of(network)) || blocks.isEmpty()) {
                subscribers.setNetwork(network);
                Leniency leniency = new Leniency(network);
                blocks = Optional.of(new BlockReader(setup.profile(), setup.any(), leniency, setup.executor()));
                check = Optional.of(HeaderCheck.of(network, leniency, setup));
            }
            moveTo(head.publishable().getAsLong());
        }
        publishRescans(head);
        return fetching.isPresent() ? this : readIfMoved();
    }

    /** Publishes removed blocks at once, and new ones after they are fetched. */
    private void moveTo(long height) {
        OptionalLong before = subscribers.publishedHeightOn(chain);
        if (before.isEmpty()) {
            rounds.forgetHeights();
            subscribers.moveTo(chain, height, List.of());
            return;
        }
        subscribers.moveTo(chain, before.getAsLong(), List.of());
        if (height - before.getAsLong() > MOST_BLOCKS) {
            subscribers.moveTo(chain, height, List.of());
        } else if (height > before.getAsLong()) {
            fetching = OptionalLong.of(height);
            timers.startSingleTimer(new FetchTimedOut(), FETCH_TIMEOUT);
            fetch();
        }
    }

    private void publishRescans(Bookkeeping.SharedHead head) {
        Optional<RescanProgress> before = rescan.get().underway();
        Bookkeeping.Pending scans = head.scans();
        rescan.set(new Rescanner.RescanState(
                true, scans.scan().map(row -> RescanProgress.of(row, scans.top(), subscribers.tip(), scans.next()))));
        if (joined >= 0 && joined != head.lastScan()) {
            subscribers.joined(before.map(RescanProgress::fromHeight).orElse(1L));
        }
        joined = head.lastScan();
    }

    private void fetch() {
        if (fetching.isEmpty()) {
            return;
        }
        long base = subscribers.publishedHeightOn(chain).orElseThrow();
        List<BlockPlace> wanted = LongStream.rangeClosed(base + 1, fetching.getAsLong())
                .mapToObj(height -> chain.at(height).orElseThrow().place())
                .toList();
        List<BlockPlace> missing = wanted.stream()
                .filter(place -> !fetched.containsKey(place.blockId()))
                .toList();
        Outcome.pipe(
                getContext(),
                Bounded.each(missing, BLOCKS_AT_ONCE, this::blockAt, setup.executor()),
                found -> new Arrived(wanted, found));
    }

    private CompletionStage<Optional<ChainBlock>> blockAt(BlockPlace place) {
        return blockOf(place, setup.nodes().iterator());
    }

    /** Asks one node after another. Never fails. */
    private CompletionStage<Optional<ChainBlock>> blockOf(BlockPlace place, Iterator<FollowedNode> nodes) {
        if (!nodes.hasNext()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        FollowedNode node = nodes.next();
        return blocks.orElseThrow()
                .read(node.client(), place)
                .handleAsync((found, failure) -> Outcome.of(found, failure).value(), setup.executor())
                .thenComposeAsync(
                        found -> found.isPresent()
                                        && found.get() instanceof Fetched.Whole whole
                                        && whole.block().place().equals(place)
                                ? CompletableFuture.completedFuture(Optional.of(whole.block()))
                                : blockOf(place, nodes),
                        setup.executor());
    }

    private Behavior<Walker.Command> onArrived(Arrived message) {
        if (fetching.isEmpty()) {
            return this;
        }
        message.blocks()
                .value()
                .ifPresent(all -> all.forEach(found -> found.ifPresent(block -> fetched.put(block.id(), block))));
        List<ChainBlock> all = message.wanted().stream()
                .map(place -> fetched.get(place.blockId()))
                .filter(block -> block != null)
                .toList();
        if (all.size() == message.wanted().size()) {
            return tell(all);
        }
        timers.startSingleTimer(new FetchAgain(), RETRY);
        return this;
    }

    /** @param all the blocks; empty when no node shows them all */
    private Behavior<Walker.Command> tell(List<ChainBlock> all) {
        if (fetching.isEmpty()) {
            return this;
        }
        if (all.isEmpty()) {
            LOG.info("no node shows the blocks up to {}, although they are in the books", fetching.getAsLong());
        }
        subscribers.moveTo(chain, fetching.getAsLong(), all);
        fetching = OptionalLong.empty();
        fetched.clear();
        timers.cancel(new FetchTimedOut());
        timers.cancel(new FetchAgain());
        return readIfMoved();
    }

    private Behavior<Walker.Command> tick() {
        long height = chain.isEmpty() ? -1 : chain.height();
        long blocks = height - lastHeight;
        lastHeight = height;
        if (growth.watch(height, System.nanoTime())) {
            rounds.suppliedToAnother();
        }
        note(subscribers.status().namedHeight());
        // Far below a height that is already known, checking the work of headers each time would be wasted.
        boolean isKnown = blocks > ChainComparison.PROOF && subscribers.status().lag() > MIN_TICKS_BELOW * blocks;
        if (!isKnown && !nodeRequested && !chain.isEmpty() && check.isPresent()) {
            nodeRequested = true;
            FollowedNode node = rounds.next();
            HeaderChain ours = chain.copy();
            ChainComparison look = new ChainComparison(node.client(), ours, check.get(), setup.executor());
            Outcome.pipe(getContext(), look.beginAboveTip(), finding -> new NodeSeen(node, ours.top(), finding));
        }
        return readIfMoved();
    }

    private void note(long namedHeight) {
        List<String> complaints = new ArrayList<>(rounds.complaints());
        long unseen = setup.file().unseenMillis();
        if (unseen >= MAX_SILENCE.toMillis()) {
            complaints.add("the books have not answered for " + unseen / 1_000
                    + " s, so that nothing is known of what another daemon writes");
        }
        long before = subscribers.status().nodesHeight();
        subscribers.note(
                chain.isEmpty() ? before : rounds.highest(namedHeight, before, chain.height()),
                namedHeight,
                complaints);
        if (!chain.isEmpty()) {
            subscribers.setPrecedence(rounds.precedence(chain.height()));
        }
    }

    private Behavior<Walker.Command> onNodeSeen(NodeSeen message) {
        nodeRequested = false;
        FollowedNode node = message.node();
        message.finding()
                .value()
                .ifPresentOrElse(
                        finding -> {
                            // A finding on a chain that was replaced meanwhile says nothing about this one.
                            if (chain.has(
                                    message.ours().height(), message.ours().blockId())) {
                                judge(node, finding, message.ours().height());
                            }
                        },
                        () -> rounds.failed(node));
        return this;
    }

    private void judge(FollowedNode node, ChainComparison.Finding finding, long ours) {
        rounds.found(node, finding, ours);
        if (growth.isCatchingUp(System.nanoTime()) || chain.height() - lastHeight > ChainComparison.PROOF) {
            rounds.suppliedToAnother();
        }
        // This actor reads no blocks from the node, so a proven header is the only sign that its chain can be followed.
        if (finding instanceof ChainComparison.Finding.Longer longer
                && longer.proof().height() > ours) {
            rounds.brings(node);
        }
        subscribers.setIgnoredTips(rounds.ignoredTips());
        finding.agreed(ours)
                .ifPresentOrElse(
                        height -> {
                            rounds.agrees(node);
                            note(height);
                        },
                        () -> rounds.differs(node));
    }
}
