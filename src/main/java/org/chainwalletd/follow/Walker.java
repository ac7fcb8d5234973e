package org.chainwalletd.follow;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.BehaviorBuilder;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.javadsl.SourceQueueWithComplete;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.U64;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.BlockRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the followed chain: which block is its tip, and the kept ids below. Asks one node at a time how its chain stands to ours, reads what is
 * new, commits all books together, and tells the audience after the commit. Talks to the nodes and to {@code books.db}. On restart, of itself
 * or of the process, it goes on from what was committed last; its audience stays.
 */
final class Walker {
    private static final Logger LOG = LoggerFactory.getLogger(Walker.class);
    private static final Duration FIRST_RESTART = Duration.ofSeconds(1);
    private static final Duration LAST_RESTART = Duration.ofSeconds(30);
    private static final double RESTART_JITTER = 0.1;
    private static final Duration LINGER = Duration.ofMillis(50);

    sealed interface Command {}

    /** Looks now instead of at the next interval. */
    record Nudge() implements Command {}

    record Subscribe(ActorRef<? super FollowEvent> subscriber) implements Command {}

    record WatchTips(SourceQueueWithComplete<FollowedTip> queue) implements Command {}

    record TipsEnded(SourceQueueWithComplete<FollowedTip> queue) implements Command {}

    private record Left(ActorRef<? super FollowEvent> subscriber) implements Command {}

    private record Loaded(List<BlockRow> rows) implements Command {}

    private record Tick() implements Command {}

    private record Looked(FollowedNode node, Look.Finding finding, Throwable failure) implements Command {}

    private record Begun(List<BlockRow> rows, Throwable failure) implements Command {}

    private record Undone(FollowedNode node, Look.Finding.Heavier branch) implements Command {}

    private record Arrived(Fetched fetched, CompletableFuture<Done> taken) implements Command {}

    private record FlushDue() implements Command {}

    private record Committed(List<Bookkeeping.Entry> blocks) implements Command {}

    private record WalkEnded(Throwable failure) implements Command {}

    /** A commit that failed: the state in memory is ahead of what is written, so all begins anew from there. */
    private record WriteFailed(Throwable failure) implements Command {}

    private final ActorContext<Command> context;
    private final TimerScheduler<Command> timers;
    private final FollowerSetup setup;
    private final Audience audience;
    private final Bookkeeping books;
    private final BlockReader reader;
    private final Materializer materializer;
    private final Rounds rounds;
    private HeaderChain chain = HeaderChain.of(List.of());
    private boolean nudged;
    private Walk walk;
    private boolean walkEnded;
    private boolean committing;
    private final Batch batch = new Batch();

    private Walker(
            ActorContext<Command> context, TimerScheduler<Command> timers, FollowerSetup setup, Audience audience) {
        this.context = context;
        this.timers = timers;
        this.setup = setup;
        this.audience = audience;
        this.books = new Bookkeeping(setup.file(), setup.books());
        this.reader = new BlockReader(setup.profile(), setup.any(), setup.executor());
        this.materializer = Materializer.createMaterializer(context);
        this.rounds = new Rounds(setup.nodes());
    }

    static Behavior<Command> create(FollowerSetup setup, Audience audience) {
        return Behaviors.supervise(Behaviors.<Command>setup(context ->
                        Behaviors.withTimers(timers -> new Walker(context, timers, setup, audience).loading())))
                .onFailure(SupervisorStrategy.restartWithBackoff(FIRST_RESTART, LAST_RESTART, RESTART_JITTER));
    }

    /** What is the same in every state. */
    private BehaviorBuilder<Command> always() {
        return Behaviors.receive(Command.class)
                .onMessage(Subscribe.class, this::subscribe)
                .onMessage(Left.class, this::left)
                .onMessage(WatchTips.class, this::watchTips)
                .onMessage(TipsEnded.class, this::tipsEnded)
                .onMessage(Nudge.class, this::rememberNudge)
                .onMessage(WriteFailed.class, this::writeFailed)
                .onSignal(PreRestart.class, signal -> stopWalking())
                .onSignal(PostStop.class, signal -> stopWalking());
    }

    private Behavior<Command> subscribe(Subscribe command) {
        context.watchWith(command.subscriber(), new Left(command.subscriber()));
        audience.subscribe(command.subscriber());
        return Behaviors.same();
    }

    private Behavior<Command> left(Left command) {
        audience.leave(command.subscriber());
        return Behaviors.same();
    }

    private Behavior<Command> watchTips(WatchTips command) {
        audience.watch(command.queue());
        return Behaviors.same();
    }

    private Behavior<Command> tipsEnded(TipsEnded command) {
        audience.leave(command.queue());
        return Behaviors.same();
    }

    private Behavior<Command> rememberNudge(Nudge command) {
        nudged = true;
        return Behaviors.same();
    }

    private Behavior<Command> writeFailed(WriteFailed command) {
        throw new IllegalStateException("the books cannot be kept", command.failure());
    }

    private Behavior<Command> stopWalking() {
        if (walk != null) {
            walk.stop().shutdown();
        }
        return Behaviors.same();
    }

    /** Reads where the books stand. */
    private Behavior<Command> loading() {
        audience.subscribers().forEach(subscriber -> context.watchWith(subscriber, new Left(subscriber)));
        context.pipeToSelf(
                books.head(), (rows, failure) -> failure == null ? new Loaded(rows) : new WriteFailed(failure));
        return always().onMessage(Loaded.class, this::loaded).build();
    }

    private Behavior<Command> loaded(Loaded command) {
        chain = HeaderChain.of(command.rows());
        if (!chain.isEmpty()) {
            audience.hear(new FollowEvent.Standing(tip()));
            audience.stand(tip());
        }
        return look();
    }

    /** Waits for the next interval, or for somebody who knows of a new block. */
    private Behavior<Command> idle() {
        if (nudged) {
            return look();
        }
        timers.startSingleTimer(new Tick(), setup.interval());
        return always().onMessage(Tick.class, tick -> look())
                .onMessage(Nudge.class, nudge -> look())
                .build();
    }

    private Behavior<Command> look() {
        nudged = false;
        timers.cancel(new Tick());
        FollowedNode node = rounds.current();
        if (chain.isEmpty()) {
            context.pipeToSelf(firstBlock(node.client()), Begun::new);
            return always().onMessage(Begun.class, this::begun).build();
        }
        Look look = new Look(node.client(), chain.copy(), setup.executor());
        context.pipeToSelf(look.begin(), (finding, failure) -> new Looked(node, finding, failure));
        return always().onMessage(Looked.class, this::looked).build();
    }

    /** The first start follows from here on: what lies deeper is a matter of a rescan. */
    private CompletionStage<List<BlockRow>> firstBlock(NodeClient node) {
        int depth = 2 * setup.network().get().orElse(Network.MAINNET).coinbaseMaturity();
        return node.tip()
                .thenComposeAsync(tip -> node.blockAt(Math.max(0, tip.height() - depth)), setup.executor())
                .thenApplyAsync(found -> List.of(row(found.orElseThrow())), setup.executor())
                .thenComposeAsync(
                        rows -> books.begin(rows).thenApplyAsync(nothing -> rows, setup.executor()), setup.executor());
    }

    private static BlockRow row(NodeClient.BlockSummary block) {
        return new BlockRow(
                block.height(),
                block.blockId(),
                block.previousBlockId(),
                block.timestamp(),
                block.difficultyTarget(),
                true);
    }

    private Behavior<Command> begun(Begun command) {
        if (command.failure() != null) {
            LOG.debug(
                    "{} shows no block to begin with: {}",
                    rounds.current().name(),
                    command.failure().getMessage());
            rounds.next();
            return idle();
        }
        LOG.info("following from block {}", U64.toString(command.rows().get(0).height()));
        return loaded(new Loaded(command.rows()));
    }

    private Behavior<Command> looked(Looked command) {
        FollowedNode node = command.node();
        if (command.failure() != null) {
            LOG.debug(
                    "{} is not followed now: {}", node.name(), command.failure().getMessage());
            rounds.next();
            return idle();
        }
        Look.Finding finding = command.finding();
        if (finding instanceof Look.Finding.Longer longer) {
            return walk(node, longer.to());
        }
        if (finding instanceof Look.Finding.Heavier heavier) {
            return reorganise(node, heavier);
        }
        if (!(finding instanceof Look.Finding.Same)) {
            LOG.debug("{} is not followed: {}", node.name(), finding);
            rounds.next();
        }
        return idle();
    }

    private Behavior<Command> reorganise(FollowedNode node, Look.Finding.Heavier branch) {
        context.pipeToSelf(
                books.undo(branch.fork()),
                (nothing, failure) -> failure == null ? new Undone(node, branch) : new WriteFailed(failure));
        return always().onMessage(Undone.class, this::undone).build();
    }

    private Behavior<Command> undone(Undone command) {
        List<BlockRow> gone = chain.cutTo(command.branch().fork());
        LOG.info(
                "{} blocks above {} are off the chain",
                gone.size(),
                U64.toString(command.branch().fork()));
        gone.forEach(row -> audience.hear(new FollowEvent.Disconnected(row.place())));
        audience.stand(tip());
        return walk(command.node(), command.branch().to());
    }

    /** Reads the node's blocks from ours upwards. */
    private Behavior<Command> walk(FollowedNode node, long to) {
        walkEnded = false;
        walk = Walk.begin(reader, node.client(), chain.height() + 1, to, this::hand, materializer);
        context.pipeToSelf(walk.ended(), (done, failure) -> new WalkEnded(failure));
        return always().onMessage(Arrived.class, this::arrived)
                .onMessage(FlushDue.class, due -> flush())
                .onMessage(Committed.class, this::committed)
                .onMessage(WalkEnded.class, this::walkEnded)
                .build();
    }

    private CompletionStage<Done> hand(Fetched fetched) {
        CompletableFuture<Done> taken = new CompletableFuture<>();
        context.getSelf().tell(new Arrived(fetched, taken));
        return taken;
    }

    private Behavior<Command> arrived(Arrived command) {
        if (!(command.fetched() instanceof Fetched.Whole whole)
                || !whole.block().parentId().equals(chain.top().blockId())) {
            LOG.debug("no further than block {}: {}", U64.toString(chain.height()), command.fetched());
            rounds.next();
            command.taken().completeExceptionally(new IllegalStateException("the walk ends here"));
            return Behaviors.same();
        }
        Bookkeeping.Entry entry = new Bookkeeping.Entry(whole.block(), true);
        chain.append(entry.row());
        batch.add(entry, command.taken());
        if (batch.isFull()) {
            return flush();
        }
        if (!timers.isTimerActive(new FlushDue())) {
            timers.startSingleTimer(new FlushDue(), LINGER);
        }
        return Behaviors.same();
    }

    private Behavior<Command> flush() {
        if (!committing && !batch.isEmpty()) {
            committing = true;
            timers.cancel(new FlushDue());
            List<Bookkeeping.Entry> blocks = batch.take();
            context.pipeToSelf(
                    books.connect(blocks),
                    (nothing, failure) -> failure == null ? new Committed(blocks) : new WriteFailed(failure));
        }
        return Behaviors.same();
    }

    private Behavior<Command> committed(Committed command) {
        committing = false;
        List<Bookkeeping.Entry> blocks = command.blocks();
        blocks.forEach(entry -> audience.hear(new FollowEvent.Connected(entry.block())));
        audience.stand(tipOf(blocks.get(blocks.size() - 1).row()));
        if (batch.isFull() || walkEnded) {
            flush();
        }
        return endWhenDone();
    }

    private Behavior<Command> walkEnded(WalkEnded command) {
        walkEnded = true;
        flush();
        return endWhenDone();
    }

    private Behavior<Command> endWhenDone() {
        if (!walkEnded || committing || !batch.isEmpty()) {
            return Behaviors.same();
        }
        walk = null;
        return idle();
    }

    private FollowedTip tip() {
        return tipOf(chain.top());
    }

    private static FollowedTip tipOf(BlockRow row) {
        return new FollowedTip(row.place(), row.timestamp());
    }
}
