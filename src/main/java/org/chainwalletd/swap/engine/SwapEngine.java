package org.chainwalletd.swap.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.swap.engine.SwapActor.Unattended;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.SwapRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has an actor for each swap that is looked after, and gives questions to it. Owns nothing durable: at its start it begins an actor for each
 * such row of the journal, and begins one again that has failed.
 *
 * <p>While the journal has not been read, nobody can tell a swap that is over from one that nobody looks after yet: questions about those
 * without an actor wait in a stash until it has. After a restart it begins there again. What an actor was asked and has not answered when it
 * ends, by a failure or with the daemon, is answered here: that nobody knows what came of it.
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
    public record Ask(String id, SwapQuestion question) implements Command {}

    /** Whether one more can be looked after: asked before a quote is taken. */
    public record Room(CompletableFuture<Boolean> reply) implements Command {}

    /** Looks again after one that was over. */
    public record Rewatch(String id) implements Command {}

    /** Something may have changed on a chain: all look at once. */
    public record Nudge() implements Command {}

    private record Restored(Outcome<List<SwapJournal.Held>> rows) implements Command {}

    private record Found(Ask asked, Outcome<Optional<SwapRow>> row) implements Command {}

    private record Rewatched(String id, Outcome<Optional<SwapJournal.Held>> row) implements Command {}

    private record Retry() implements Command {}

    /** Reports that a swap needs no actor any more. */
    private record Over(String id) implements Command {}

    /** Its actor has ended: told to, or by a failure. */
    private record Ended(String id, SwapInCare swap) implements Command {}

    private final TimerScheduler<Command> timers;
    private final StashBuffer<Command> stash;
    private final SwapSetup setup;
    private final StalledSwaps stalled;
    private final Map<String, SwapInCare> swaps = new HashMap<>();
    /** Whether the journal was read in this life. */
    private boolean isRead;

    private long begun;

    private SwapEngine(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            StashBuffer<Command> stash,
            SwapSetup setup,
            StalledSwaps stalled) {
        super(context);
        this.timers = timers;
        this.stash = stash;
        this.setup = setup;
        this.stalled = stalled;
    }

    /** @param stalled told whether the journal can be read */
    public static Behavior<Command> create(SwapSetup setup, StalledSwaps stalled) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> Behaviors.withStash(
                MOST_WAITING, stash -> new SwapEngine(context, timers, stash, setup, stalled).restore())));
    }

    /** Swaps stand still; a quote that is durable is found when they go on. */
    public static void whileStopped(Command command) {
        if (command instanceof Ask asked) {
            asked.question().reply().complete(new SwapReply.Failed(Background.stopped()));
        } else if (command instanceof Room room) {
            Background.refuse(room.reply());
        }
    }

    /** The journal has a row that nobody looks after yet, or may have one. */
    private Behavior<Command> restoring() {
        return answering(this::onEarly);
    }

    /** Handles commands while every watched row has its actor. */
    @Override
    public Receive<Command> createReceive() {
        return answering(this::onAsk);
    }

    private Receive<Command> answering(Function<Ask, Behavior<Command>> onAsk) {
        return newReceiveBuilder()
                .onMessage(Ask.class, onAsk::apply)
                .onMessage(Adopt.class, this::onAdopt)
                .onMessage(Room.class, this::onRoom)
                .onMessage(Rewatch.class, this::onRewatch)
                .onMessage(Rewatched.class, this::onRewatched)
                .onMessage(Nudge.class, this::onNudge)
                .onMessage(Restored.class, this::onRestored)
                .onMessage(Found.class, this::onFound)
                .onMessage(Retry.class, retry -> restore())
                .onMessage(Over.class, this::onOver)
                .onMessage(Ended.class, this::onEnded)
                .onSignal(PostStop.class, this::onStop)
                .build();
    }

    private Behavior<Command> restore() {
        if (!isRead) {
            setup.book().reading();
        }
        Outcome.pipe(getContext(), setup.journal().watched(), Restored::new);
        return restoring();
    }

    private Behavior<Command> onRestored(Restored restored) {
        return restored.rows().fold(this::beginAll, this::stall);
    }

    private Behavior<Command> stall(Throwable failure) {
        LOG.error("the swap journal cannot be read, swaps stand still: {}", failure.toString());
        stalled.unreadable();
        timers.startSingleTimer(new Retry(), setup.pace());
        return Behaviors.same();
    }

    private Behavior<Command> beginAll(List<SwapJournal.Held> rows) {
        if (!isRead) {
            isRead = true;
            setup.book().read(rows.stream().map(SwapJournal.Held::row).toList());
        }
        rows.forEach(this::begin);
        stalled.over();
        return stash.unstashAll(this);
    }

    private Behavior<Command> onEarly(Ask asked) {
        if (swaps.containsKey(asked.id())) {
            return onAsk(asked);
        }
        if (stash.isFull()) {
            asked.question()
                    .reply()
                    .complete(new SwapReply.Failed(new StoreException(
                            StoreException.Reason.BUSY, "too many calls wait for the swap journal to be read", null)));
        } else {
            stash.stash(asked);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onAdopt(Adopt command) {
        begin(command.held());
        return Behaviors.same();
    }

    private Behavior<Command> onRewatch(Rewatch command) {
        if (!swaps.containsKey(command.id())) {
            Outcome.pipe(getContext(), setup.journal().rewatch(command.id()), row -> new Rewatched(command.id(), row));
        }
        return Behaviors.same();
    }

    /** A swap that could not be written is found again by whoever asked for it. */
    private Behavior<Command> onRewatched(Rewatched rewatched) {
        rewatched
                .row()
                .match(
                        row -> row.ifPresent(this::begin),
                        failure -> LOG.atLevel(Background.levelOf(failure))
                                .log("swap {} cannot be looked after again: {}", rewatched.id(), failure.toString()));
        return Behaviors.same();
    }

    private Behavior<Command> onRoom(Room command) {
        command.reply().complete(swaps.size() < MOST_WATCHED);
        return Behaviors.same();
    }

    /** Begins a swap; one that was made on another account chain waits in the journal until that one is configured again. */
    private void begin(SwapJournal.Held held) {
        String id = held.row().id();
        if (swaps.containsKey(id)) {
            return;
        }
        if (!isRead && !setup.book().isKnown()) {
            // A swap that is left out here is found when the journal is read again.
            if (!stash.isFull()) {
                stash.stash(new Adopt(held));
            }
            return;
        }
        if (!setup.legs().reach(held.row())) {
            if (held.row().status().holdsMoney()) {
                LOG.error(
                        "swap {} is {} and nobody looks after it: it was made on another account chain or with another contract",
                        id,
                        held.row().status().word());
            }
            return;
        }
        ActorRef<Command> self = getContext().getSelf();
        // A swap that is over may have come back while its last actor ends, so names are not used twice.
        ActorRef<SwapActor.Command> actor = getContext()
                .spawn(SwapActor.create(setup, () -> self.tell(new Over(id)), held), "swap-" + id + "-" + ++begun);
        SwapInCare swap = new SwapInCare(actor);
        swaps.put(id, swap);
        getContext().watchWith(actor, new Ended(id, swap));
    }

    private Behavior<Command> onOver(Over over) {
        Optional.ofNullable(swaps.remove(over.id())).ifPresent(SwapInCare::release);
        return Behaviors.same();
    }

    /** Begins a swap again whose actor failed: it is in the journal still. */
    private Behavior<Command> onEnded(Ended ended) {
        ended.swap().ended();
        if (!swaps.remove(ended.id(), ended.swap())) {
            return Behaviors.same();
        }
        timers.startSingleTimer(new Retry(), setup.pace());
        return restoring();
    }

    private Behavior<Command> onNudge(Nudge nudge) {
        swaps.values().forEach(SwapInCare::nudge);
        return Behaviors.same();
    }

    /** A caller that has stopped waiting was told to ask for the status: nothing is begun behind its back. */
    private Behavior<Command> onAsk(Ask asked) {
        if (asked.question().reply().isDone()) {
            return Behaviors.same();
        }
        SwapInCare swap = swaps.get(asked.id());
        if (swap == null) {
            return lookUp(asked);
        }
        swap.ask(asked.question());
        return Behaviors.same();
    }

    /** A swap that nobody looks after any more is only told of. */
    private Behavior<Command> lookUp(Ask asked) {
        Outcome.pipe(getContext(), setup.journal().find(asked.id()), row -> new Found(asked, row));
        return Behaviors.same();
    }

    private Behavior<Command> onFound(Found found) {
        Ask asked = found.asked();
        asked.question().reply().complete(found.row().fold(row -> told(asked, row), SwapReply.Failed::new));
        return Behaviors.same();
    }

    private static SwapReply told(Ask asked, Optional<SwapRow> found) {
        return found.map(row -> asked.question().by(row)).orElseGet(() -> new SwapReply.Unknown(asked.id()));
    }

    private Behavior<Command> onStop(PostStop stop) {
        setup.book().outdate();
        swaps.values().forEach(SwapInCare::ended);
        stash.forEach(SwapEngine::leave);
        return Behaviors.same();
    }

    private static void leave(Command waiting) {
        if (waiting instanceof Ask asked) {
            asked.question().reply().complete(asked.question().unknown(new Unattended()));
        }
    }

    /**
     * A swap's actor, and the questions that it was given. Those that lie in its stash or its mailbox when it ends are answered here. Belongs to
     * the {@link SwapEngine}, which alone touches it.
     */
    public static final class SwapInCare {
        /** Answered ones are taken out when there are twice as many as were open the last time. */
        private static final int FEWEST = 16;

        private final ActorRef<SwapActor.Command> actor;
        private final List<SwapQuestion> given = new ArrayList<>();
        private int most = FEWEST;

        SwapInCare(ActorRef<SwapActor.Command> actor) {
            this.actor = actor;
        }

        void ask(SwapQuestion question) {
            if (given.size() >= most) {
                given.removeIf(asked -> asked.reply().isDone());
                most = Math.max(FEWEST, 2 * given.size());
            }
            given.add(question);
            actor.tell(new SwapActor.Ask(question));
        }

        void nudge() {
            actor.tell(new SwapActor.Nudge());
        }

        /** Questions that it was given before come to it before the stop. */
        void release() {
            actor.tell(new SwapActor.Stop());
        }

        /** It answers nothing any more. */
        void ended() {
            given.forEach(question -> question.reply().complete(question.unknown(new Unattended())));
            given.clear();
        }
    }

    /** Why the engine does not look after what the journal has. Written by the engine alone, read by any thread. */
    public static final class StalledSwaps {
        private volatile Optional<String> why = Optional.of("the swap journal has not been read yet");

        /** Reason in a few words of plain ASCII; empty when the engine runs. */
        public Optional<String> why() {
            return why;
        }

        void over() {
            why = Optional.empty();
        }

        void unreadable() {
            why = Optional.of("the swap journal cannot be read, swaps stand still");
        }
    }
}
