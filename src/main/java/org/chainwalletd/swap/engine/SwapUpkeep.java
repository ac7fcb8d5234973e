package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the engine to observe the chains when the followed chain has changed, and deletes quotes that expired long ago. Owns only its timer; after
 * a restart it subscribes again.
 */
public final class SwapUpkeep extends AbstractBehavior<SwapUpkeep.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapUpkeep.class);
    /** Time for which an expired quote can still be queried. */
    private static final Duration KEPT = Duration.ofDays(7);

    private static final Duration PRUNING = Duration.ofHours(1);

    public sealed interface Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Prune() implements Command {}

    private record Pruned(Outcome<Integer> rows) implements Command {}

    private final TimerScheduler<Command> timers;
    private final SwapJournal journal;
    private final Runnable moved;
    private final InstantSource clock;

    private SwapUpkeep(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SwapJournal journal,
            Consumer<ActorRef<FollowEvent>> subscribe,
            Runnable moved,
            InstantSource clock) {
        super(context);
        this.timers = timers;
        this.journal = journal;
        this.moved = moved;
        this.clock = clock;
        subscribe.accept(context.messageAdapter(FollowEvent.class, Followed::new));
        timers.startSingleTimer(new Prune(), Duration.ZERO);
    }

    /**
     * @param subscribe subscribes an actor at the follower
     * @param moved run at each change of the followed chain; must not block
     */
    public static Behavior<Command> create(
            SwapJournal journal, Consumer<ActorRef<FollowEvent>> subscribe, Runnable moved, InstantSource clock) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new SwapUpkeep(context, timers, journal, subscribe, moved, clock))))
                .onFailure(SupervisorStrategy.restart());
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Followed.class, this::onFollowed)
                .onMessage(Prune.class, this::onPrune)
                .onMessage(Pruned.class, this::onPruned)
                .build();
    }

    private Behavior<Command> onFollowed(Followed followed) {
        moved.run();
        return this;
    }

    private Behavior<Command> onPrune(Prune prune) {
        long before = clock.instant().minus(KEPT).getEpochSecond();
        Outcome.pipe(getContext(), journal.forgetExpired(before), Pruned::new);
        return this;
    }

    private Behavior<Command> onPruned(Pruned pruned) {
        pruned.rows()
                .match(
                        SwapUpkeep::logDeleted,
                        failure -> LOG.atLevel(Background.levelOf(failure))
                                .log("expired quotes could not be deleted: {}", failure.toString()));
        timers.startSingleTimer(new Prune(), PRUNING);
        return this;
    }

    private static void logDeleted(int rows) {
        if (rows > 0) {
            LOG.info("deleted {} quotes that expired more than {} days ago", rows, KEPT.toDays());
        }
    }
}
