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
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.swap.engine.SwapActor.Unattended;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.SwapRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parent of the swap actors: runs one for each watched swap and routes questions to it. Owns nothing durable: on start it spawns an actor for each
 * watched row of the journal, and it respawns actors that have failed.
 *
 * <p>Until the journal has been read, a swap that is over cannot be distinguished from one that has no actor yet, so questions about swaps without
 * an actor wait in a stash until then. After a restart the engine begins in that state again. When an actor ends, by a failure or with the daemon,
 * the engine answers its unanswered questions with an unknown outcome.
 */
public final class SwapEngine extends AbstractBehavior<SwapEngine.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapEngine.class);
    /** Maximum number of watched swaps, including quotes, which cost the caller nothing and stay until they expire. */
    private static final int MOST_WATCHED = 10_000;
    /** Maximum number of messages stashed until the journal has been read. */
    private static final int MOST_WAITING = 1_024;

    public sealed interface Command {}

    /** Starts watching a new quote. */
    public record Adopt(SwapJournal.Held held) implements Command {}

    /** Asks a question about one swap. */
    public record Ask(String id, SwapQuestion question) implements Command {}

    /** Asks before a quote is taken whether one more swap can be watched. */
    public record Room(CompletableFuture<Boolean> reply) implements Command {}

    /** Starts watching a swap again that was over. */
    public record Rewatch(String id) implements Command {}

    /** Makes all swaps observe the chains, because a chain may have changed. */
    public record Nudge() implements Command {}

    private record Restored(Outcome<List<SwapJournal.Held>> rows) implements Command {}

    private record Found(Ask asked, Outcome<Optional<SwapRow>> row) implements Command {}

    private record Rewatched(String id, Outcome<Optional<SwapJournal.Held>> row) implements Command {}

    private record Retry() implements Command {}

    /** Reports that a swap needs no actor any more. */
    private record Over(String id) implements Command {}

    /** The swap's actor has stopped, on request or by a failure. */
    private record Ended(String id, WatchedSwap swap) implements Command {}

    private final TimerScheduler<Command> timers;
    private final StashBuffer<Command> stash;
    private final SwapSetup setup;
    private final StalledSwaps stalled;
    private final Map<String, WatchedSwap> swaps = new HashMap<>();
    /** Whether this instance has read the journal. */
    private boolean isRead;

    private long spawned;

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

    /** @param stalled informed whether the journal can be read */
    public static Behavior<Command> create(SwapSetup setup, StalledSwaps stalled) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> Behaviors.withStash(
                MOST_WAITING, stash -> new SwapEngine(context, timers, stash, setup, stalled).restore())));
    }

    /** Answers a command while background work is stopped. A quote that is already durable is found when work resumes. */
    public static void whileStopped(Command command) {
        if (command instanceof Ask asked) {
            asked.question().reply().complete(new SwapReply.Failed(Background.stopped()));
        } else if (command instanceof Room room) {
            Background.refuse(room.reply());
        }
    }

    /** Restoring: the journal has, or may have, a watched row without an actor. */
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

    /** Adopts a row that was marked as watched again. */
    private Behavior<Command> onRewatched(Rewatched rewatched) {
        rewatched.row().match(row -> row.ifPresent(this::begin), failure -> notRewatched(rewatched.id(), failure));
        return Behaviors.same();
    }

    /** Repeats the request, except for a damaged row: the write may have been made although its answer was lost, and no actor has the row then. */
    private void notRewatched(String id, Throwable failure) {
        LOG.atLevel(Background.levelOf(failure)).log("swap {} cannot be watched again: {}", id, failure.toString());
        if (!(failure instanceof UnsealException || failure instanceof IllegalArgumentException)) {
            Rewatch again = new Rewatch(id);
            timers.startSingleTimer(again, again, setup.pace());
        }
    }

    private Behavior<Command> onRoom(Room command) {
        command.reply().complete(swaps.size() < MOST_WATCHED);
        return Behaviors.same();
    }

    /** Spawns the actor of a swap. A swap made on another account chain waits in the journal until that chain is configured again. */
    private void begin(SwapJournal.Held held) {
        String id = held.row().id();
        if (swaps.containsKey(id)) {
            return;
        }
        if (!isRead && !setup.book().isKnown()) {
            // A swap that is dropped here is found when the journal is read again.
            if (!stash.isFull()) {
                stash.stash(new Adopt(held));
            }
            return;
        }
        if (!setup.legs().reach(held.row())) {
            if (held.row().status().holdsMoney()) {
                LOG.error(
                        "swap {} is {} but is not processed: it was made on another account chain or with another contract",
                        id,
                        held.row().status().word());
            }
            return;
        }
        ActorRef<Command> self = getContext().getSelf();
        // A swap may be watched again while its previous actor is still stopping, so actor names are never reused.
        ActorRef<SwapActor.Command> actor = getContext()
                .spawn(SwapActor.create(setup, () -> self.tell(new Over(id)), held), "swap-" + id + "-" + ++spawned);
        WatchedSwap swap = new WatchedSwap(actor);
        swaps.put(id, swap);
        getContext().watchWith(actor, new Ended(id, swap));
    }

    private Behavior<Command> onOver(Over over) {
        Optional.ofNullable(swaps.remove(over.id())).ifPresent(WatchedSwap::release);
        return Behaviors.same();
    }

    /** Restarts a swap whose actor failed; its row is still in the journal. */
    private Behavior<Command> onEnded(Ended ended) {
        ended.swap().ended();
        if (!swaps.remove(ended.id(), ended.swap())) {
            return Behaviors.same();
        }
        timers.startSingleTimer(new Retry(), setup.pace());
        return restoring();
    }

    private Behavior<Command> onNudge(Nudge nudge) {
        swaps.values().forEach(WatchedSwap::nudge);
        return Behaviors.same();
    }

    /** Routes a question. A caller that has timed out was told to query the status, so its question starts nothing. */
    private Behavior<Command> onAsk(Ask asked) {
        if (asked.question().reply().isDone()) {
            return Behaviors.same();
        }
        WatchedSwap swap = swaps.get(asked.id());
        if (swap == null) {
            return lookUp(asked);
        }
        swap.ask(asked.question());
        return Behaviors.same();
    }

    /** Answers a question about an unwatched swap from its stored row. */
    private Behavior<Command> lookUp(Ask asked) {
        Outcome.pipe(getContext(), setup.journal().find(asked.id()), row -> new Found(asked, row));
        return Behaviors.same();
    }

    private Behavior<Command> onFound(Found found) {
        Ask asked = found.asked();
        asked.question().reply().complete(found.row().fold(row -> answer(asked, row), SwapReply.Failed::new));
        return Behaviors.same();
    }

    private static SwapReply answer(Ask asked, Optional<SwapRow> found) {
        return found.map(row -> asked.question().by(row)).orElseGet(() -> new SwapReply.Unknown(asked.id()));
    }

    private Behavior<Command> onStop(PostStop stop) {
        setup.book().outdate();
        swaps.values().forEach(WatchedSwap::ended);
        stash.forEach(SwapEngine::leave);
        return Behaviors.same();
    }

    private static void leave(Command waiting) {
        if (waiting instanceof Ask asked) {
            asked.question().reply().complete(asked.question().unknown(new Unattended()));
        }
    }

    /**
     * Actor of a swap and the questions sent to it. Questions still in the actor's stash or mailbox when it ends are answered here. Confined to the
     * {@link SwapEngine}.
     */
    public static final class WatchedSwap {
        /** Answered questions are removed when the list reaches this size, or twice the number that were open at the last removal if that is more. */
        private static final int MIN_CLEAN_UP = 16;

        private final ActorRef<SwapActor.Command> actor;
        private final List<SwapQuestion> questions = new ArrayList<>();
        private int cleanUpSize = MIN_CLEAN_UP;

        WatchedSwap(ActorRef<SwapActor.Command> actor) {
            this.actor = actor;
        }

        void ask(SwapQuestion question) {
            if (questions.size() >= cleanUpSize) {
                questions.removeIf(asked -> asked.reply().isDone());
                cleanUpSize = Math.max(MIN_CLEAN_UP, 2 * questions.size());
            }
            questions.add(question);
            actor.tell(new SwapActor.Ask(question));
        }

        void nudge() {
            actor.tell(new SwapActor.Nudge());
        }

        /** Stops the actor after the questions sent to it before. */
        void release() {
            actor.tell(new SwapActor.Stop());
        }

        /** Answers all open questions with an unknown outcome, because the actor has ended. */
        void ended() {
            questions.forEach(question -> question.reply().complete(question.unknown(new Unattended())));
            questions.clear();
        }
    }

    /** Reason why the engine does not process the swaps of the journal. Written by the engine only, read by any thread. */
    public static final class StalledSwaps {
        private volatile Optional<String> why = Optional.of("the swap journal has not been read yet");

        /** Returns a short reason in ASCII; empty when the engine runs. */
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
