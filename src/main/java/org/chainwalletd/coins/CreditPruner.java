package org.chainwalletd.coins;

import java.time.Clock;
import java.time.Duration;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.CreditPruning;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes credits that are older than the operator's limit ({@code --credits-keep-days}), a few per commit so that no block waits long.
 * Owns only its timer; after a restart it checks again.
 */
public final class CreditPruner extends AbstractBehavior<CreditPruner.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(CreditPruner.class);
    private static final int AT_ONCE = 2_000;

    public sealed interface Command {}

    private enum Timer implements Command {
        LOOK
    }

    private record Pruned(Outcome<Integer> entries) implements Command {}

    private final TimerScheduler<Command> timers;
    private final Books books;
    private final Duration kept;
    private final Duration interval;
    private final Clock clock;

    /**
     * @param kept age above which the credits of a block may be removed
     * @param interval time between two checks
     */
    public static Behavior<Command> create(Books books, Duration kept, Duration interval, Clock clock) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new CreditPruner(context, timers, books, kept, interval, clock))))
                .onFailure(SupervisorStrategy.restart());
    }

    private CreditPruner(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            Books books,
            Duration kept,
            Duration interval,
            Clock clock) {
        super(context);
        this.timers = timers;
        this.books = books;
        this.kept = kept;
        this.interval = interval;
        this.clock = clock;
        timers.startSingleTimer(Timer.LOOK, interval);
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessageEquals(Timer.LOOK, this::prune)
                .onMessage(Pruned.class, this::onPruned)
                .build();
    }

    private Behavior<Command> prune() {
        long before = clock.instant().minus(kept).getEpochSecond();
        Outcome.pipe(
                getContext(),
                books.write(session -> CreditPruning.prune(session.head(), before, AT_ONCE)),
                Pruned::new);
        return this;
    }

    private Behavior<Command> onPruned(Pruned pruned) {
        return pruned.entries().fold(this::forgot, this::forgotNothing);
    }

    private Behavior<Command> forgot(int entries) {
        if (entries > 0) {
            LOG.info("removed {} entries older than {} from the feed of credits", entries, kept);
        }
        return entries == AT_ONCE ? prune() : rest();
    }

    private Behavior<Command> forgotNothing(Throwable failure) {
        LOG.warn("old credits cannot be removed now: {}", failure.toString());
        return rest();
    }

    private Behavior<Command> rest() {
        timers.startSingleTimer(Timer.LOOK, interval);
        return this;
    }
}
