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

    sealed interface Command {}

    private record Tick() implements Command {}

    private record Forgotten(Throwable failure) implements Command {}

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
        long now = clock.millis();
        CompletionStage<Void> uses = env.allowanceStore()
                .forgetUses(now - env.pace().allowancePeriod().toMillis());
        CompletionStage<Integer> receipts =
                env.intents().forget(now - env.pace().receiptTtl().toMillis());
        getContext()
                .pipeToSelf(
                        receipts.thenCombineAsync(uses, (forgotten, done) -> forgotten, env.executor()),
                        (forgotten, failure) -> new Forgotten(failure));
        return this;
    }

    private Behavior<Command> forgotten(Forgotten command) {
        if (command.failure() != null) {
            LOG.warn("old receipts could not be removed: {}", Broadcast.words(command.failure()));
        }
        return this;
    }
}
