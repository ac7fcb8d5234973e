package org.chainwalletd.swap;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One swap: looks at both chains, writes what it sees, decides ({@link Decision}), writes what it is about to do, does it, and looks again.
 * Owns the row and the secret; nobody else writes the row while it lives. Talks to the journal and to the {@link Legs}. Does one thing at a
 * time: questions wait in a stash meanwhile.
 *
 * <p>After a restart it begins with the row as it stands. It sends no lock and shows no secret before it has seen both chains, so a row of an
 * older backup first learns what was done since. A write that fails or is overtaken ends the round: the row is read again.
 */
final class SwapActor extends AbstractBehavior<SwapActor.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapActor.class);
    private static final int MOST_WAITING = 32;
    /** 8,640 blocks of the chain. */
    private static final long WATCH_SECONDS = 86_400;

    public sealed interface Command {}

    /** Locks our side, if it is still only a quote. */
    record Execute(Optional<BigInteger> minimumOut, CompletableFuture<SwapReply> reply) implements Command {}

    /** Takes our lock back. */
    record Refund(CompletableFuture<SwapReply> reply) implements Command {}

    record Status(CompletableFuture<SwapReply> reply) implements Command {}

    /** Something may have changed on a chain. */
    record Nudge() implements Command {}

    /** The engine sends nothing more. */
    record Stop() implements Command {}

    private record Tick() implements Command {}

    private record Looked(Legs.View view, Throwable failure) implements Command {}

    private record Written(SwapJournal.Held held, Throwable failure) implements Command {}

    private record Reread(Optional<SwapJournal.Held> held, Throwable failure) implements Command {}

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
    private Legs.View view;
    private Next next = new Next.Proceed();
    private final Deque<Step> steps = new ArrayDeque<>();
    private Optional<Command> question = Optional.empty();

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
     * @param held taken over: its secret is overwritten when the actor ends
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
                .onMessage(Nudge.class, nudge -> onTick())
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

    private Behavior<Command> onWaiting(Command command) {
        if (stash.isFull()) {
            refuse(command, new IllegalStateException("too many calls wait for this swap"));
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

    /** A quote of this process needs no looks: nothing of it is on any chain. */
    private Behavior<Command> onTick() {
        boolean fresh = !row().acts().locking()
                && row().run().equals(setup.run())
                && setup.now() < row().terms().expiresAt();
        if (fresh) {
            rest();
            return this;
        }
        if (row().status().isTerminal() && setup.now() - row().updatedAt() > WATCH_SECONDS) {
            return write(row(), false, new Next.Proceed());
        }
        return look();
    }

    private Behavior<Command> look() {
        steps.clear();
        getContext().pipeToSelf(setup.legs().look(row()), Looked::new);
        return busy();
    }

    private Behavior<Command> onLooked(Looked look) {
        if (look.failure() != null) {
            LOG.warn(
                    "swap {}: neither chain can be looked at: {}",
                    row().id(),
                    look.failure().toString());
            answer(new SwapReply.Failed(look.failure()));
            return idle();
        }
        view = look.view();
        SwapRow seen = row().seeing(view.sight(), setup.now());
        return seen == row() ? decide() : write(seen, true, new Next.Decide());
    }

    private Behavior<Command> decide() {
        steps.clear();
        steps.addAll(Decision.next(row(), known()));
        question.ifPresent(this::asked);
        return proceed();
    }

    private Decision.Known known() {
        Optional<GateVerdict> gate = setup.stopping().getAsBoolean() ? Optional.empty() : view.gate();
        return new Decision.Known(
                setup.run(), setup.now(), view.isComplete(), view.clearance(), view.refundDue(), gate);
    }

    /** What a caller asked for comes in the same round, judged by the same look. */
    private void asked(Command command) {
        if (command instanceof Execute execute) {
            asked(execute);
        } else if (!view.refundDue()) {
            answer(new SwapReply.NotDue(row()));
        } else if (!(row().ownLock() instanceof OwnLock.Locked)) {
            answer(new SwapReply.NothingLocked(row()));
        }
    }

    private void asked(Execute execute) {
        if (row().acts().locking()) {
            return;
        }
        Optional<String> against = against(execute);
        if (against.isPresent()) {
            answer(new SwapReply.NotExecuted(against.get()));
        } else {
            steps.add(new Step.SendLock());
        }
    }

    private Optional<String> against(Execute execute) {
        if (!view.isComplete()) {
            return Optional.of("not both chains could be looked at; nothing was sent");
        }
        if (setup.stopping().getAsBoolean()) {
            return Optional.of("the daemon is being stopped; nothing was sent");
        }
        if (!row().run().equals(setup.run()) || !steps.isEmpty()) {
            return Optional.of("the quote has expired");
        }
        boolean tooLittle = execute.minimumOut()
                .filter(minimum -> row().terms().amountOutUnits().compareTo(minimum) < 0)
                .isPresent();
        return tooLittle ? Optional.of("the quote pays less than min_amount_out") : against(view.clearance());
    }

    private static Optional<String> against(Clearance clearance) {
        if (clearance instanceof Clearance.Clear) {
            return Optional.empty();
        }
        return clearance instanceof Clearance.Against against
                ? Optional.of(against.why())
                : Optional.of("it cannot be judged whether a lock is safe now; nothing was sent: "
                        + ((Clearance.Unjudged) clearance).why());
    }

    /** The next step: its act is written first. */
    private Behavior<Command> proceed() {
        if (steps.isEmpty()) {
            answer(new SwapReply.Standing(row()));
            return idle();
        }
        Step step = steps.remove();
        Acts acts = actsOf(step);
        if (acts.equals(row().acts())) {
            perform(step);
            return busy();
        }
        boolean watched = !(step instanceof Step.Expire);
        return write(row().with(acts, setup.now()), watched, new Next.Perform(step));
    }

    private Acts actsOf(Step step) {
        Acts acts = row().acts();
        if (step instanceof Step.Expire) {
            return acts.expire();
        }
        if (step instanceof Step.SendLock) {
            return acts.lock();
        }
        if (step instanceof Step.AbandonLock) {
            return acts.abandon();
        }
        return step instanceof Step.TakeBack ? acts.refund() : acts.reveal();
    }

    private void perform(Step step) {
        if (step instanceof Step.Expire) {
            getContext().getSelf().tell(new Done(step, Optional.empty(), null));
        } else if (step instanceof Step.SendLock) {
            then(step, setup.legs().sendLock(row()));
        } else if (step instanceof Step.AbandonLock) {
            getContext()
                    .pipeToSelf(
                            setup.legs().abandonLock(row()),
                            (done, failure) -> new Done(step, Optional.empty(), failure));
        } else if (step instanceof Step.TakeBack) {
            then(step, setup.legs().takeBack(row()));
        } else {
            then(step, setup.legs().pushClaim(row(), held.secret()));
        }
    }

    private void then(Step step, CompletionStage<String> sending) {
        getContext().pipeToSelf(sending, (tx, failure) -> new Done(step, Optional.ofNullable(tx), failure));
    }

    private Behavior<Command> onDone(Done done) {
        if (done.failure() != null) {
            LOG.warn(
                    "swap {}: {} did not go well: {}",
                    row().id(),
                    done.step(),
                    done.failure().toString());
            if (done.step() instanceof Step.SendLock) {
                answer(new SwapReply.Failed(done.failure()));
            }
            return proceed();
        }
        SwapRow named = named(done);
        return named == row() ? proceed() : write(named, true, new Next.Proceed());
    }

    private SwapRow named(Done done) {
        if (done.tx().isEmpty()) {
            return row();
        }
        Acts acts = row().acts();
        Acts named = done.step() instanceof Step.SendLock
                ? acts.lockedBy(done.tx().get())
                : done.step() instanceof Step.TakeBack
                        ? acts.refundedBy(done.tx().get())
                        : acts.claimedBy(done.tx().get());
        return named.equals(acts) ? row() : row().with(named, setup.now());
    }

    /** The row is durable before anything that it speaks of is done. */
    private Behavior<Command> write(SwapRow changed, boolean watched, Next then) {
        next = then;
        getContext().pipeToSelf(setup.journal().write(held, changed, watched), Written::new);
        return busy();
    }

    private Behavior<Command> onWritten(Written written) {
        if (written.failure() != null) {
            LOG.warn(
                    "swap {} cannot be written: {}",
                    row().id(),
                    written.failure().toString());
            answer(new SwapReply.Failed(written.failure()));
            getContext().pipeToSelf(setup.journal().take(row().id()), Reread::new);
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
            held.secret().close();
            held = reread.held().get();
        }
        return idle();
    }

    private void answer(SwapReply reply) {
        question.ifPresent(asked -> {
            if (asked instanceof Execute execute) {
                execute.reply().complete(reply);
            } else if (asked instanceof Refund refund) {
                refund.reply().complete(reply);
            }
        });
        question = Optional.empty();
    }

    private static void refuse(Command command, Throwable cause) {
        if (command instanceof Execute execute) {
            execute.reply().complete(new SwapReply.Failed(cause));
        } else if (command instanceof Refund refund) {
            refund.reply().complete(new SwapReply.Failed(cause));
        }
    }

    private Behavior<Command> idle() {
        rest();
        return stash.unstash(this, 1, command -> command);
    }

    private void rest() {
        timers.startSingleTimer(new Tick(), setup.pace());
    }

    private Behavior<Command> onStop(PostStop stop) {
        answer(new SwapReply.Failed(new IllegalStateException("the daemon is being stopped")));
        held.secret().close();
        return Behaviors.same();
    }
}
