package org.chainwalletd.swap;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.store.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One swap: looks at both chains, writes what it sees, decides ({@link Decision}), writes what it is about to do, does it, and looks again.
 * Owns the row; nobody else writes it while it lives. Talks to the journal, which opens the secret for the moment of a claim, and to the
 * {@link Legs}. Does one thing at a time: questions wait in a stash meanwhile.
 *
 * <p>After a restart it begins with the row as it stands. It sends no lock and shows no secret before it has seen both chains, so a row of an
 * older backup first learns what was done since. A write that fails or is overtaken ends the round: the row is read again.
 */
final class SwapActor extends AbstractBehavior<SwapActor.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapActor.class);
    private static final int MOST_WAITING = 32;
    /** A swap that is over is looked at so much less often. */
    private static final int PATIENCE = 60;

    public sealed interface Command {}

    /** What is answered. */
    sealed interface Question extends Command {
        CompletableFuture<SwapReply> reply();
    }

    /** Locks our side, if it is still only a quote. */
    record Execute(Optional<BigInteger> minimumOut, CompletableFuture<SwapReply> reply) implements Question {}

    /** Takes our lock back. */
    record Refund(CompletableFuture<SwapReply> reply) implements Question {}

    record Status(CompletableFuture<SwapReply> reply) implements Question {}

    /** Something may have changed on a chain. */
    record Nudge() implements Command {}

    /** The engine sends nothing more. */
    record Stop() implements Command {}

    private record Tick() implements Command {}

    private record Looked(Legs.View view, Throwable failure) implements Command {}

    private record Written(SwapJournal.Held held, Throwable failure) implements Command {}

    /** @param cause why the write before it failed */
    private record Reread(Optional<SwapJournal.Held> held, Throwable failure, Throwable cause) implements Command {}

    private record Done(Step step, Optional<String> tx, Throwable failure) implements Command {}

    /** What a write was for. */
    private sealed interface Next {
        record Decide() implements Next {}

        record Perform(Step step) implements Next {}

        record Proceed() implements Next {}
    }

    private final TimerScheduler<Command> timers;
    private final StashBuffer<Command> stash;
    private final SwapSetup setup;
    private final Runnable over;

    private SwapJournal.Held held;
    private final LastLook look = new LastLook();
    private Next next = new Next.Proceed();
    private final WaitLog waits = new WaitLog();
    private final Deque<Step> steps = new ArrayDeque<>();
    private Optional<Question> question = Optional.empty();

    private SwapActor(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            StashBuffer<Command> stash,
            SwapSetup setup,
            Runnable over,
            SwapJournal.Held held) {
        super(context);
        this.timers = timers;
        this.stash = stash;
        this.setup = setup;
        this.over = over;
        this.held = held;
    }

    /**
     * @param over told when nobody needs to look after it any more; {@link Stop} ends the actor then
     */
    static Behavior<Command> create(SwapSetup setup, Runnable over, SwapJournal.Held held) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> Behaviors.withStash(
                MOST_WAITING, stash -> new SwapActor(context, timers, stash, setup, over, held).begin())));
    }

    private Behavior<Command> begin() {
        timers.startSingleTimer(new Tick(), Duration.ZERO);
        return this;
    }

    /** Idle: between two rounds. */
    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Status.class, this::onStatus)
                .onMessage(Execute.class, this::onExecute)
                .onMessage(Refund.class, this::onRefund)
                .onMessage(Nudge.class, this::onNudge)
                .onMessage(Tick.class, tick -> onTick())
                .onSignal(PostStop.class, this::onStop)
                .build();
    }

    /** Busy: one round, from the look to the last step. */
    private Behavior<Command> busy() {
        return Behaviors.receive(Command.class)
                .onMessage(Status.class, this::onStatusMeanwhile)
                .onMessage(Looked.class, this::onLooked)
                .onMessage(Written.class, this::onWritten)
                .onMessage(Reread.class, this::onReread)
                .onMessage(Done.class, this::onDone)
                .onMessage(Execute.class, this::onWaiting)
                .onMessage(Refund.class, this::onWaiting)
                .onMessage(Nudge.class, nudge -> Behaviors.same())
                .onMessage(Tick.class, tick -> Behaviors.same())
                .onSignal(PostStop.class, this::onStop)
                .build();
    }

    /** Nobody looks after it any more; what was asked before the engine knew is answered. */
    private Behavior<Command> over() {
        return Behaviors.receive(Command.class)
                .onMessage(Status.class, this::onStatusMeanwhile)
                .onMessage(Execute.class, this::onLateExecute)
                .onMessage(Refund.class, this::onLateRefund)
                .onMessage(Stop.class, stop -> Behaviors.stopped())
                .onAnyMessage(other -> Behaviors.same())
                .onSignal(PostStop.class, this::onStop)
                .build();
    }

    private Behavior<Command> onLateExecute(Execute command) {
        command.reply().complete(new SwapReply.Standing(row()));
        return Behaviors.same();
    }

    private Behavior<Command> onLateRefund(Refund command) {
        command.reply().complete(new SwapReply.NothingLocked(row()));
        return Behaviors.same();
    }

    private SwapRow row() {
        return held.row();
    }

    private Behavior<Command> onStatus(Status command) {
        command.reply().complete(new SwapReply.Standing(row()));
        return this;
    }

    private Behavior<Command> onStatusMeanwhile(Status command) {
        onStatus(command);
        return Behaviors.same();
    }

    private Behavior<Command> onWaiting(Question command) {
        if (stash.isFull()) {
            command.reply()
                    .complete(new SwapReply.Failed(new IllegalStateException("too many calls wait for this swap")));
        } else {
            stash.stash(command);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onExecute(Execute command) {
        if (row().acts().locking() || row().status().isTerminal()) {
            command.reply().complete(new SwapReply.Standing(row()));
            return this;
        }
        question = Optional.of(command);
        setup.changed().executing(row());
        return look();
    }

    private Behavior<Command> onRefund(Refund command) {
        if (!row().status().holdsMoney()) {
            command.reply().complete(new SwapReply.NothingLocked(row()));
            return this;
        }
        question = Optional.of(command);
        return look();
    }

    private Behavior<Command> onNudge(Nudge nudge) {
        return row().status().isTerminal() ? this : onTick();
    }

    private Behavior<Command> onTick() {
        if (isOurQuote()) {
            return onQuote();
        }
        return isOver() ? write(row(), false, new Next.Proceed()) : look();
    }

    /** By what this life of it has seen: the row may be one of an older backup. */
    private boolean isOver() {
        return look.isComplete() && row().isOver(setup.tip().get());
    }

    /** Of this process, and never executed: nothing of it is on any chain, so it needs no look. */
    private boolean isOurQuote() {
        return row().status() == SwapStatus.QUOTED && row().run().equals(setup.run());
    }

    private Behavior<Command> onQuote() {
        if (setup.now() < row().terms().expiresAt()) {
            rest();
            return this;
        }
        return write(row().with(row().acts().expire(), setup.now()), false, new Next.Proceed());
    }

    private Behavior<Command> look() {
        steps.clear();
        look.begin(setup.now());
        getContext().pipeToSelf(setup.legs().look(row()), Looked::new);
        return busy();
    }

    private Behavior<Command> onLooked(Looked looked) {
        if (looked.failure() != null) {
            LOG.warn(
                    "swap {}: neither chain can be looked at: {}",
                    row().id(),
                    looked.failure().toString());
            answer(new SwapReply.Failed(looked.failure()));
            return idle();
        }
        look.saw(looked.view(), setup.now());
        SwapRow seen = row().seeing(look.view().sight(), setup.now());
        boolean same = seen.at(setup.tip().get(), setup.now()) == row();
        return same ? decide() : write(seen, true, new Next.Decide());
    }

    private Behavior<Command> decide() {
        waits.looked(row(), look.view());
        Optional<String> hopeless = look.hopeless();
        if (hopeless.isPresent() && row().error().isEmpty()) {
            return write(row().failing(hopeless, setup.now()), true, new Next.Decide());
        }
        steps.clear();
        steps.addAll(Decision.next(row(), look.known(setup)));
        question.ifPresent(this::asked);
        return proceed();
    }

    /** What a caller asked for comes in the same round, judged by the same look. */
    private void asked(Question command) {
        if (command instanceof Execute execute) {
            asked(execute);
        } else if (look.view().sight().ownLock().isEmpty()) {
            answer(new SwapReply.Failed(new IllegalStateException("the chain of our lock could not be looked at")));
        } else if (!(row().ownLock() instanceof OwnLock.Locked)) {
            answer(new SwapReply.NothingLocked(row()));
        } else if (!look.view().refundDue()) {
            answer(new SwapReply.NotDue(row()));
        }
    }

    private void asked(Execute execute) {
        if (row().acts().locking()) {
            return;
        }
        Optional<String> against = against(execute);
        if (against.isPresent()) {
            answer(
                    mayHaveLocked()
                            ? new SwapReply.Failed(new IllegalStateException(against.get()))
                            : new SwapReply.NotExecuted(against.get()));
        } else {
            steps.add(new Step.SendLock());
        }
    }

    private Optional<String> against(Execute execute) {
        return setup.stopping().getAsBoolean()
                ? Optional.of("the daemon is being stopped; nothing was sent")
                : Decision.againstExecuting(row(), execute.minimumOut(), look.known(setup));
    }

    /** The next step: its act is written first. */
    private Behavior<Command> proceed() {
        if (steps.isEmpty()) {
            answer(new SwapReply.Standing(row()));
            return idle();
        }
        Step step = steps.remove();
        Acts acts = step.begun(row().acts());
        if (acts.equals(row().acts())) {
            perform(step);
            return busy();
        }
        SwapRow acting = row().with(acts, setup.now()).failing(step.error(row()), setup.now());
        return write(acting, isWatched(step), new Next.Perform(step));
    }

    /** A quote of another process may be the row of an older backup, whose lock nobody has seen yet. */
    private boolean isWatched(Step step) {
        return !(step instanceof Step.Expire) || !row().run().equals(setup.run());
    }

    private void perform(Step step) {
        CrashPoint.SWAP_BEFORE_STEP.reached();
        SwapJournal.Held standing = held;
        getContext()
                .pipeToSelf(
                        step.perform(
                                setup.legs(),
                                standing.row(),
                                use -> setup.journal().withSecret(standing, use)),
                        (tx, failure) -> new Done(step, failure == null ? tx : Optional.empty(), failure));
    }

    private Behavior<Command> onDone(Done done) {
        CrashPoint.SWAP_AFTER_STEP.reached();
        if (done.failure() != null) {
            LOG.warn(
                    "swap {}: {} did not go well: {}",
                    row().id(),
                    done.step(),
                    done.failure().toString());
            if (done.step() instanceof Step.SendLock || isAskedFor(done.step())) {
                answer(new SwapReply.Failed(done.failure()));
            }
            return proceed();
        }
        SwapRow named = named(done);
        return named == row() ? proceed() : write(named, true, new Next.Proceed());
    }

    private boolean isAskedFor(Step step) {
        return step instanceof Step.TakeBack
                && question.filter(Refund.class::isInstance).isPresent();
    }

    private SwapRow named(Done done) {
        if (done.tx().isEmpty()) {
            return row();
        }
        Acts acts = row().acts();
        Acts named = done.step().named(acts, done.tx().get());
        return named.equals(acts) ? row() : row().with(named, setup.now());
    }

    /** The row is durable before anything that it speaks of is done. */
    private Behavior<Command> write(SwapRow changed, boolean watched, Next then) {
        next = then;
        SwapRow row = changed.at(setup.tip().get(), setup.now());
        getContext().pipeToSelf(setup.journal().write(held, row, watched), Written::new);
        return busy();
    }

    private Behavior<Command> onWritten(Written written) {
        if (written.failure() != null) {
            LOG.warn(
                    "swap {} cannot be written: {}",
                    row().id(),
                    written.failure().toString());
            getContext()
                    .pipeToSelf(
                            setup.journal().take(row().id()),
                            (reread, failure) -> new Reread(reread, failure, written.failure()));
            return busy();
        }
        held = written.held();
        setup.changed().accept(row());
        if (!held.entry().watched()) {
            answer(new SwapReply.Standing(row()));
            over.run();
            return stash.unstashAll(over());
        }
        if (next instanceof Next.Decide) {
            return decide();
        }
        if (next instanceof Next.Perform perform) {
            perform(perform.step());
            return busy();
        }
        return proceed();
    }

    /** A write whose outcome is not known, or that came too late: the store says how the row stands. */
    private Behavior<Command> onReread(Reread reread) {
        if (reread.failure() == null && reread.held().isPresent()) {
            SwapRow before = row();
            held = reread.held().get();
            next = new Next.Proceed();
            if (!row().equals(before)) {
                setup.changed().accept(row());
            }
        }
        answer(new SwapReply.Failed(reread.cause()));
        return idle();
    }

    /** Whether our lock is to leave, or the write that says so may be in the store. */
    private boolean mayHaveLocked() {
        return row().acts().locking()
                || next instanceof Next.Perform perform && perform.step() instanceof Step.SendLock;
    }

    private void answer(SwapReply reply) {
        question.ifPresent(asked -> {
            boolean isExecute = asked instanceof Execute;
            if (isExecute) {
                setup.changed().executed(row());
            }
            boolean unknown = isExecute && reply instanceof SwapReply.Failed && mayHaveLocked();
            asked.reply().complete(unknown ? new SwapReply.LockUnknown(((SwapReply.Failed) reply).cause()) : reply);
        });
        question = Optional.empty();
    }

    private Behavior<Command> idle() {
        rest();
        return stash.unstash(this, 1, command -> command);
    }

    private void rest() {
        boolean calm = row().status().isTerminal() && row().isSettled();
        timers.startSingleTimer(new Tick(), calm ? setup.pace().multipliedBy(PATIENCE) : setup.pace());
    }

    private Behavior<Command> onStop(PostStop stop) {
        answer(new SwapReply.Failed(new IllegalStateException("the daemon is being stopped")));
        return Behaviors.same();
    }
}
