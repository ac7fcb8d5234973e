package org.chainwalletd.swap;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has an actor for each swap that is looked after, and gives questions to it. Owns nothing durable: at its start it begins an actor for each
 * such row of the journal, and begins one again that has failed.
 */
public final class SwapEngine extends AbstractBehavior<SwapEngine.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapEngine.class);
    /** Quotes among them, which come for nothing and stay until they expire. */
    private static final int MOST_WATCHED = 10_000;

    public sealed interface Command {}

    /** Looks after a new quote; its secret belongs to the engine from now on. */
    public record Adopt(SwapJournal.Held held) implements Command {}

    /** @param minimumOut in units of the output, beside that of the quote */
    public record Execute(String id, Optional<BigInteger> minimumOut, CompletableFuture<SwapReply> reply)
            implements Command {}

    public record Refund(String id, CompletableFuture<SwapReply> reply) implements Command {}

    public record Status(String id, CompletableFuture<SwapReply> reply) implements Command {}

    /** Whether one more can be looked after: asked before a quote is taken. */
    public record Room(CompletableFuture<Boolean> reply) implements Command {}

    /** Looks again after one that was over. */
    public record Rewatch(String id) implements Command {}

    /** Something may have changed on a chain: all look at once. */
    public record Nudge() implements Command {}

    private record Restored(List<SwapJournal.Held> rows, Throwable failure) implements Command {}

    private record Found(Command question, Optional<SwapRow> row, Throwable failure) implements Command {}

    private record Rewatched(String id, Optional<SwapJournal.Held> row, Throwable failure) implements Command {}

    private record Retry() implements Command {}

    /** It needs nobody to look after it any more. */
    private record Over(String id) implements Command {}

    /** Its actor has ended: told to, or by a failure. */
    private record Ended(String id) implements Command {}

    private final TimerScheduler<Command> timers;
    private final SwapSetup setup;
    private final Map<String, ActorRef<SwapActor.Command>> swaps = new HashMap<>();

    private SwapEngine(ActorContext<Command> context, TimerScheduler<Command> timers, SwapSetup setup) {
        super(context);
        this.timers = timers;
        this.setup = setup;
        restore();
    }

    public static Behavior<Command> create(SwapSetup setup) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new SwapEngine(context, timers, setup)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Adopt.class, this::onAdopt)
                .onMessage(Execute.class, this::onExecute)
                .onMessage(Refund.class, this::onRefund)
                .onMessage(Status.class, this::onStatus)
                .onMessage(Room.class, this::onRoom)
                .onMessage(Rewatch.class, this::onRewatch)
                .onMessage(Rewatched.class, this::onRewatched)
                .onMessage(Nudge.class, this::onNudge)
                .onMessage(Restored.class, this::onRestored)
                .onMessage(Found.class, this::onFound)
                .onMessage(Retry.class, retry -> restore())
                .onMessage(Over.class, this::onOver)
                .onMessage(Ended.class, this::onEnded)
                .build();
    }

    private Behavior<Command> restore() {
        CompletionStage<List<SwapJournal.Held>> rows = setup.journal().watched();
        getContext().pipeToSelf(rows, Restored::new);
        return this;
    }

    private Behavior<Command> onRestored(Restored restored) {
        if (restored.failure() != null) {
            LOG.error(
                    "the swap journal cannot be read, swaps stand still: {}",
                    restored.failure().toString());
            timers.startSingleTimer(new Retry(), setup.pace());
            return this;
        }
        restored.rows().forEach(this::begin);
        return this;
    }

    private Behavior<Command> onAdopt(Adopt command) {
        begin(command.held());
        return this;
    }

    private Behavior<Command> onRewatch(Rewatch command) {
        if (!swaps.containsKey(command.id())) {
            getContext()
                    .pipeToSelf(
                            setup.journal().rewatch(command.id()),
                            (row, failure) -> new Rewatched(command.id(), row, failure));
        }
        return this;
    }

    /** One that could not be written is found again by whoever asked for it. */
    private Behavior<Command> onRewatched(Rewatched rewatched) {
        if (rewatched.failure() != null) {
            LOG.warn(
                    "swap {} cannot be looked after again: {}",
                    rewatched.id(),
                    rewatched.failure().toString());
        } else {
            rewatched.row().ifPresent(this::begin);
        }
        return this;
    }

    private Behavior<Command> onRoom(Room command) {
        command.reply().complete(swaps.size() < MOST_WATCHED);
        return this;
    }

    private void begin(SwapJournal.Held held) {
        String id = held.row().id();
        if (swaps.containsKey(id)) {
            held.secret().close();
            return;
        }
        ActorRef<Command> self = getContext().getSelf();
        ActorRef<SwapActor.Command> swap =
                getContext().spawn(SwapActor.create(setup, () -> self.tell(new Over(id)), held), "swap-" + id);
        swaps.put(id, swap);
        getContext().watchWith(swap, new Ended(id));
    }

    /** Questions that it was given before come to it before the stop. */
    private Behavior<Command> onOver(Over over) {
        Optional.ofNullable(swaps.remove(over.id())).ifPresent(swap -> swap.tell(new SwapActor.Stop()));
        return this;
    }

    /** One that failed is in the journal still, and is begun again. */
    private Behavior<Command> onEnded(Ended ended) {
        if (swaps.remove(ended.id()) != null) {
            timers.startSingleTimer(new Retry(), setup.pace());
        }
        return this;
    }

    private Behavior<Command> onNudge(Nudge nudge) {
        swaps.values().forEach(swap -> swap.tell(new SwapActor.Nudge()));
        return this;
    }

    private Behavior<Command> onExecute(Execute command) {
        ActorRef<SwapActor.Command> swap = swaps.get(command.id());
        if (swap == null) {
            return lookUp(command.id(), command);
        }
        swap.tell(new SwapActor.Execute(command.minimumOut(), command.reply()));
        return this;
    }

    private Behavior<Command> onRefund(Refund command) {
        ActorRef<SwapActor.Command> swap = swaps.get(command.id());
        if (swap == null) {
            return lookUp(command.id(), command);
        }
        swap.tell(new SwapActor.Refund(command.reply()));
        return this;
    }

    private Behavior<Command> onStatus(Status command) {
        ActorRef<SwapActor.Command> swap = swaps.get(command.id());
        if (swap == null) {
            return lookUp(command.id(), command);
        }
        swap.tell(new SwapActor.Status(command.reply()));
        return this;
    }

    /** A swap that nobody looks after any more is only told of. */
    private Behavior<Command> lookUp(String id, Command question) {
        getContext().pipeToSelf(setup.journal().find(id), (row, failure) -> new Found(question, row, failure));
        return this;
    }

    private Behavior<Command> onFound(Found found) {
        if (found.failure() != null) {
            reply(found.question(), new SwapReply.Failed(found.failure()));
        } else if (found.row().isEmpty()) {
            reply(found.question(), new SwapReply.Unknown(idOf(found.question())));
        } else if (found.question() instanceof Refund) {
            reply(found.question(), new SwapReply.NothingLocked(found.row().get()));
        } else {
            reply(found.question(), new SwapReply.Standing(found.row().get()));
        }
        return this;
    }

    private static String idOf(Command question) {
        if (question instanceof Execute execute) {
            return execute.id();
        }
        return question instanceof Refund refund ? refund.id() : ((Status) question).id();
    }

    private static void reply(Command question, SwapReply reply) {
        if (question instanceof Execute execute) {
            execute.reply().complete(reply);
        } else if (question instanceof Refund refund) {
            refund.reply().complete(reply);
        } else {
            ((Status) question).reply().complete(reply);
        }
    }
}
