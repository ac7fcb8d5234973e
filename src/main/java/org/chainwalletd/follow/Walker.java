package org.chainwalletd.follow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
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
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.node.ChainRules;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.BlockRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owner of the followed chain: its tip and the kept block ids below it. Compares one node's chain at a time with the followed one, reads new
 * blocks, commits them to all books together, and notifies the subscribers after the commit. Talks to the nodes and to {@code books.db}. After a
 * restart of the actor or of the process it continues from the last commit; its subscribers stay subscribed across a restart of the actor.
 */
final class Walker {
    private static final Logger LOG = LoggerFactory.getLogger(Walker.class);
    /** Greatest factor of the time of looks and walks, and greatest timeout that it makes. */
    private static final int MOST_PATIENCE = 32;

    private static final Duration MOST_PATIENT = Duration.ofSeconds(40);
    /** Number of failed looks in a row at which a warning is logged and shown by {@code /readyz}. */
    private static final int MOST_FAILED_LOOKS = 20;

    private static final Duration FIRST_RESTART = Duration.ofSeconds(1);
    private static final Duration LAST_RESTART = Duration.ofSeconds(30);
    private static final double RESTART_JITTER = 0.1;

    sealed interface Command {}

    /** Message that the {@link Reader}, which replaces a stopped walker, sends to itself. */
    non-sealed interface ToReader extends Command {}

    /** Compares with a node now instead of at the next interval. */
    record Nudge() implements Command {}

    record Subscribe(ActorRef<? super FollowEvent> subscriber) implements Command {}

    record WatchTips(SourceQueueWithComplete<FollowedTip> queue) implements Command {}

    record TipsEnded(SourceQueueWithComplete<FollowedTip> queue) implements Command {}

    /** A rescan has joined the head, in a commit of the rescanner. */
    record RescanJoined(long from) implements Command {}

    record Left(ActorRef<? super FollowEvent> subscriber) implements Command {}

    private record Loaded(Bookkeeping.Known known) implements Command {}

    private record Tick() implements Command {}

    private record RulesKnown(FollowedNode node, Outcome<ChainRules> rules) implements Command {}

    private record Looked(FollowedNode node, Outcome<ChainComparison.Finding> finding) implements Command {}

    private record LookedAgain(FollowedNode node, Fault fault, Outcome<Fetched> again) implements Command {}

    private record Started(Outcome<Bookkeeping.Known> known) implements Command {}

    private record ChainReplaced(FollowedNode node, Outcome<Bookkeeping.Known> known) implements Command {}

    private record BranchRead(FollowedNode node, ChainComparison.Finding.HeavierBranch branch, Outcome<Fetched> first)
            implements Command {}

    private record Undone(long height) implements Command {}

    /** Blocks above {@code from}, up to {@code to}, that were read from a node. */
    private record Walked(FollowedNode node, long from, long to) {}

    record Arrived(List<Fetched> blocks, CompletableFuture<Done> taken) implements Command {}

    record FlushDue() implements Command {}

    record Committed(List<Bookkeeping.Entry> blocks) implements Command {}

    /** The walk has reached the node's last block, or has failed; the next look finds out which. */
    record WalkEnded() implements Command {}

    /** A commit has failed. The chain in memory is ahead of the books, so the actor restarts and loads them again. */
    record WriteFailed(Throwable failure) implements Command {}

    private final ActorContext<Command> context;
    private final TimerScheduler<Command> timers;
    private final FollowerSetup setup;
    private final Subscribers subscribers;
    private final Bookkeeping books;
    private final Materializer materializer;
    private final Rounds rounds;
    /** Walks that include blocks not yet published to the subscribers. Never longer than the list of those blocks. */
    private final List<Walked> unpublished = new ArrayList<>();
    /** Nodes that have used up the time of a look and have not shown the followed chain since. */
    private final Set<FollowedNode> late = new HashSet<>();
    /** Factor of the time of looks and walks: if all nodes are slow, a block with many transactions is never read within the plain one. */
    private int patience = 1;
    /** Looks and walks in a row that were too late and brought no block. */
    private int lateInARow;
    /** Client of the node of the present walk. */
    private NodeClient walking;

    private HeaderChain chain = HeaderChain.of(List.of());
    private BlockReader reader;
    private HeaderCheck check;
    private List<String> lastComplaints = List.of();
    /** Failed looks since a node last showed its blocks. */
    private int failedLooks;
    /** Monotonic time of the start of the last look, in nanoseconds. */
    private long lookBegan;

    private Optional<SupplyRate.Supply> supply = Optional.empty();

    private Optional<ChainRules> rules = Optional.empty();
    private boolean nudged;
    /** Client of the node of the present look. */
    private NodeClient asked;

    private Ascent ascent;

    private Walker(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            FollowerSetup setup,
            Subscribers subscribers) {
        this.context = context;
        this.timers = timers;
        this.setup = setup;
        this.subscribers = subscribers;
        this.books = new Bookkeeping(setup.file(), setup.books(), setup.rules());
        this.materializer = Materializer.createMaterializer(context);
        this.rounds = new Rounds(setup.nodes(), setup.clock(), setup.meters());
    }

    static Behavior<Command> create(FollowerSetup setup, Subscribers subscribers) {
        return Behaviors.supervise(Behaviors.<Command>setup(context ->
                        Behaviors.withTimers(timers -> new Walker(context, timers, setup, subscribers).loading())))
                .onFailure(SupervisorStrategy.restartWithBackoff(FIRST_RESTART, LAST_RESTART, RESTART_JITTER));
    }

    /** Handles a command while following is stopped: subscriptions change; subscribers get events again when following resumes. */
    static void whileStopped(Command command, Subscribers subscribers) {
        if (command instanceof Subscribe subscribe) {
            subscribers.subscribe(subscribe.subscriber());
        } else if (command instanceof WatchTips watch) {
            subscribers.watch(watch.queue());
        } else if (command instanceof TipsEnded ended) {
            subscribers.leave(ended.queue());
        }
    }

    /** Handlers for every state except {@link #idle}: a nudge that arrives during other work is remembered. */
    private BehaviorBuilder<Command> handlersWhileBusy() {
        return handlersOfAllStates().onMessage(Nudge.class, this::rememberNudge);
    }

    /** Handlers for every state. The first handler that matches a message is used. */
    private BehaviorBuilder<Command> handlersOfAllStates() {
        return Behaviors.receive(Command.class)
                .onMessage(Subscribe.class, this::subscribe)
                .onMessage(Left.class, this::left)
                .onMessage(WatchTips.class, this::watchTips)
                .onMessage(TipsEnded.class, this::tipsEnded)
                .onMessage(RescanJoined.class, this::rescanJoined)
                .onMessage(ToReader.class, ignored -> Behaviors.same())
                .onMessage(WriteFailed.class, this::writeFailed)
                .onSignal(PreRestart.class, signal -> stopWalking())
                .onSignal(PostStop.class, signal -> stopWalking());
    }

    private Behavior<Command> subscribe(Subscribe command) {
        context.watchWith(command.subscriber(), new Left(command.subscriber()));
        subscribers.subscribe(command.subscriber());
        return Behaviors.same();
    }

    private Behavior<Command> left(Left command) {
        subscribers.leave(command.subscriber());
        return Behaviors.same();
    }

    private Behavior<Command> watchTips(WatchTips command) {
        subscribers.watch(command.queue());
        return Behaviors.same();
    }

    private Behavior<Command> tipsEnded(TipsEnded command) {
        subscribers.leave(command.queue());
        return Behaviors.same();
    }

    private Behavior<Command> rescanJoined(RescanJoined command) {
        subscribers.joined(command.from());
        return Behaviors.same();
    }

    private Behavior<Command> rememberNudge(Nudge command) {
        nudged = true;
        return Behaviors.same();
    }

    private Behavior<Command> writeFailed(WriteFailed command) {
        throw new IllegalStateException("cannot write to the books", command.failure());
    }

    private Behavior<Command> stopWalking() {
        if (ascent != null) {
            ascent.stop();
        }
        return Behaviors.same();
    }

    /** Loads the kept blocks from the books. */
    private Behavior<Command> loading() {
        subscribers.actors().forEach(subscriber -> context.watchWith(subscriber, new Left(subscriber)));
        Outcome.pipe(context, books.load(), known -> known.fold(Loaded::new, WriteFailed::new));
        return handlersWhileBusy().onMessage(Loaded.class, this::loaded).build();
    }

    private Behavior<Command> loaded(Loaded command) {
        chain = HeaderChain.of(command.known().rows());
        if (!chain.isEmpty()) {
            Network network = command.known().network().orElse(Network.MAINNET);
            useChecksOf(network);
            command.known().ancestor().ifPresent(subscribers::setAncestor);
            subscribers.publishPosition(chain, network);
        }
        return look();
    }

    /** Sets up the checks for a network. The network was decided at the first start; what a node reports later does not change it. */
    private void useChecksOf(Network network) {
        Leniency leniency = new Leniency(network);
        reader = new BlockReader(setup.profile(), setup.any(), leniency, setup.executor());
        check = HeaderCheck.of(network, leniency, setup);
    }

    /** Waits for the next interval or a nudge. */
    private Behavior<Command> idle() {
        if (nudged) {
            return look();
        }
        timers.startSingleTimer(new Tick(), setup.interval());
        return handlersOfAllStates()
                .onMessage(Tick.class, tick -> look())
                .onMessage(Nudge.class, nudge -> look())
                .build();
    }

    private Behavior<Command> look() {
        nudged = false;
        timers.cancel(new Tick());
        FollowedNode node = rounds.next();
        asked = bounded(node.client());
        if (rules.isEmpty()) {
            Outcome.pipe(context, setup.sources().rules().apply(asked), known -> new RulesKnown(node, known));
            return handlersWhileBusy()
                    .onMessage(RulesKnown.class, this::rulesKnown)
                    .build();
        }
        return chain.isEmpty() ? firstStart(node, rules.get()) : compare(node);
    }

    /** Without another node to ask, a bound would only keep a slow node from showing a long branch. */
    private NodeClient bounded(NodeClient client) {
        return setup.nodes().size() == 1
                ? client
                : new LookClient(client, patientTimeout(), setup.executor(), System::nanoTime);
    }

    /** The bound keeps a late node from being alone with the follower for long when the others come back. */
    private Duration patientTimeout() {
        Duration timeout = setup.requestTimeout();
        Duration patient = timeout.multipliedBy(patience);
        Duration most = timeout.compareTo(MOST_PATIENT) > 0 ? timeout : MOST_PATIENT;
        return patient.compareTo(most) < 0 ? patient : most;
    }

    /** Counts a look or walk that brought no block. When a whole round of nodes was too late, the next ones get more time. */
    private void broughtNothing(FollowedNode node, NodeClient client) {
        if (!(client instanceof LookClient look && look.isUsedUp())) {
            return;
        }
        if (late.add(node)) {
            LOG.warn(
                    "{} answers too late, so that its chain is not followed now; the other nodes are asked",
                    node.name());
        }
        lateInARow++;
        if (lateInARow >= setup.nodes().size()) {
            lateInARow = 0;
            patience = Math.min(MOST_PATIENCE, 2 * patience);
        }
    }

    /** Returns a reader for one walk, or for one block: any node, not only the listing one, may delay the transactions. */
    private BlockReader boundedReader() {
        return reader.within(bounded(setup.any()));
    }

    /** Continues once the rules of the chain are known from its genesis block. Nothing is followed before that, at any start. */
    private Behavior<Command> rulesKnown(RulesKnown command) {
        FollowedNode node = command.node();
        return command.rules()
                .fold(
                        known -> rulesKnown(node, known),
                        failure -> chain.isEmpty() || failure instanceof ChainRules.Refused
                                ? notStarted(failure)
                                : lookFailed(node, failure));
    }

    private Behavior<Command> rulesKnown(FollowedNode node, ChainRules known) {
        Optional<Network> before =
                chain.isEmpty() ? Optional.empty() : subscribers.status().network();
        if (before.isPresent() && before.get() != known.network()) {
            return notStarted(new FirstStart.Refused(
                    "the books are of the " + before.get().word() + ", and the chain is now the "
                            + known.network().word() + ": correct --network, or let --datadir name another folder"));
        }
        rules = Optional.of(known);
        return chain.isEmpty() ? firstStart(node, known) : compare(node);
    }

    private Behavior<Command> compare(FollowedNode node) {
        lookBegan = System.nanoTime();
        ChainComparison comparison = new ChainComparison(asked, chain.copy(), check, setup.executor());
        Outcome.pipe(context, comparison.begin(), finding -> new Looked(node, finding));
        return handlersWhileBusy().onMessage(Looked.class, this::looked).build();
    }

    private Behavior<Command> firstStart(FollowedNode node, ChainRules known) {
        FirstStart start = new FirstStart(setup.nodes(), setup.rules().checkpoint(), known, setup.executor());
        Outcome.pipe(
                context,
                start.read(asked)
                        .thenComposeAsync(
                                rows -> books.begin(
                                        rows,
                                        ancestor(rows),
                                        known.network(),
                                        setup.rules().from()),
                                setup.executor()),
                Started::new);
        return handlersWhileBusy().onMessage(Started.class, this::started).build();
    }

    private BlockPlace ancestor(List<BlockRow> rows) {
        return FirstStart.ancestor(rows, setup.rules().checkpoint());
    }

    private Behavior<Command> started(Started command) {
        return command.known().fold(this::startedWith, this::notStarted);
    }

    private Behavior<Command> notStarted(Throwable failure) {
        note(-1, List.of("following has not begun: " + failure.getMessage()));
        return idle();
    }

    private Behavior<Command> startedWith(Bookkeeping.Known known) {
        LOG.info(
                "following the {} from block {}",
                known.network().orElseThrow().word(),
                U64.toString(known.rows().get(known.rows().size() - 1).height()));
        return loaded(new Loaded(known));
    }

    private void note(long namedHeight, List<String> complaints) {
        if (!complaints.isEmpty() && !complaints.equals(lastComplaints)) {
            LOG.warn("{}", String.join("; ", complaints));
        }
        lastComplaints = complaints;
        List<String> all = new ArrayList<>(complaints);
        all.addAll(rounds.complaints());
        long before = subscribers.status().nodesHeight();
        subscribers.note(chain.isEmpty() ? -1 : rounds.highest(namedHeight, before, chain.height()), namedHeight, all);
        if (!chain.isEmpty()) {
            subscribers.setPrecedence(rounds.precedence(chain.height()));
        }
    }

    private Behavior<Command> looked(Looked command) {
        FollowedNode node = command.node();
        return command.finding().fold(finding -> looked(node, finding), failure -> lookFailed(node, failure));
    }

    /** Counts a look that saw no blocks. Without this, nodes that report their tips but show no blocks would count as healthy everywhere. */
    private Behavior<Command> lookFailed(FollowedNode node, Throwable failure) {
        broughtNothing(node, asked);
        LOG.debug("cannot follow {} now: {}", node.name(), failure.getMessage());
        failedLooks++;
        rounds.failed(node);
        if (failedLooks == MOST_FAILED_LOOKS) {
            note(
                    subscribers.status().namedHeight(),
                    List.of("no node shows its blocks: " + node.name() + ": " + failure.getMessage()));
        } else if (!chain.isEmpty()) {
            noteDiffering();
        }
        return idle();
    }

    private Behavior<Command> looked(FollowedNode node, ChainComparison.Finding finding) {
        failedLooks = 0;
        rounds.found(node, finding, chain.height());
        subscribers.setIgnoredTips(rounds.ignoredTips());
        if (finding instanceof ChainComparison.Finding.Same) {
            late.remove(node);
            lateInARow = 0;
            patience = 1;
            agree(node, chain.height());
            return publishTheRest(node);
        } else if (finding instanceof ChainComparison.Finding.Longer longer) {
            agree(node, longer.to());
            return longer.proof()
                    .fault()
                    .filter(fault -> fault.height() == chain.height() + 1)
                    .map(fault -> endAtFault(node, fault))
                    .orElseGet(() -> walk(node, longer.proof().height()));
        } else if (finding instanceof ChainComparison.Finding.HeavierBranch heavier) {
            return reorganise(node, heavier);
        } else if (finding instanceof ChainComparison.Finding.NoCommonBlock) {
            if (checkpointContradictsBooks()) {
                return replaceChain(node);
            }
            noCommonBlock(node);
        } else if (finding instanceof ChainComparison.Finding.Unclear unclear
                && unclear.fault().isPresent()) {
            return verifyFault(node, unclear.fault().get());
        } else if (!(finding instanceof ChainComparison.Finding.Unclear)) {
            rounds.differs(node);
            noteDiffering();
            LOG.debug("{} is not followed: {}", node.name(), finding);
        }
        return idle();
    }

    /**
     * Publishes the last blocks of a walk whose work was not checked, because the walk was to lead to a tip far above them. If no block is above them, they
     * are read again, each with its work.
     */
    private Behavior<Command> publishTheRest(FollowedNode node) {
        long published = subscribers.tip().orElseThrow().height();
        long top = chain.height();
        if (published >= top || chain.publishableUpTo(top) < published) {
            return idle();
        }
        long floor = Math.max(published, top - HeaderChain.WorkPolicy.DEPTH);
        rounds.undone(floor);
        return undo(floor, () -> walk(node, top));
    }

    private void noCommonBlock(FollowedNode node) {
        rounds.hasNoCommonBlock(node);
        noteDiffering();
    }

    /** Returns whether the operator's checkpoint contradicts a block that the books keep. */
    private boolean checkpointContradictsBooks() {
        return setup.rules()
                .checkpoint()
                .flatMap(named ->
                        chain.at(named.height()).filter(kept -> !kept.place().equals(named)))
                .isPresent();
    }

    /**
     * Starts over on another chain. Without a common block the work cannot be compared: only the operator's checkpoint can say that it is the right
     * one.
     */
    private Behavior<Command> replaceChain(FollowedNode node) {
        FirstStart start =
                new FirstStart(setup.nodes(), setup.rules().checkpoint(), rules.orElseThrow(), setup.executor());
        HeaderChain kept = chain.copy();
        Outcome.pipe(
                context,
                start.read(bounded(node.client()))
                        .thenApplyAsync(rows -> requireUnrelated(kept, rows), setup.executor())
                        .thenComposeAsync(rows -> books.replaceChain(rows, ancestor(rows)), setup.executor()),
                known -> new ChainReplaced(node, known));
        return handlersWhileBusy()
                .onMessage(ChainReplaced.class, this::chainReplaced)
                .build();
    }

    /** Rejects headers that the books have. A node that shows one chain when compared and another when read decides nothing. */
    private static List<BlockRow> requireUnrelated(HeaderChain kept, List<BlockRow> rows) {
        if (rows.stream().anyMatch(row -> kept.has(row.height(), row.blockId()))) {
            throw new FirstStart.Refused("the node denied blocks that it shows now");
        }
        return rows;
    }

    private Behavior<Command> chainReplaced(ChainReplaced command) {
        FollowedNode node = command.node();
        return command.known().fold(known -> chainReplaced(node, known), failure -> chainNotReplaced(node, failure));
    }

    private Behavior<Command> chainNotReplaced(FollowedNode node, Throwable failure) {
        if (failure instanceof StoreException) {
            return writeFailed(new WriteFailed(failure));
        }
        LOG.info("{} shows no chain that includes the checkpoint: {}", node.name(), failure.getMessage());
        noCommonBlock(node);
        return idle();
    }

    private Behavior<Command> chainReplaced(FollowedNode node, Bookkeeping.Known known) {
        BlockRow top = known.rows().get(known.rows().size() - 1);
        LOG.warn(
                "the books switch to the chain of the checkpoint, from block {} on: everything from the previous chain is"
                        + " undone",
                U64.toString(top.height()));
        subscribers.forget(chain);
        rounds.forgetHeights();
        rounds.agrees(node);
        return loaded(new Loaded(known));
    }

    /** Keeps the reported height unchanged: the height of a node on another chain is not that of the followed chain. */
    private void noteDiffering() {
        note(subscribers.status().namedHeight(), lastComplaints);
    }

    private void agree(FollowedNode node, long namedHeight) {
        rounds.agrees(node);
        note(namedHeight, List.of());
    }

    /**
     * Reads a block again that failed a check. It may have been replaced during the read; a node that still names it at that height, and whose
     * block fails again, returns false data.
     */
    private Behavior<Command> verifyFault(FollowedNode node, Fault fault) {
        LOG.info("{} shows an invalid block: {}", node.name(), fault);
        Outcome.pipe(
                context,
                readAgain(bounded(node.client()), fault.height(), chain.copy()),
                again -> new LookedAgain(node, fault, again));
        return handlersWhileBusy()
                .onMessage(LookedAgain.class, this::lookedAgain)
                .build();
    }

    /** Checks the header first: a block without work may have no transactions to read. */
    private CompletionStage<Fetched> readAgain(NodeClient node, long height, HeaderChain ours) {
        BlockReader blocks = boundedReader();
        return node.blockAt(height)
                .thenComposeAsync(summary -> judgeHeader(summary, height, ours), setup.executor())
                .thenComposeAsync(
                        judged -> judged.fault().isPresent()
                                ? CompletableFuture.<Fetched>completedFuture(new Fetched.Invalid(
                                        height, judged.fault().get()))
                                : blocks.read(node, height)
                                        .thenComposeAsync(again -> check.judgeWork(again, height), setup.executor()),
                        setup.executor());
    }

    /** A header on another parent, which may be a real orphan, cannot be placed on our chain; only its work is checked. */
    private CompletionStage<HeaderCheck.Judged> judgeHeader(
            Optional<NodeClient.BlockSummary> summary, long height, HeaderChain ours) {
        Optional<NodeClient.BlockSummary> named =
                summary.filter(block -> BlockReader.judge(block, height).isEmpty());
        if (named.isEmpty()) {
            return CompletableFuture.completedFuture(new HeaderCheck.Judged(Optional.empty(), false));
        }
        NodeClient.BlockSummary block = named.get();
        return ours.height() + 1 == height
                        && block.previousBlockId().equals(ours.top().blockId())
                ? check.prove(ours, block.header(), block.blockId())
                : check.judgeWork(block.header(), block.blockId(), height);
    }

    private Behavior<Command> lookedAgain(LookedAgain command) {
        Fault first = command.fault();
        command.again()
                .value()
                .flatMap(this::faultAgain)
                .filter(fault ->
                        fault.blockId().equals(first.blockId()) && fault.rule().provesFalseData())
                .ifPresent(fault -> {
                    rounds.returnedFalseData(command.node(), fault);
                    noteDiffering();
                });
        return idle();
    }

    private Optional<Fault> faultAgain(Fetched again) {
        if (again instanceof Fetched.Invalid invalid) {
            return Optional.of(invalid.fault());
        } else if (again instanceof Fetched.Whole whole && chain.height() + 1 == whole.height()) {
            return check.judgePlace(chain, whole.block().header(), whole.block().id());
        }
        return Optional.empty();
    }

    /**
     * Reads the first block of a heavier branch before any block is undone, so that a node which has only the headers of a branch causes no
     * reorganisation.
     */
    private Behavior<Command> reorganise(FollowedNode node, ChainComparison.Finding.HeavierBranch branch) {
        Outcome.pipe(
                context, boundedReader().read(asked, branch.fork() + 1), first -> new BranchRead(node, branch, first));
        return handlersWhileBusy().onMessage(BranchRead.class, this::branchRead).build();
    }

    private Behavior<Command> branchRead(BranchRead command) {
        ChainComparison.Finding.HeavierBranch branch = command.branch();
        return command.first()
                .fold(
                        first -> branchRead(command.node(), branch, first),
                        failure -> lookFailed(command.node(), failure));
    }

    private Behavior<Command> branchRead(
            FollowedNode node, ChainComparison.Finding.HeavierBranch branch, Fetched first) {
        if (first instanceof Fetched.Invalid invalid) {
            return verifyFault(node, invalid.fault());
        }
        boolean fits = first instanceof Fetched.Whole whole
                && chain.has(branch.fork(), whole.block().parentId());
        if (!fits) {
            rounds.differs(node);
            noteDiffering();
            LOG.info("{} has a branch with more work but does not show its first block: {}", node.name(), first);
            return idle();
        }
        agree(node, branch.to());
        return undo(branch.fork(), () -> walk(node, branch.proof().height()));
    }

    /** Removes the blocks above {@code height} from the books and from the followed chain. */
    private Behavior<Command> undo(long height, Supplier<Behavior<Command>> next) {
        Outcome.pipe(
                context, books.undo(height), nothing -> nothing.fold(done -> new Undone(height), WriteFailed::new));
        return handlersWhileBusy()
                .onMessage(Undone.class, command -> undone(command, next))
                .build();
    }

    private Behavior<Command> undone(Undone command, Supplier<Behavior<Command>> next) {
        List<BlockRow> removed = chain.truncateTo(command.height());
        LOG.info("{} blocks above {} were removed from the chain", removed.size(), U64.toString(command.height()));
        subscribers.disconnected(chain, removed);
        unpublished.replaceAll(walk -> new Walked(walk.node(), walk.from(), Math.min(walk.to(), chain.height())));
        unpublished.removeIf(walk -> walk.to() <= walk.from());
        return next.get();
    }

    /** Reads the node's blocks upwards from the followed tip. */
    private Behavior<Command> walk(FollowedNode node, long to) {
        Ascent.Parts parts = new Ascent.Parts(books, subscribers, chain, boundedReader(), check);
        walking = bounded(node.client());
        ascent = new Ascent(context, timers, materializer, parts, node, walking, to);
        return handlersWhileBusy()
                .onMessage(Arrived.class, this::arrived)
                .onMessage(FlushDue.class, due -> flush())
                .onMessage(Committed.class, this::committed)
                .onMessage(WalkEnded.class, ended -> walkEnded())
                .build();
    }

    private Behavior<Command> arrived(Arrived command) {
        ascent.arrived(command);
        return Behaviors.same();
    }

    private Behavior<Command> flush() {
        ascent.flush();
        return Behaviors.same();
    }

    private Behavior<Command> committed(Committed command) {
        ascent.committed(command);
        return endWhenDone();
    }

    private Behavior<Command> walkEnded() {
        ascent.walkEnded();
        return endWhenDone();
    }

    private Behavior<Command> endWhenDone() {
        if (!ascent.isDone()) {
            return Behaviors.same();
        }
        Ascent done = ascent;
        ascent = null;
        long published = subscribers.tip().orElseThrow().height();
        unpublished.removeIf(walk -> walk.to() <= published);
        if (chain.height() > done.from()) {
            late.remove(done.node());
            lateInARow = 0;
            unpublished.add(new Walked(done.node(), done.from(), chain.height()));
            SupplyRate.Supply now =
                    SupplyRate.Supply.after(supply, done.node(), lookBegan, chain.height() - done.from());
            supply = Optional.of(now);
            rounds.supplied(done.node(), now.count(), Duration.ofNanos(System.nanoTime() - now.since()));
            noteDiffering();
        } else {
            broughtNothing(done.node(), walking);
        }
        return done.fault().map(fault -> endAtFault(done.node(), fault)).orElseGet(this::idle);
    }

    /**
     * Handles a walk that ended at a faulty block. If the fault is missing work, earlier blocks of this node, of which only some were checked, may
     * lack it too: those not yet published are undone and read again, with all blocks above them. Otherwise they would outweigh the blocks of other
     * nodes.
     */
    private Behavior<Command> endAtFault(FollowedNode node, Fault fault) {
        long published = subscribers.tip().orElseThrow().height();
        long floor = unpublished.stream()
                .filter(walk -> walk.node().equals(node))
                .mapToLong(walk -> Math.max(published, walk.from()))
                .min()
                .orElse(chain.height());
        if (fault.rule() != Fault.Rule.WORK || floor >= chain.height()) {
            return verifyFault(node, fault);
        }
        rounds.undone(floor);
        return undo(floor, () -> verifyFault(node, fault));
    }
}
