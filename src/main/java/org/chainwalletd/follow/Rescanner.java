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
 * Owns the rescans, one after the other: those that somebody asks for, and those that the books need for addresses whose history they do not
 * know. Reads old blocks into rows that nobody sees, up to the head, and lets them join it in the commit of the block where both meet. That block was checked with all its work and names its parents, so it proves every block below by its id: links
 * and roots are enough here. Talks to the nodes in the background and to {@code books.db}. On restart it goes on from its last commit.
 */
final class Rescanner {
    private static final Logger LOG = LoggerFactory.getLogger(Rescanner.class);
    private static final Duration FIRST_RESTART = Duration.ofSeconds(1);
    private static final Duration LAST_RESTART = Duration.ofSeconds(30);
    private static final Duration LOGGED = Duration.ofSeconds(10);
    private static final Duration RESTING = Duration.ofSeconds(2);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final double RESTART_JITTER = 0.1;
    /** Number of blocks that a rescan steps back when the chain below it has changed; twice as many each time that this was not enough. */
    private static final int STEP_BACK = 10;

    private static final int MOST_DOUBLINGS = 20;

    sealed interface Command {}

    /**
     * Begins a rescan, or leaves it to a pending one that begins no higher.
     *
     * @param reply completes when it is durable that it will be done; empty when there is nothing to read
     */
    record Begin(long fromHeight, CompletableFuture<Optional<RescanProgress>> reply) implements Command {}

    /**
     * Looks whether the books need a rescan.
     *
     * @param reply completes with the one that runs, when it is durable; empty when there is nothing to read
     */
    record ReadHistories(CompletableFuture<Optional<RescanProgress>> reply) implements Command {}

    /**
     * State that readers on other threads see.
     *
     * @param known false before the books were looked at
     */
    record RescanState(boolean known, Optional<RescanProgress> underway) {
        static final RescanState UNKNOWN = new RescanState(false, Optional.empty());

        static RescanState of(RescanProgress progress) {
            return new RescanState(true, Optional.of(progress));
        }
    }

    private record Loaded(Bookkeeping.Pending pending) implements Command {}

    private record Begun(CompletableFuture<Optional<RescanProgress>> reply, Outcome<Bookkeeping.Pending> pending)
            implements Command {}

    private record Next() implements Command {}

    private record Progress() implements Command {}

    private record Arrived(Fetched fetched, CompletableFuture<Done> taken) implements Command {}

    private record Written(Optional<Bookkeeping.Scanned> scanned) implements Command {}

    private record SteppedBack(Optional<BlockRow> top) implements Command {}

    /** As far as it goes, or because something on the way has failed: the next step reads on from what is written. */
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
    /** Calls that are answered when the books have told what is to be read. */
    private final Set<CompletableFuture<Optional<RescanProgress>>> asking = new HashSet<>();

    private CompletableFuture<Done> waiting;
    private BlockReader reader;
    private ScanRow scan;
    private Optional<BlockRow> top = Optional.empty();
    private OptionalLong next = OptionalLong.empty();
    private Walk walk;
    /** Steps back since something was written. */
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
    }

    /**
     * @param tellJoined is told the first block of each rescan that has joined, after the commit
     * @param published kept at how far rescans have come
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
                .onMessage(Begin.class, command -> begin(command.reply(), books.beginScan(command.fromHeight())))
                .onMessage(ReadHistories.class, command -> begin(command.reply(), books.pendingScan()))
                .onMessage(Begun.class, this::begun)
                .onMessage(Progress.class, progress -> logProgress())
                .onMessage(WriteFailed.class, this::writeFailed)
                .onSignal(PreRestart.class, signal -> stopWalking())
                .onSignal(PostStop.class, signal -> stopWalking());
    }

    private Behavior<Command> writeFailed(WriteFailed command) {
        throw new IllegalStateException("a rescan cannot be written", command.failure());
    }

    private Behavior<Command> stopWalking() {
        if (walk != null) {
            walk.stop().shutdown();
        }
        // Whether it will be done is in the books; to ask again is harmless.
        asking.forEach(Background::refuse);
        return Behaviors.same();
    }

    private Behavior<Command> begin(
            CompletableFuture<Optional<RescanProgress>> reply, CompletionStage<Bookkeeping.Pending> begun) {
        asking.add(reply);
        Outcome.pipe(context, begun, pending -> new Begun(reply, pending));
        return Behaviors.same();
    }

    private Behavior<Command> begun(Begun command) {
        asking.remove(command.reply());
        return command.pending()
                .fold(pending -> begun(pending, command.reply()), failure -> notBegun(failure, command.reply()));
    }

    private Behavior<Command> notBegun(Throwable failure, CompletableFuture<Optional<RescanProgress>> reply) {
        reply.completeExceptionally(failure);
        return Behaviors.same();
    }

    /** The one that runs goes on; a new one is taken up after it. Whoever hears of it sees it in what is published too. */
    private Behavior<Command> begun(Bookkeeping.Pending pending, CompletableFuture<Optional<RescanProgress>> reply) {
        next = pending.next();
        Optional<RescanProgress> underway = pending.scan().map(row -> progress(row, pending.top()));
        underway.ifPresent(progress -> published.set(RescanState.of(progress)));
        reply.complete(underway);
        // It may have joined since it was read.
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
            return resting();
        }
        scan = pending.scan().get();
        top = pending.top();
        reader = new BlockReader(
                setup.profile(),
                setup.any().background(),
                new Leniency(pending.network().orElse(Network.MAINNET)),
                setup.executor());
        RescanProgress begin = progress(scan, top);
        LOG.info("rescan from block {}: {} blocks are to be read", U64.toString(scan.fromHeight()), begin.blocksLeft());
        timers.startTimerWithFixedDelay(new Progress(), LOGGED);
        return step();
    }

    /** Nothing is pending. */
    private Behavior<Command> resting() {
        scan = null;
        published.set(new RescanState(true, Optional.empty()));
        timers.cancel(new Progress());
        timers.startSingleTimer(new Next(), RESTING);
        return always().onMessage(Next.class, next -> loading()).build();
    }

    private Behavior<Command> logProgress() {
        if (scan != null) {
            RescanProgress now = progress(scan, top);
            long rate = Math.max(1, blocksSinceLog / LOGGED.toSeconds());
            LOG.info(
                    "rescan at block {}: {} blocks/s, {} left, about {} s",
                    U64.toString(now.height()),
                    blocksSinceLog / LOGGED.toSeconds(),
                    now.blocksLeft(),
                    now.blocksLeft() / rate);
            blocksSinceLog = 0;
        }
        return Behaviors.same();
    }

    /** Reads on up to the head as it is now. */
    private Behavior<Command> step() {
        RescanProgress now = progress(scan, top);
        published.set(RescanState.of(now));
        if (now.blocksLeft() == 0) {
            return pausing();
        }
        // In turn, two nodes on different branches could take back what the other one has shown for ever.
        int node = ThreadLocalRandom.current().nextInt(setup.nodes().size());
        walk = Walk.begin(
                reader,
                CompletableFuture::completedFuture,
                setup.nodes().get(node).client().background(),
                now.height() + 1,
                now.toHeight(),
                this::hand,
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

    /** Hands blocks over one at a time. */
    private CompletionStage<Done> hand(List<Fetched> one) {
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
                LOG.debug("blocks above {} are not those of the followed chain", top);
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
            scanned.ancestor().ifPresent(subscribers::standsOn);
            tellJoined.accept(scan.fromHeight());
            LOG.info(
                    "the rescan from block {} has met the head at block {}",
                    U64.toString(scan.fromHeight()),
                    U64.toString(scanned.top().height()));
        }
    }

    private Behavior<Command> stepBack(CompletableFuture<Done> taken) {
        batch.take();
        undoing = true;
        long blocks = (long) STEP_BACK << Math.min(stepsBack++, MOST_DOUBLINGS);
        long to = Math.max(scan.fromHeight() - 1, progress(scan, top).height() - blocks);
        Outcome.pipe(context, books.undoScan(scan.scan(), to), row -> row.fold(SteppedBack::new, WriteFailed::new));
        taken.completeExceptionally(new IllegalStateException("the chain below has changed"));
        return Behaviors.same();
    }

    private Behavior<Command> steppedBack(SteppedBack command) {
        undoing = false;
        top = command.top();
        return walk == null ? walked() : Behaviors.same();
    }

    /** Goes on only from what is written: a step that is taken back has to be before the next one is begun. */
    private Behavior<Command> walkEnded() {
        walk = null;
        return writing || undoing ? Behaviors.same() : walked();
    }

    /** Writes what was read before something failed: a block that is long not to be had must not keep it from getting there. */
    private Behavior<Command> walked() {
        if (joined) {
            joined = false;
            return loading();
        }
        return batch.isEmpty() ? pausing() : write();
    }
}
