package org.chainwalletd.spend;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes from the store what nobody may ask for any more: receipts after their time and uses of the allowance outside of its period. Owns
 * nothing but its timer; talks to the store only. After a restart it begins anew.
 */
final class Forgetting extends AbstractBehavior<Forgetting.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Forgetting.class);
    private static final Duration EVERY = Duration.ofMinutes(1);
    /** Payments must not wait behind a commit that removes a day's receipts. */
    private static final int BITE = 256;
    /** A start with a clock that is ahead must not erase what counts again when the clock is right. */
    private static final Duration USES_KEPT = Duration.ofDays(31);

    sealed interface Command {}

    private record Tick() implements Command {}

    private record Forgotten(int count, Throwable failure) implements Command {}

    private final SpendEnvironment env;
    private final Clock clock;

    private Forgetting(ActorContext<Command> context, SpendEnvironment env) {
        super(context);
        this.env = env;
        this.clock = env.clock();
    }

    static Behavior<Command> create(SpendEnvironment env) {
        return Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), Duration.ZERO, EVERY);
            return Behaviors.setup(context -> new Forgetting(context, env));
        });
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Tick.class, command -> tick())
                .onMessage(Forgotten.class, this::forgotten)
                .build();
    }

    private Behavior<Command> tick() {
        CompletionStage<Void> uses = env.allowanceStore()
                .forgetUses(clock.millis()
                        - env.pace().allowancePeriod().plus(USES_KEPT).toMillis());
        getContext().pipeToSelf(uses, (done, failure) -> new Forgotten(BITE, failure));
        return this;
    }

    private Behavior<Command> forgotten(Forgotten command) {
        if (command.failure() != null) {
            LOG.warn("what is out of date could not be removed: {}", Broadcast.words(command.failure()));
        } else if (command.count() == BITE) {
            forgetReceipts();
        }
        return this;
    }

    private void forgetReceipts() {
        getContext()
                .pipeToSelf(
                        env.intents()
                                .forget(clock.millis() - env.pace().receiptTtl().toMillis(), BITE),
                        (count, failure) -> new Forgotten(failure == null ? count : 0, failure));
    }
}
