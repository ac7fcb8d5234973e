package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
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
 * Actor of one swap. Each round observes both chains, writes the observation, decides ({@link Decision}), writes the acts of the next step,
 * performs it, and so on; then the next round follows. Owns the row: no other component writes it while the actor lives. Talks to the journal,
 * which opens the secret only for the moment of a claim, and to the {@link Legs}. Runs one round at a time; questions that arrive meanwhile wait in
 * a stash.
 *
 * <p>After a restart it begins with the stored row. It sends no lock and reveals no secret before it has observed both chains, so a row from an
 * older backup is first brought up to date. When a write fails, or another writer came first, the round ends and the row is read again.
 */
public final class SwapActor extends AbstractBehavior<SwapActor.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapActor.class);
    private static final int MOST_WAITING = 32;
    /** Factor by which swaps that are over are observed less often. */
    private static final int IDLE_FACTOR = 60;

    public sealed interface Command {}

    /** Answered by this actor, or by the engine when the actor ends first. */
    record Ask(SwapQuestion question) implements Command {}

    /** Requests a round because a chain may have changed. */
    record Nudge() implements Command {}

    /** Sent last by the engine; nothing follows. */
    record Stop() implements Command {}

    private record Tick() implements Command {}

    private record Looked(Outcome<Legs.View> view) implements Command {}

    private record Written(Outcome<SwapJournal.Held> held) implements Command {}

    /** @param cause failure of the write that caused the reread */
    private record Reread(Outcome<Optional<SwapJournal.Held>> held, Throwable cause) implements Command {}

    private record Done(Step step, Outcome<Optional<String>> tx) implements Command {}

    private final TimerScheduler<Command> timers;
    private final StashBuffer<Command> stash;
    private final SwapSetup setup;
    private final Runnable over;

    private SwapJournal.Held held;
    private final LatestView look = new LatestView();
    /** Continues the round after the current write. */
    private Supplier<Behavior<Command>> afterWrite = this::proceed;
    /** Step whose beginning was written last. */
    private Optional<Step> begun = Optional.empty();

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

    /** @param over run when the swap need not be watched any more; the engine then ends the actor by {@link Stop} */
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

    /** Busy: in a round, from the observation to the last step. */
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

    /** Over: the swap is not watched any more. Answers questions that were sent before the engine learned this. */
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

    /** Answers a status question from the row during a round; stashes a question that may change the swap until the round has ended. */
    private Behavior<Command> onAskMeanwhile(Ask asked) {
        SwapQuestion question = asked.question();
        if (question instanceof SwapQuestion.Status) {
            question.reply().complete(new SwapReply.Current(row()));
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
        return isOver() ? write(row(), false, this::proceed) : look();
    }

    /** Tests whether the swap is over by an observation of this actor; the row alone may be from an older backup. */
    private boolean isOver() {
        return look.isComplete() && row().isOver(setup.tip().get());
    }

    /** Tests whether this is a quote of this process that was never executed: nothing of it is on any chain, so it needs no observation. */
    private boolean isOurQuote() {
        return row().status() == SwapStatus.QUOTED && row().run().equals(setup.run());
    }

    private Behavior<Command> onQuote() {
        if (setup.now() < row().terms().offer().expiresAt()) {
            rest();
            return this;
        }
        return write(row().with(row().acts().expire(), setup.now()), false, this::proceed);
    }

    private Behavior<Command> look() {
        steps.clear();
        look.begin(setup.now());
        Outcome.pipe(getContext(), setup.legs().look(row()), Looked::new);
        return busy();
    }

    private Behavior<Command> onLooked(Looked looked) {
        return looked.view().fold(this::observed, this::notObserved);
    }

    private Behavior<Command> notObserved(Throwable failure) {
        LOG.warn("swap {}: the chains could not be observed: {}", row().id(), failure.toString());
        problem();
        answer(new SwapReply.Failed(failure));
        return idle();
    }

    private Behavior<Command> observed(Legs.View view) {
        look.observed(view, setup.now());
        SwapRow seen = row().seeing(look.view().observation(), setup.now());
        if (seen.status() == SwapStatus.LOST && row().status() != SwapStatus.LOST) {
            alarm(SwapAlarm.Kind.LOST, SwapRow.LOST);
            seen = seen.failing(Optional.of(SwapRow.LOST), setup.now());
        }
        boolean same = seen.at(setup.tip().get(), setup.now()) == row();
        return same ? decide() : write(seen, true, this::decide);
    }

    private Behavior<Command> decide() {
        waits.looked(row(), look.view());
        Optional<String> problem = problem()
                .or(() -> look.hopeless().filter(hopeless -> row().error().isEmpty()));
        if (problem.isPresent() && !problem.equals(row().error())) {
            return write(row().failing(problem, setup.now()), true, this::decide);
        }
        steps.clear();
        steps.addAll(Decision.next(row(), look.known(setup)));
        steps.forEach(this::alarmOf);
        caller.judge(row(), look, mayHaveLocked()).ifPresent(steps::add);
        return proceed();
    }

    /** Returns the condition that needs an operator's attention, as long as it lasts, even when a chain cannot be observed. */
    private Optional<String> problem() {
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

    /** Begins the next step by writing its acts. */
    private Behavior<Command> proceed() {
        if (steps.isEmpty()) {
            answer(new SwapReply.Current(row()));
            return idle();
        }
        Step step = steps.remove();
        Acts acts = step.begun(row().acts());
        if (acts.equals(row().acts())) {
            return perform(step);
        }
        SwapRow acting = row().with(acts, setup.now());
        Behavior<Command> writing =
                write(acting.failing(step.error(acting), setup.now()), isWatched(step), () -> perform(step));
        begun = Optional.of(step);
        return writing;
    }

    /**
     * Tests whether the swap is still watched after the step. An expired quote of another process is: its row may come from an older backup, and
     * its lock may not have been observed yet.
     */
    private boolean isWatched(Step step) {
        return !(step instanceof Step.Expire) || !row().run().equals(setup.run());
    }

    private Behavior<Command> perform(Step step) {
        CrashPoint.SWAP_BEFORE_STEP.reached(() -> place(step));
        SwapJournal.Held current = held;
        Outcome.pipe(
                getContext(),
                step.perform(
                        setup.legs(),
                        current.row(),
                        use -> setup.journal().withSecret(current, use),
                        step instanceof Step.SendLock
                                ? look.lockStillCounts(setup, current.row())
                                : look.gateStillCounts(setup)),
                tx -> new Done(step, tx));
        return busy();
    }

    /** Qualifier of the crash point in tests: direction and step. */
    private String place(Step step) {
        return row().terms().direction() + ":" + step.getClass().getSimpleName();
    }

    private Behavior<Command> onDone(Done done) {
        CrashPoint.SWAP_AFTER_STEP.reached(() -> place(done.step()));
        return done.tx().fold(tx -> succeeded(done.step(), tx), failure -> failed(done.step(), failure));
    }

    private Behavior<Command> failed(Step step, Throwable failure) {
        LOG.atLevel(Background.levelOf(failure)).log("swap {}: {} failed: {}", row().id(), step, failure.toString());
        if (caller.waitsFor(step)) {
            answer(new SwapReply.Failed(failure));
        }
        return step instanceof Step.Reveal ? claimFailed(failure) : proceed();
    }

    /**
     * Records why a claim failed. The claim may be journalled nevertheless; the next observation shows that, and the reason is then no longer
     * reported.
     */
    private Behavior<Command> claimFailed(Throwable failure) {
        if (Background.isStopped(failure)) {
            return proceed();
        }
        String why = SwapRow.PERMISSION_UNUSED + words(failure);
        alarm(SwapAlarm.Kind.CLAIM_NOT_MADE, why);
        return row().error().equals(Optional.of(why))
                ? proceed()
                : write(row().failing(Optional.of(why), setup.now()), true, this::proceed);
    }

    private static String words(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    private Behavior<Command> succeeded(Step step, Optional<String> tx) {
        Acts acts = row().acts();
        Acts named = tx.map(name -> step.named(acts, name)).orElse(acts);
        return named.equals(acts) ? proceed() : write(row().with(named, setup.now()), true, this::proceed);
    }

    /** Makes the row durable before any act recorded in it is performed. */
    private Behavior<Command> write(SwapRow changed, boolean watched, Supplier<Behavior<Command>> then) {
        afterWrite = then;
        begun = Optional.empty();
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
            answer(new SwapReply.Current(row()));
            over.run();
            return stash.unstashAll(over());
        }
        return afterWrite.get();
    }

    /** Handles the row as read again after a write whose outcome is unknown or that another writer preceded: the store decides. */
    private Behavior<Command> onReread(Reread reread) {
        reread.held().value().flatMap(Function.identity()).ifPresent(this::adopt);
        answer(new SwapReply.Failed(reread.cause()));
        return idle();
    }

    private void adopt(SwapJournal.Held found) {
        SwapRow before = row();
        held = found;
        begun = Optional.empty();
        if (!row().equals(before)) {
            setup.changed().accept(row());
        }
    }

    /** Tests whether our lock is to be sent, or the write that says so may be in the store. */
    private boolean mayHaveLocked() {
        return row().acts().locking()
                || begun.filter(Step.SendLock.class::isInstance).isPresent();
    }

    private void answer(SwapReply reply) {
        caller.answer(reply, row(), mayHaveLocked());
    }

    /** Starts a round for the first stashed message that needs one; the rest stay stashed. */
    private Behavior<Command> idle() {
        rest();
        return stash.unstashAll(this);
    }

    private void rest() {
        boolean calm = row().status().isTerminal() && row().isSettled() && !row().isMissed();
        timers.startSingleTimer(new Tick(), calm ? setup.pace().multipliedBy(IDLE_FACTOR) : setup.pace());
    }

    /** Handles a stop of the daemon or the failure of a round. */
    private Behavior<Command> onStop(PostStop stop) {
        look.end();
        answer(new SwapReply.Failed(new Unattended()));
        return Behaviors.same();
    }

    /** Logs why one swap waits: once for each reason, and again only after a different reason. */
    public static final class WaitLog {
        private static final Logger LOG = LoggerFactory.getLogger(WaitLog.class);
        /** Ages and depths change with each observation and do not make a reason different. */
        private static final Pattern FIGURES = Pattern.compile("[0-9]+");

        private static final int LONGEST = 300;

        private String last = "";

        /** Logs a new reason; an observation that could not evaluate the swap changes nothing. */
        void looked(SwapRow row, Legs.View view) {
            if (view.gate().filter(GateVerdict::isOpen).isPresent()) {
                last = "";
            }
            reason(row, view).map(WaitLog::shortened).ifPresent(reason -> logReason(row, reason));
        }

        private void logReason(SwapRow row, String reason) {
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

    /** Question that the current round serves, if any, and its answer. Confined to the {@link SwapActor}. */
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

        /** Tests whether the failure of this step is the answer to the question. */
        boolean waitsFor(Step step) {
            return step instanceof Step.SendLock
                    || step instanceof Step.TakeBack
                            && question.filter(SwapQuestion.Refund.class::isInstance)
                                    .isPresent();
        }

        /**
         * Judges the question by this round's observation and answers it if there is an objection.
         *
         * @param mayHaveLocked whether our lock is to be sent, or the write that says so may be in the store
         * @return the requested step, if it is not among the steps already decided
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

    /** The swap is not being processed: the daemon is stopping, or the swap's actor has failed and is being restarted. */
    public static final class Unattended extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        Unattended() {
            super("nobody looks after the swap at this moment");
        }
    }
}
