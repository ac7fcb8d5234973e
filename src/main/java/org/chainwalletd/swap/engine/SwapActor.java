package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Actor of one swap: looks at both chains, writes what it sees, decides ({@link Decision}), writes what it is about to do, does it, and looks again.
 * Owns the row; nobody else writes it while it lives. Talks to the journal, which opens the secret for the moment of a claim, and to the
 * {@link Legs}. Does one thing at a time: questions wait in a stash meanwhile.
 *
 * <p>After a restart it begins with the row as it stands. It sends no lock and shows no secret before it has seen both chains, so a row of an
 * older backup first learns what was done since. A write that fails or is overtaken ends the round: the row is read again.
 */
public final class SwapActor extends AbstractBehavior<SwapActor.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapActor.class);
    private static final int MOST_WAITING = 32;
    /** A swap that is over is looked at so much less often. */
    private static final int PATIENCE = 60;

    public sealed interface Command {}

    /** Answered by this actor, or by the engine when it ends before. */
    record Ask(SwapQuestion question) implements Command {}

    /** Something may have changed on a chain. */
    record Nudge() implements Command {}

    /** The engine sends nothing more. */
    record Stop() implements Command {}

    private record Tick() implements Command {}

    private record Looked(Outcome<Legs.View> view) implements Command {}

    private record Written(Outcome<SwapJournal.Held> held) implements Command {}

    /** @param cause why the write before it failed */
    private record Reread(Outcome<Optional<SwapJournal.Held>> held, Throwable cause) implements Command {}

    private record Done(Step step, Outcome<Optional<String>> tx) implements Command {}

    /** Purpose of a write. */
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
    private final LatestView look = new LatestView();
    private Next next = new Next.Proceed();
    private final WaitLog waits = new WaitLog();
    private final Deque<Step> steps = new ArrayDeque<>();
    private final Caller caller;

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
        this.caller = new Caller(setup);
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
                .onMessage(Ask.class, this::onAsk)
                .onMessage(Nudge.class, this::onNudge)
                .onMessage(Tick.class, tick -> onTick())
                .onSignal(PostStop.class, this::onStop)
                .build();
    }

    /** Busy: one round, from the look to the last step. */
    private Behavior<Command> busy() {
        return Behaviors.receive(Command.class)
                .onMessage(Ask.class, this::onAskMeanwhile)
                .onMessage(Looked.class, this::onLooked)
                .onMessage(Written.class, this::onWritten)
                .onMessage(Reread.class, this::onReread)
                .onMessage(Done.class, this::onDone)
                .onMessage(Nudge.class, nudge -> Behaviors.same())
                .onMessage(Tick.class, tick -> Behaviors.same())
                .onSignal(PostStop.class, this::onStop)
                .build();
    }

    /** The swap is not looked after any more; questions asked before the engine knew are answered. */
    private Behavior<Command> over() {
        return Behaviors.receive(Command.class)
                .onMessage(Ask.class, this::onLateAsk)
                .onMessage(Stop.class, stop -> Behaviors.stopped())
                .onAnyMessage(other -> Behaviors.same())
                .onSignal(PostStop.class, this::onStop)
                .build();
    }

    private SwapRow row() {
        return held.row();
    }

    private Behavior<Command> onLateAsk(Ask asked) {
        asked.question().reply().complete(asked.question().by(row()));
        return Behaviors.same();
    }

    /** During a round everybody is told how the swap stands; what wants to change that waits for the end of the round. */
    private Behavior<Command> onAskMeanwhile(Ask asked) {
        SwapQuestion question = asked.question();
        if (question instanceof SwapQuestion.Status) {
            question.reply().complete(new SwapReply.Standing(row()));
        } else if (stash.isFull()) {
            question.reply()
                    .complete(new SwapReply.Failed(new IllegalStateException("too many calls wait for this swap")));
        } else {
            stash.stash(asked);
        }
        return Behaviors.same();
    }

    private Behavior<Command> onAsk(Ask asked) {
        SwapQuestion question = asked.question();
        if (question.isAnsweredBy(row())) {
            question.reply().complete(question.by(row()));
            return this;
        }
        caller.asks(question, row());
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

    /** Tests whether the swap is over, as this actor has observed it itself: the row may be from an older backup. */
    private boolean isOver() {
        return look.isComplete() && row().isOver(setup.tip().get());
    }

    /** Whether it is a quote of this process that was never executed: nothing of it is on any chain, so it needs no look. */
    private boolean isOurQuote() {
        return row().status() == SwapStatus.QUOTED && row().run().equals(setup.run());
    }

    private Behavior<Command> onQuote() {
        if (setup.now() < row().terms().offer().expiresAt()) {
            rest();
            return this;
        }
        return write(row().with(row().acts().expire(), setup.now()), false, new Next.Proceed());
    }

    private Behavior<Command> look() {
        steps.clear();
        look.begin(setup.now());
        Outcome.pipe(getContext(), setup.legs().look(row()), Looked::new);
        return busy();
    }

    private Behavior<Command> onLooked(Looked looked) {
        return looked.view().fold(this::saw, this::sawNothing);
    }

    private Behavior<Command> sawNothing(Throwable failure) {
        LOG.warn("swap {}: neither chain can be looked at: {}", row().id(), failure.toString());
        trouble();
        answer(new SwapReply.Failed(failure));
        return idle();
    }

    private Behavior<Command> saw(Legs.View view) {
        look.saw(view, setup.now());
        SwapRow seen = row().seeing(look.view().observation(), setup.now());
        if (seen.status() == SwapStatus.LOST && row().status() != SwapStatus.LOST) {
            alarm(SwapAlarm.Kind.LOST, SwapRow.LOST);
            seen = seen.failing(Optional.of(SwapRow.LOST), setup.now());
        }
        boolean same = seen.at(setup.tip().get(), setup.now()) == row();
        return same ? decide() : write(seen, true, new Next.Decide());
    }

    private Behavior<Command> decide() {
        waits.looked(row(), look.view());
        Optional<String> trouble = trouble()
                .or(() -> look.hopeless().filter(hopeless -> row().error().isEmpty()));
        if (trouble.isPresent() && !trouble.equals(row().error())) {
            return write(row().failing(trouble, setup.now()), true, new Next.Decide());
        }
        steps.clear();
        steps.addAll(Decision.next(row(), look.known(setup)));
        steps.forEach(this::alarmOf);
        caller.judge(row(), look, mayHaveLocked()).ifPresent(steps::add);
        return proceed();
    }

    /** Returns the condition that needs an operator's attention, as long as it lasts; also when a chain cannot be observed. */
    private Optional<String> trouble() {
        if (row().isClaimLate(setup.margins(), setup.now(), setup.tip().get())) {
            alarm(SwapAlarm.Kind.CLAIM_NOT_MINED, SwapRow.CLAIM_NOT_MINED);
            return Optional.of(SwapRow.CLAIM_NOT_MINED);
        }
        if (row().isRefundOverdue(setup.now(), setup.tip().get())) {
            alarm(SwapAlarm.Kind.REFUND_OVERDUE, SwapRow.REFUND_OVERDUE);
            return Optional.of(SwapRow.REFUND_OVERDUE);
        }
        return Optional.empty();
    }

    private void alarmOf(Step step) {
        if (step instanceof Step.WithdrawPermission withdrawal) {
            alarm(SwapAlarm.Kind.CLAIM_NOT_MADE, SwapRow.PERMISSION_UNUSED + withdrawal.why());
        }
    }

    private void alarm(SwapAlarm.Kind kind, String message) {
        setup.alarms().accept(SwapAlarm.of(kind, row(), message));
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
        SwapRow acting = row().with(acts, setup.now());
        return write(acting.failing(step.error(acting), setup.now()), isWatched(step), new Next.Perform(step));
    }

    /** A quote of another process may be the row of an older backup, whose lock nobody has seen yet. */
    private boolean isWatched(Step step) {
        return !(step instanceof Step.Expire) || !row().run().equals(setup.run());
    }

    private void perform(Step step) {
        CrashPoint.SWAP_BEFORE_STEP.reached(() -> place(step));
        SwapJournal.Held standing = held;
        Outcome.pipe(
                getContext(),
                step.perform(
                        setup.legs(),
                        standing.row(),
                        use -> setup.journal().withSecret(standing, use),
                        step instanceof Step.SendLock
                                ? look.lockStillCounts(setup, standing.row())
                                : look.gateStillCounts(setup)),
                tx -> new Done(step, tx));
    }

    /** Crash point for tests: a direction and a step. */
    private String place(Step step) {
        return row().terms().direction() + ":" + step.getClass().getSimpleName();
    }

    private Behavior<Command> onDone(Done done) {
        CrashPoint.SWAP_AFTER_STEP.reached(() -> place(done.step()));
        return done.tx().fold(tx -> wentWell(done.step(), tx), failure -> wentWrong(done.step(), failure));
    }

    private Behavior<Command> wentWrong(Step step, Throwable failure) {
        LOG.atLevel(Background.levelOf(failure))
                .log("swap {}: {} did not go well: {}", row().id(), step, failure.toString());
        if (caller.waitsFor(step)) {
            answer(new SwapReply.Failed(failure));
        }
        return step instanceof Step.Reveal ? notMade(failure) : proceed();
    }

    /** Handles a failed step, which may be journalled all the same: the next look shows that, and the reason is then no longer reported. */
    private Behavior<Command> notMade(Throwable failure) {
        if (Background.isStopped(failure)) {
            return proceed();
        }
        String why = SwapRow.PERMISSION_UNUSED + words(failure);
        alarm(SwapAlarm.Kind.CLAIM_NOT_MADE, why);
        return row().error().equals(Optional.of(why))
                ? proceed()
                : write(row().failing(Optional.of(why), setup.now()), true, new Next.Proceed());
    }

    private static String words(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    private Behavior<Command> wentWell(Step step, Optional<String> tx) {
        Acts acts = row().acts();
        Acts named = tx.map(name -> step.named(acts, name)).orElse(acts);
        return named.equals(acts) ? proceed() : write(row().with(named, setup.now()), true, new Next.Proceed());
    }

    /** The row is durable before anything that it speaks of is done. */
    private Behavior<Command> write(SwapRow changed, boolean watched, Next then) {
        next = then;
        SwapRow row = changed.at(setup.tip().get(), setup.now());
        Outcome.pipe(getContext(), setup.journal().write(held, row, watched), Written::new);
        return busy();
    }

    private Behavior<Command> onWritten(Written written) {
        return written.held().fold(this::isDurable, this::notWritten);
    }

    private Behavior<Command> notWritten(Throwable cause) {
        LOG.atLevel(Background.levelOf(cause)).log("swap {} cannot be written: {}", row().id(), cause.toString());
        Outcome.pipe(getContext(), setup.journal().take(row().id()), reread -> new Reread(reread, cause));
        return busy();
    }

    private Behavior<Command> isDurable(SwapJournal.Held written) {
        held = written;
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
        reread.held().value().flatMap(Function.identity()).ifPresent(this::standsAs);
        answer(new SwapReply.Failed(reread.cause()));
        return idle();
    }

    private void standsAs(SwapJournal.Held found) {
        SwapRow before = row();
        held = found;
        next = new Next.Proceed();
        if (!row().equals(before)) {
            setup.changed().accept(row());
        }
    }

    /** Whether our lock is to leave, or the write that says so may be in the store. */
    private boolean mayHaveLocked() {
        return row().acts().locking()
                || next instanceof Next.Perform perform && perform.step() instanceof Step.SendLock;
    }

    private void answer(SwapReply reply) {
        caller.answer(reply, row(), mayHaveLocked());
    }

    /** Starts a round for the first waiting message that needs one; the others keep waiting. */
    private Behavior<Command> idle() {
        rest();
        return stash.unstashAll(this);
    }

    private void rest() {
        boolean calm = row().status().isTerminal() && row().isSettled() && !row().isMissed();
        timers.startSingleTimer(new Tick(), calm ? setup.pace().multipliedBy(PATIENCE) : setup.pace());
    }

    /** The daemon stops, or a round has failed. */
    private Behavior<Command> onStop(PostStop stop) {
        look.end();
        answer(new SwapReply.Failed(new Unattended()));
        return Behaviors.same();
    }

    /** Logs why one swap waits: once for each reason, and again only after a different reason. */
    public static final class WaitLog {
        private static final Logger LOG = LoggerFactory.getLogger(WaitLog.class);
        /** Ages and depths change with every look, and are no other reason. */
        private static final Pattern FIGURES = Pattern.compile("[0-9]+");

        private static final int LONGEST = 300;

        private String last = "";

        /** Logs a new reason; a look that could not judge the swap changes nothing. */
        void looked(SwapRow row, Legs.View view) {
            if (view.gate().filter(GateVerdict::isOpen).isPresent()) {
                last = "";
            }
            reason(row, view).map(WaitLog::shortened).ifPresent(reason -> tell(row, reason));
        }

        private void tell(SwapRow row, String reason) {
            String kind = FIGURES.matcher(reason).replaceAll("#");
            if (!kind.equals(last)) {
                last = kind;
                LOG.info("swap {} is {} and waits: {}", row.id(), row.status().word(), reason);
            }
        }

        private static Optional<String> reason(SwapRow row, Legs.View view) {
            if (row.status() == SwapStatus.LOCKING && view.permission() instanceof LockPermission.Refused against) {
                return Optional.of("its lock is not wanted any more: " + against.why());
            }
            if (row.status() == SwapStatus.LOCKING && view.permission() instanceof LockPermission.Unjudged unjudged) {
                return view.permission() == LockPermission.NOT_ASKED
                        ? Optional.empty()
                        : Optional.of("whether its lock may leave cannot be judged: " + unjudged.why());
            }
            return view.gate()
                    .filter(gate -> row.acts().locking() && !row.acts().claimJournalled())
                    .flatMap(GateVerdict::closed)
                    .map(why -> "its secret may not leave: " + why);
        }

        private static String shortened(String reason) {
            return reason.length() <= LONGEST ? reason : reason.substring(0, LONGEST) + "...";
        }
    }

    /**
     * Caller that waits for the round under way, if there is one, and its answer. Belongs to the {@link SwapActor}, which alone touches
     * it.
     */
    public static final class Caller {
        private final SwapSetup setup;
        private Optional<SwapQuestion> question = Optional.empty();

        Caller(SwapSetup setup) {
            this.setup = setup;
        }

        void asks(SwapQuestion asked, SwapRow row) {
            question = Optional.of(asked);
            if (asked instanceof SwapQuestion.Execute) {
                setup.book().executing(row);
            }
        }

        /** Whether the failure of this step is what the question came to. */
        boolean waitsFor(Step step) {
            return step instanceof Step.SendLock
                    || step instanceof Step.TakeBack
                            && question.filter(SwapQuestion.Refund.class::isInstance)
                                    .isPresent();
        }

        /**
         * Judges a request in the same round, by the same look, and answers where something speaks against it.
         *
         * @param mayHaveLocked whether our lock is to leave, or the write that says so may be in the store
         * @return the step that was asked for and is not among the swap's own
         */
        Optional<Step> judge(SwapRow row, LatestView look, boolean mayHaveLocked) {
            if (question.isEmpty()) {
                return Optional.empty();
            }
            if (question.get() instanceof SwapQuestion.Execute execute) {
                return execute(execute, row, look, mayHaveLocked);
            }
            againstRefund(row, look.view()).ifPresent(against -> answer(against, row, mayHaveLocked));
            return Optional.empty();
        }

        private Optional<Step> execute(
                SwapQuestion.Execute execute, SwapRow row, LatestView look, boolean mayHaveLocked) {
            if (row.acts().locking()) {
                return Optional.empty();
            }
            Optional<String> against = setup.stopping().getAsBoolean()
                    ? Optional.of("the daemon is being stopped; nothing was sent")
                    : Decision.againstExecuting(row, execute.minimumOut(), look.known(setup));
            if (against.isEmpty()) {
                return Optional.of(new Step.SendLock());
            }
            answer(
                    mayHaveLocked
                            ? new SwapReply.Failed(new IllegalStateException(against.get()))
                            : new SwapReply.NotExecuted(against.get()),
                    row,
                    mayHaveLocked);
            return Optional.empty();
        }

        private static Optional<SwapReply> againstRefund(SwapRow row, Legs.View view) {
            if (view.observation().ownLock().isEmpty()) {
                return Optional.of(new SwapReply.Failed(
                        new IllegalStateException("the chain of our lock could not be looked at")));
            }
            if (!(row.ownLock() instanceof OwnLock.Locked)) {
                return Optional.of(new SwapReply.NothingLocked(row));
            }
            return view.refundDue() ? Optional.empty() : Optional.of(new SwapReply.NotDue(row));
        }

        void answer(SwapReply reply, SwapRow row, boolean mayHaveLocked) {
            question.ifPresent(asked -> {
                boolean isExecute = asked instanceof SwapQuestion.Execute;
                if (isExecute) {
                    setup.book().executed(row);
                }
                boolean unknown = mayHaveLocked && reply instanceof SwapReply.Failed;
                asked.reply().complete(unknown ? asked.unknown(((SwapReply.Failed) reply).cause()) : reply);
            });
            question = Optional.empty();
        }
    }

    /** The swap is not looked after at this moment: the daemon stops, or its actor has failed and is begun again. */
    public static final class Unattended extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        Unattended() {
            super("nobody looks after the swap at this moment");
        }
    }
}
