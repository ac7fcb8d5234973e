package org.chainwalletd.follow;

import io.micrometer.core.instrument.Gauge;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.BehaviorBuilder;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.stream.Materializer;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.U64;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.ScanRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owner of the rescans, which run one after another: requested ones, and those that the books need for addresses of unknown history. Reads old
 * blocks into rows that are not yet visible, up to the head, and joins them to it in the commit of the block where both meet. That block was
 * checked with all its work, and its id proves every block below it: so links and roots are enough here. Talks to the nodes with background
 * priority and to {@code books.db}. On restart it continues from its last commit.
 */
final class Rescanner {
    private static final Logger LOG = LoggerFactory.getLogger(Rescanner.class);
    private static final Duration FIRST_RESTART = Duration.ofSeconds(1);
    private static final Duration LAST_RESTART = Duration.ofSeconds(30);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);
    private static final Duration IDLE_INTERVAL = Duration.ofSeconds(2);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final double RESTART_JITTER = 0.1;
    /** Blocks that a rescan steps back when the chain below it has changed; doubled each time that this was not enough. */
    private static final int STEP_BACK = 10;

    private static final int MOST_DOUBLINGS = 20;

    sealed interface Command {}

    /**
     * Starts a rescan, unless a pending one starts no higher.
     *
     * @param reply completes when the request is durable; empty when there is nothing to read
     */
    record Begin(long fromHeight, CompletableFuture<Optional<RescanProgress>> reply) implements Command {}

    /**
     * Starts a rescan if the books need one.
     *
     * @param reply completes with the rescan under way, once it is durable; empty when there is nothing to read
     */
    record ReadHistories(CompletableFuture<Optional<RescanProgress>> reply) implements Command {}

    /**
     * State for readers on other threads.
     *
     * @param known false before the books were read
     */
    record RescanState(boolean known, Optional<RescanProgress> underway) {
        static final RescanState UNKNOWN = new RescanState(false, Optional.empty());

        static RescanState of(RescanProgress progress) {
            return new RescanState(true, Optional.of(progress));
        }
    }

    private record Loaded(Bookkeeping.Pending pending) implements Command {}

    private record Requested(CompletableFuture<Optional<RescanProgress>> reply, Outcome<Bookkeeping.Pending> pending)
            implements Command {}

    private record Next() implements Command {}

    private record Progress() implements Command {}

    private record Arrived(Fetched fetched, CompletableFuture<Done> taken) implements Command {}

    private record Written(Optional<Bookkeeping.Scanned> scanned) implements Command {}

    private record SteppedBack(Optional<BlockRow> top) implements Command {}

    /** The walk has ended, at its last block or by a failure: the next step continues from what is written. */
    private record WalkEnded() implements Command {}

    private record WriteFailed(Throwable failure) implements Command {}

    private final ActorContext<Command> context;
    private final TimerScheduler<Command> timers;
    private final FollowerSetup setup;
    private final Subscribers subscribers;
    private final LongConsumer tellJoined;
    private final AtomicReference<RescanState> published;
    private final Bookkeeping books;
    private final Materializer materializer;
    private final Batch batch = new Batch();
    /** Calls that wait for the answer of the books. */
    private final Set<CompletableFuture<Optional<RescanProgress>>> openRequests = new HashSet<>();

    private CompletableFuture<Done> waiting;
    private BlockReader reader;
    private ScanRow scan;
    private Optional<BlockRow> top = Optional.empty();
    private OptionalLong next = OptionalLong.empty();
    private Walk walk;
    private final Turns turns;
    /** Index of the node that is read, and the height that its walk should reach. */
    private int node;

    private long to;
    /** Whether the walk may have ended early because of another node's block. */
    private boolean excused;
    /** Steps back since the last write. */
    private int stepsBack;

    private long blocksSinceLog;
    private boolean writing;
    private boolean undoing;
    private boolean joined;

    private Rescanner(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            FollowerSetup setup,
            Subscribers subscribers,
            LongConsumer tellJoined,
            AtomicReference<RescanState> published) {
        this.context = context;
        this.timers = timers;
        this.setup = setup;
        this.subscribers = subscribers;
        this.tellJoined = tellJoined;
        this.published = published;
        this.books = new Bookkeeping(setup.file(), setup.books(), setup.rules());
        this.materializer = Materializer.createMaterializer(context);
        this.turns = new Turns(setup.nodes().size());
    }

    /**
     * @param tellJoined called after the commit with the first block of each rescan that has joined
     * @param published updated with the progress of the rescans
     */
    static Behavior<Command> create(
            FollowerSetup setup,
            Subscribers subscribers,
            LongConsumer tellJoined,
            AtomicReference<RescanState> published) {
        Gauge.builder(
                        "walletd.follower.rescan.left",
                        () -> published
                                .get()
                                .underway()
                                .map(RescanProgress::allBlocksLeft)
                                .orElse(0L))
                .description("Blocks that rescans have not read yet, with the one that waits")
                .register(setup.meters());
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new Rescanner(context, timers, setup, subscribers, tellJoined, published).loading())))
                .onFailure(SupervisorStrategy.restartWithBackoff(FIRST_RESTART, LAST_RESTART, RESTART_JITTER));
    }

    static void whileStopped(Command command) {
        if (command instanceof Begin begin) {
            Background.refuse(begin.reply());
        } else if (command instanceof ReadHistories read) {
            Background.refuse(read.reply());
        }
    }

    private BehaviorBuilder<Command> always() {
        return Behaviors.receive(Command.class)
                .onMessage(Begin.class, command -> request(command.reply(), books.beginScan(command.fromHeight())))
                .onMessage(ReadHistories.class, command -> request(command.reply(), books.pendingScan()))
                .onMessage(Requested.class, this::requested)
                .onMessage(Progress.class, progress -> logProgress())
                .onMessage(WriteFailed.class, this::writeFailed)
                .onSignal(PreRestart.class, signal -> stopWalking())
                .onSignal(PostStop.class, signal -> stopWalking());
    }

    private Behavior<Command> writeFailed(WriteFailed command) {
        throw new IllegalStateException("cannot write the blocks of a rescan", command.failure());
    }

    private Behavior<Command> stopWalking() {
        if (walk != null) {
            walk.stop().shutdown();
        }
        // The books record whether it is to be done; asking again is harmless.
        openRequests.forEach(Background::refuse);
        return Behaviors.same();
    }

    private Behavior<Command> request(
            CompletableFuture<Optional<RescanProgress>> reply, CompletionStage<Bookkeeping.Pending> written) {
        openRequests.add(reply);
        Outcome.pipe(context, written, pending -> new Requested(reply, pending));
        return Behaviors.same();
    }

    private Behavior<Command> requested(Requested command) {
        openRequests.remove(command.reply());
        return command.pending()
                .fold(
                        pending -> requested(pending, command.reply()),
                        failure -> requestFailed(failure, command.reply()));
    }

    private Behavior<Command> requestFailed(Throwable failure, CompletableFuture<Optional<RescanProgress>> reply) {
        reply.completeExceptionally(failure);
        return Behaviors.same();
    }

    /**
     * Answers a request. A rescan under way goes on, and a new one follows it. The progress is published before the reply, so that the caller sees
     * it.
     */
    private Behavior<Command> requested(
            Bookkeeping.Pending pending, CompletableFuture<Optional<RescanProgress>> reply) {
        next = pending.next();
        Optional<RescanProgress> underway = pending.scan().map(row -> progress(row, pending.top()));
        underway.ifPresent(progress -> published.set(RescanState.of(progress)));
        reply.complete(underway);
        // The rescan may have joined since this was read.
        return scan == null && underway.isPresent() ? loading() : Behaviors.same();
    }

    private RescanProgress progress(ScanRow row, Optional<BlockRow> at) {
        return RescanProgress.of(row, at, subscribers.tip(), next);
    }

    private Behavior<Command> loading() {
        Outcome.pipe(context, books.pendingScan(), pending -> pending.fold(Loaded::new, WriteFailed::new));
        return always().onMessage(Loaded.class, this::loaded).build();
    }

    private Behavior<Command> loaded(Loaded command) {
        Bookkeeping.Pending pending = command.pending();
        next = pending.next();
        if (pending.scan().isEmpty()) {
            return idle();
        }
        scan = pending.scan().get();
        top = pending.top();
        reader = new BlockReader(
                setup.profile(),
                setup.any().background(),
                new Leniency(pending.network().orElse(Network.MAINNET)),
                setup.executor());
        RescanProgress begin = progress(scan, top);
        LOG.info("rescan from block {}: {} blocks to read", U64.toString(scan.fromHeight()), begin.blocksLeft());
        timers.startTimerWithFixedDelay(new Progress(), LOG_INTERVAL);
        return step();
    }

    /** Waits while no rescan is due. */
    private Behavior<Command> idle() {
        scan = null;
        published.set(new RescanState(true, Optional.empty()));
        timers.cancel(new Progress());
        timers.startSingleTimer(new Next(), IDLE_INTERVAL);
        return always().onMessage(Next.class, next -> loading()).build();
    }

    private Behavior<Command> logProgress() {
        if (scan != null) {
            RescanProgress now = progress(scan, top);
            long rate = Math.max(1, blocksSinceLog / LOG_INTERVAL.toSeconds());
            LOG.info(
                    "rescan at block {}: {} blocks/s, {} left, about {} s",
                    U64.toString(now.height()),
                    blocksSinceLog / LOG_INTERVAL.toSeconds(),
                    now.blocksLeft(),
                    now.blocksLeft() / rate);
            blocksSinceLog = 0;
        }
        return Behaviors.same();
    }

    /** Reads on up to the current head. */
    private Behavior<Command> step() {
        RescanProgress now = progress(scan, top);
        published.set(RescanState.of(now));
        if (now.blocksLeft() == 0) {
            return pausing();
        }
        node = turns.next();
        to = now.toHeight();
        excused = false;
        walk = Walk.begin(
                reader,
                CompletableFuture::completedFuture,
                setup.nodes().get(node).client().background(),
                now.height() + 1,
                to,
                this::passOn,
                1,
                materializer);
        context.pipeToSelf(walk.ended(), (done, failure) -> new WalkEnded());
        return always().onMessage(Arrived.class, this::arrived)
                .onMessage(Written.class, this::written)
                .onMessage(SteppedBack.class, this::steppedBack)
                .onMessage(WalkEnded.class, ended -> walkEnded())
                .build();
    }

    private Behavior<Command> pausing() {
        timers.startSingleTimer(new Next(), PAUSE);
        return always().onMessage(Next.class, next -> step()).build();
    }

    /** Passes blocks on one at a time. */
    private CompletionStage<Done> passOn(List<Fetched> one) {
        CompletableFuture<Done> taken = new CompletableFuture<>();
        context.getSelf().tell(new Arrived(one.get(0), taken));
        return taken;
    }

    private Behavior<Command> arrived(Arrived command) {
        if (joined || undoing || !(command.fetched() instanceof Fetched.Whole whole)) {
            command.taken().completeExceptionally(new IllegalStateException("the walk ends here"));
            return Behaviors.same();
        }
        ChainBlock block = whole.block();
        Optional<BlockRow> below = batch.last().or(() -> top);
        if (below.isPresent() && !block.parentId().equals(below.get().blockId())) {
            return stepBack(command.taken());
        }
        batch.add(new Bookkeeping.Entry(block, true));
        if (batch.isFull() || block.height() >= progress(scan, top).toHeight()) {
            waiting = command.taken();
            return write();
        }
        command.taken().complete(Done.getInstance());
        return Behaviors.same();
    }

    private Behavior<Command> write() {
        writing = true;
        List<Bookkeeping.Entry> blocks = batch.take();
        blocksSinceLog += blocks.size();
        Outcome.pipe(
                context,
                books.connectScan(scan.scan(), blocks),
                scanned -> scanned.fold(Written::new, WriteFailed::new));
        return Behaviors.same();
    }

    private Behavior<Command> written(Written command) {
        writing = false;
        command.scanned().ifPresent(this::written);
        if (waiting != null) {
            if (command.scanned().isPresent()) {
                waiting.complete(Done.getInstance());
            } else {
                LOG.debug("blocks above {} are not on the followed chain", top);
                waiting.completeExceptionally(new IllegalStateException("the node is on another branch than the head"));
            }
            waiting = null;
        }
        return walk == null ? walked() : Behaviors.same();
    }

    private void written(Bookkeeping.Scanned scanned) {
        stepsBack = 0;
        top = Optional.of(scanned.top());
        joined = scanned.joined();
        published.set(RescanState.of(progress(scan, top)));
        if (joined) {
            scanned.ancestor().ifPresent(subscribers::setAncestor);
            tellJoined.accept(scan.fromHeight());
            LOG.info(
                    "the rescan from block {} has reached the head at block {}",
                    U64.toString(scan.fromHeight()),
                    U64.toString(scanned.top().height()));
        }
    }

    private Behavior<Command> stepBack(CompletableFuture<Done> taken) {
        // The wrong block may be the one below, which another walk has read.
        excused = batch.isEmpty();
        batch.take();
        undoing = true;
        long blocks = (long) STEP_BACK << Math.min(stepsBack++, MOST_DOUBLINGS);
        long floor = Math.max(scan.fromHeight() - 1, progress(scan, top).height() - blocks);
        Outcome.pipe(context, books.undoScan(scan.scan(), floor), row -> row.fold(SteppedBack::new, WriteFailed::new));
        taken.completeExceptionally(new IllegalStateException("the chain below has changed"));
        return Behaviors.same();
    }

    private Behavior<Command> steppedBack(SteppedBack command) {
        undoing = false;
        top = command.top();
        return walk == null ? walked() : Behaviors.same();
    }

    /** Continues only from what is written: a pending write or undo must finish before the next step begins. */
    private Behavior<Command> walkEnded() {
        walk = null;
        return writing || undoing ? Behaviors.same() : walked();
    }

    /** Continues after a walk. First writes the blocks read before a failure, so that a long-missing block does not prevent progress up to it. */
    private Behavior<Command> walked() {
        if (joined) {
            joined = false;
            turns.arrived(node);
            return loading();
        }
        if (!batch.isEmpty()) {
            return write();
        }
        if (progress(scan, top).height() >= to) {
            turns.arrived(node);
        } else if (!excused) {
            turns.endedEarly(node);
        }
        return pausing();
    }

    /**
     * Chooses the node for the next walk: at random among the nodes whose walks ended too early the fewest times. Random, because in a fixed order two
     * nodes on different branches could undo each other's blocks indefinitely.
     */
    static final class Turns {
        /** Enough to prefer another node; more would exclude a node for a long time after a fault of all of them. */
        private static final int MAX_COUNT = 5;

        private final int[] earlyEnds;

        Turns(int nodes) {
            earlyEnds = new int[nodes];
        }

        int next() {
            int least = IntStream.of(earlyEnds).min().orElseThrow();
            int[] best = IntStream.range(0, earlyEnds.length)
                    .filter(node -> earlyEnds[node] == least)
                    .toArray();
            return best[ThreadLocalRandom.current().nextInt(best.length)];
        }

        /** Counts a walk of the node that ended too early, or that led to other blocks than those of the head. */
        void endedEarly(int node) {
            earlyEnds[node] = Math.min(MAX_COUNT, earlyEnds[node] + 1);
        }

        /** Forgets the early ends of the node's walks after one that reached its target. */
        void arrived(int node) {
            earlyEnds[node] = 0;
        }
    }
}
