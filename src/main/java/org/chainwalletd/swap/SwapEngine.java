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
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has an actor for each swap that is looked after, and gives questions to it. Owns nothing durable: at its start it begins an actor for each
 * such row of the journal, and begins one again that has failed.
 *
 * <p>While the journal has not been read, nobody can tell a swap that is over from one that nobody looks after yet: questions about those
 * without an actor wait in a stash until it has. After a restart it begins there again.
 */
public final class SwapEngine extends AbstractBehavior<SwapEngine.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapEngine.class);
    /** Quotes among them, which come for nothing and stay until they expire. */
    private static final int MOST_WATCHED = 10_000;
    /** Questions that wait for the journal. */
    private static final int MOST_WAITING = 1_024;

    public sealed interface Command {}

    /** Looks after a new quote. */
    public record Adopt(SwapJournal.Held held) implements Command {}

    /** About one swap. */
    public sealed interface Question extends Command {
        String id();

        CompletableFuture<SwapReply> reply();
    }

    /** @param minimumOut in units of the output, beside that of the quote */
    public record Execute(String id, Optional<BigInteger> minimumOut, CompletableFuture<SwapReply> reply)
            implements Question {}

    public record Refund(String id, CompletableFuture<SwapReply> reply) implements Question {}

    public record Status(String id, CompletableFuture<SwapReply> reply) implements Question {}

    /** Whether one more can be looked after: asked before a quote is taken. */
    public record Room(CompletableFuture<Boolean> reply) implements Command {}

    /** Looks again after one that was over. */
    public record Rewatch(String id) implements Command {}

    /** Something may have changed on a chain: all look at once. */
    public record Nudge() implements Command {}

    private record Restored(List<SwapJournal.Held> rows, Throwable failure) implements Command {}

    private record Found(Question question, Optional<SwapRow> row, Throwable failure) implements Command {}

    private record Rewatched(String id, Optional<SwapJournal.Held> row, Throwable failure) implements Command {}

    private record Retry() implements Command {}

    /** It needs nobody to look after it any more. */
    private record Over(String id) implements Command {}

    /** Its actor has ended: told to, or by a failure. */
    private record Ended(String id) implements Command {}

    private final TimerScheduler<Command> timers;
    private final StashBuffer<Command> stash;
    private final SwapSetup setup;
    private final Standstill standstill;
    private final Map<String, ActorRef<SwapActor.Command>> swaps = new HashMap<>();

    private SwapEngine(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            StashBuffer<Command> stash,
            SwapSetup setup,
            Standstill standstill) {
        super(context);
        this.timers = timers;
        this.stash = stash;
        this.setup = setup;
        this.standstill = standstill;
    }

    /** @param standstill told whether the journal can be read */
    public static Behavior<Command> create(SwapSetup setup, Standstill standstill) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> Behaviors.withStash(
                MOST_WAITING, stash -> new SwapEngine(context, timers, stash, setup, standstill).restore())));
    }

    /** The journal has a row that nobody looks after yet, or may have one. */
    private Behavior<Command> restoring() {
        return Behaviors.receive(Command.class)
                .onMessage(Adopt.class, this::onAdopt)
                .onMessage(Execute.class, this::onEarly)
                .onMessage(Refund.class, this::onEarly)
                .onMessage(Status.class, this::onEarly)
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

    /** Every row that is looked after has its actor. */
    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Adopt.class, this::onAdopt)
                .onMessage(Execute.class, this::onQuestion)
                .onMessage(Refund.class, this::onQuestion)
                .onMessage(Status.class, this::onQuestion)
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
        return restoring();
    }

    private Behavior<Command> onRestored(Restored restored) {
        if (restored.failure() != null) {
            LOG.error(
                    "the swap journal cannot be read, swaps stand still: {}",
                    restored.failure().toString());
            standstill.unreadable();
            timers.startSingleTimer(new Retry(), setup.pace());
            return Behaviors.same();
        }
        restored.rows().forEach(this::begin);
        standstill.over();
        return stash.unstashAll(this);
    }

    private Behavior<Command> onEarly(Question question) {
        if (swaps.containsKey(question.id())) {
            return onQuestion(question);
        }
        if (stash.isFull()) {
            question.reply()
                    .complete(new SwapReply.Failed(new StoreException(
                            StoreException.Reason.BUSY, "too many calls wait for the swap journal to be read", null)));
        } else {
            stash.stash(question);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onAdopt(Adopt command) {
        begin(command.held());
        return Behaviors.same();
    }

    private Behavior<Command> onRewatch(Rewatch command) {
        if (!swaps.containsKey(command.id())) {
            getContext()
                    .pipeToSelf(
                            setup.journal().rewatch(command.id()),
                            (row, failure) -> new Rewatched(command.id(), row, failure));
        }
        return Behaviors.same();
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
        return Behaviors.same();
    }

    private Behavior<Command> onRoom(Room command) {
        command.reply().complete(swaps.size() < MOST_WATCHED);
        return Behaviors.same();
    }

    private void begin(SwapJournal.Held held) {
        String id = held.row().id();
        if (swaps.containsKey(id)) {
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
        return Behaviors.same();
    }

    /** One that failed is in the journal still, and is begun again. */
    private Behavior<Command> onEnded(Ended ended) {
        if (swaps.remove(ended.id()) == null) {
            return Behaviors.same();
        }
        timers.startSingleTimer(new Retry(), setup.pace());
        return restoring();
    }

    private Behavior<Command> onNudge(Nudge nudge) {
        swaps.values().forEach(swap -> swap.tell(new SwapActor.Nudge()));
        return Behaviors.same();
    }

    /** Whoever has given up waiting was told to ask for the status: nothing is begun behind their back. */
    private Behavior<Command> onQuestion(Question question) {
        if (question.reply().isDone()) {
            return Behaviors.same();
        }
        ActorRef<SwapActor.Command> swap = swaps.get(question.id());
        if (swap == null) {
            return lookUp(question);
        }
        if (question instanceof Execute execute) {
            swap.tell(new SwapActor.Execute(execute.minimumOut(), execute.reply()));
        } else if (question instanceof Refund refund) {
            swap.tell(new SwapActor.Refund(refund.reply()));
        } else {
            swap.tell(new SwapActor.Status(question.reply()));
        }
        return Behaviors.same();
    }

    /** A swap that nobody looks after any more is only told of. */
    private Behavior<Command> lookUp(Question question) {
        getContext()
                .pipeToSelf(setup.journal().find(question.id()), (row, failure) -> new Found(question, row, failure));
        return Behaviors.same();
    }

    private Behavior<Command> onFound(Found found) {
        found.question().reply().complete(told(found));
        return Behaviors.same();
    }

    private static SwapReply told(Found found) {
        if (found.failure() != null) {
            return new SwapReply.Failed(found.failure());
        }
        if (found.row().isEmpty()) {
            return new SwapReply.Unknown(found.question().id());
        }
        SwapRow row = found.row().get();
        return found.question() instanceof Refund ? new SwapReply.NothingLocked(row) : new SwapReply.Standing(row);
    }
}
