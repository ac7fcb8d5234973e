package org.chainwalletd.coins;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.OwnCoin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the question which addresses are not covered yet, and what is known on the way to it: coinbases of blocks from before an address was
 * watched, which no listing shows until they mature, and how often a listing of many pages was tried in vain. Each round does one {@link
 * CoverStep}. Talks to the nodes, the follower and the ledger's books. On restart it asks the books what is to do.
 */
public final class Coverage extends AbstractBehavior<Coverage.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Coverage.class);
    /** What one listing of a node takes. */
    private static final int TOGETHER = 100;

    /** Listings of many pages that are begun for an address; then a rescan is left to cover it. */
    private static final int TRIES = 3;

    private static final Duration SOON = Duration.ofMillis(200);
    private static final Duration LATER = Duration.ofSeconds(5);

    sealed interface Command {}

    private record Round() implements Command {}

    private record Done(Outcome<CoverStep.Result> result) implements Command {}

    private final LedgerBooks books;
    private final Follower follower;
    private final CoverStep step;
    private final Duration later;
    private final Executor executor;
    private final TimerScheduler<Command> timers;
    private final Map<Address, Follower.Picked<OwnCoin>> young = new HashMap<>();
    private final Map<Address, Integer> pagedInVain = new HashMap<>();

    private Coverage(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            LedgerBooks books,
            Follower follower,
            CoverStep step,
            Duration later,
            Executor executor) {
        super(context);
        this.later = later;
        this.timers = timers;
        this.books = books;
        this.follower = follower;
        this.step = step;
        this.executor = executor;
        round();
    }

    public static Behavior<?> create(
            LedgerBooks books, Follower follower, NodeClient node, VerifiedOutputs outputs, Executor executor) {
        return create(books, follower, node, outputs, LATER, executor);
    }

    /**
     * @param later when it is looked again after there was nothing to do
     */
    static Behavior<?> create(
            LedgerBooks books,
            Follower follower,
            NodeClient node,
            VerifiedOutputs outputs,
            Duration later,
            Executor executor) {
        CoverStep step = new CoverStep(books, follower, node, outputs, executor);
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new Coverage(context, timers, books, follower, step, later, executor))))
                .onFailure(SupervisorStrategy.restartWithBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30), 0.1));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Round.class, round -> round())
                .onMessage(Done.class, this::done)
                .build();
    }

    private Behavior<Command> round() {
        FollowStatus status = follower.status();
        Map<Address, Follower.Picked<OwnCoin>> known = Map.copyOf(young);
        Map<Address, Integer> tries = Map.copyOf(pagedInVain);
        CompletionStage<CoverStep.Result> result = status.tip().isEmpty()
                ? CompletableFuture.completedFuture(new CoverStep.Nothing())
                : books.uncovered(TOGETHER + tries.size())
                        .thenComposeAsync(found -> begin(status, found, known, tries), executor);
        getContext().pipeToSelf(result, (covered, failure) -> new Done(Outcome.of(covered, failure)));
        return this;
    }

    /** One address of many pages, or some whose last blocks are to be read again, or some that can be listed. */
    private CompletionStage<CoverStep.Result> begin(
            FollowStatus status,
            List<LedgerBooks.Watched> found,
            Map<Address, Follower.Picked<OwnCoin>> known,
            Map<Address, Integer> tries) {
        FollowedTip tip = status.tip().orElseThrow();
        int maturity = status.network().orElse(Network.MAINNET).coinbaseMaturity();
        List<LedgerBooks.Watched> open = found.stream()
                .filter(watched -> tries.getOrDefault(watched.address(), 0) < TRIES)
                .toList();
        long immature = Math.max(1, tip.height() - maturity + 1);
        List<LedgerBooks.Watched> unread = open.stream()
                .filter(watched -> watched.fromHeight() >= immature && !known.containsKey(watched.address()))
                .limit(TOGETHER)
                .toList();
        if (!unread.isEmpty()) {
            return step.readYoung(immature, unread);
        }
        Optional<Address> large = open.stream()
                .map(LedgerBooks.Watched::address)
                .filter(tries::containsKey)
                .findFirst();
        CoverStep.Place place = new CoverStep.Place(tip, maturity, known);
        return large.isPresent()
                ? step.page(place, large.get())
                : step.list(
                        place,
                        open.stream()
                                .map(LedgerBooks.Watched::address)
                                .limit(TOGETHER)
                                .toList());
    }

    private Behavior<Command> done(Done command) {
        return command.result().fold(this::covered, this::notCovered);
    }

    private Behavior<Command> notCovered(Throwable failure) {
        LOG.debug("no address was covered now: {}", failure.getMessage());
        return again(later);
    }

    private Behavior<Command> covered(CoverStep.Result result) {
        if (result instanceof CoverStep.Covered covered) {
            covered.addresses().forEach(young::remove);
            covered.addresses().forEach(pagedInVain::remove);
            covered.manyPages().forEach(address -> pagedInVain.put(address, 0));
            boolean more =
                    !covered.addresses().isEmpty() || !covered.manyPages().isEmpty();
            return again(more ? SOON : later);
        }
        if (result instanceof CoverStep.ReadAgain read) {
            read.addresses().forEach(address -> young.put(address, read.coins()));
            return again(SOON);
        }
        if (result instanceof CoverStep.TipMoved moved) {
            moved.paged().ifPresent(this::pagedInVain);
            // What was read again may be of blocks that have gone.
            moved.addresses().forEach(young::remove);
            return again(SOON);
        }
        return again(later);
    }

    private void pagedInVain(Address address) {
        if (pagedInVain.merge(address, 1, Integer::sum) == TRIES) {
            LOG.info("the chain moves faster than {} can be listed; a rescan covers it", address);
        }
    }

    private Behavior<Command> again(Duration pause) {
        timers.startSingleTimer(new Round(), pause);
        return this;
    }
}
