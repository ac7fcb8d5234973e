package org.chainwalletd.spend;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Adoption;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a spend that already has an intent, because its token was used again. Each method is a state, as in {@link Spend}. It sends the same
 * bytes again, never different ones.
 *
 * <p>Intent that was closed or is in flight: (adopting) → locating → (reacquiring → reopening) → {@link Spend.Sent}. Intent in doubt:
 * retaking → opening → {@link Spend.Sent}.
 */
final class ResumedSpend {
    private static final Logger LOG = LoggerFactory.getLogger(ResumedSpend.class);

    /** Maximum time a call waits for another process that runs its spend. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);

    private final SpendRunner runner;
    private final SpendPlan plan;
    private final Intent intent;
    private final long startNanos = System.nanoTime();
    /** Whether a node has the transaction. */
    private boolean known;

    private ResumedSpend(SpendRunner runner, SpendPlan plan, Intent intent) {
        this.runner = runner;
        this.plan = plan;
        this.intent = intent;
    }

    /**
     * Resumes a spend that has an intent but no success: determines its outcome, and sends the same bytes again. The earlier answer is not
     * repeated, because coins that were taken then may be free now.
     *
     * @param plan plan of the same payment
     */
    static void resume(SpendRunner runner, SpendPlan plan, Intent intent) {
        new ResumedSpend(runner, plan, intent).beginning();
    }

    /** Resumes a lost spend that no reorganisation is expected to bring back: its payment may be made from any coins. */
    static void resumeLostForGood(SpendRunner runner, SpendPlan plan, Intent intent) {
        plan.insteadOf(intent, true)
                .filter(next -> intent.state() == IntentState.CONFLICTED)
                .ifPresentOrElse(
                        next -> Spend.again(runner, next, 0, new Spend.Lost(intent, true, intent.reason())),
                        () -> resume(runner, plan, intent));
    }

    /**
     * Resumes a spend whose intent may or may not be durable, and which was not sent.
     *
     * @param plan plan for different bytes, used when the first intent was certainly not written and another payment has its coins
     */
    static void retry(SpendRunner runner, SpendPlan plan, Intent intent) {
        ResumedSpend retried = new ResumedSpend(runner, plan, intent);
        runner.ask(() -> runner.retake(intent), retried::retaken, runner::refused);
    }

    /**
     * Continues with the same coins, or with a new spend: another payment can have the coins only when nothing of this one was written. A
     * spend that may not be sent any more stays in doubt, because the store may have it.
     */
    private void retaken(Reservations.Reacquisition answer) {
        if (answer instanceof Reservations.Reacquisition.Taken) {
            Spend.begin(runner, plan);
        } else if (!plan.mayBegin()) {
            inDoubt(new SpendException(notWanted()));
        } else if (answer instanceof Reservations.Reacquisition.Reacquired) {
            runner.ask(() -> runner.open(intent, List.of(), plan.isCapped()), this::opened, this::inDoubt);
        }
    }

    /** Does not say that nothing was broadcast: an earlier attempt, or another daemon that took it over, may have sent it. */
    private static SpendRefusal notWanted() {
        return new SpendRefusal.BuildFailed("its owner does not want it any more; it was not sent again");
    }

    private void inDoubt(Throwable failure) {
        runner.doubtful(intent, unknown(failure));
    }

    private SpendException unknown(Throwable failure) {
        return SpendRunner.unknown(intent, Broadcast.messageOf(failure));
    }

    /** Sends the transaction for the first time, unless a concurrent call came first. */
    private void opened(Opening opening) {
        if (opening instanceof Opening.CapExceeded exceeded) {
            runner.refused(SpendRefusal.of(exceeded));
            return;
        }
        if (opening instanceof Opening.Ended) {
            runner.refused(Spend.ended());
            return;
        }
        if (opening instanceof Opening.TokenTaken && !opening.isThere(intent)) {
            runner.tokenTaken();
            return;
        }
        if (!opening.isThere(intent)) {
            inDoubt(new IllegalStateException("it met another spend: " + opening));
            return;
        }
        if (opening instanceof Opening.Opened opened) {
            boolean first = !opened.replaced();
            Spend.Sent.opened(runner, intent, opening, plan, 0)
                    .sending(first && plan.isPayout() ? Broadcast.Earlier.FRESH : Broadcast.Earlier.NOWHERE);
            return;
        }
        // The row may belong to another process that built the identical transaction for the same token.
        runner.ask(
                () -> runner.adopt(intent),
                adoption -> {
                    if (adoption instanceof Adoption.Ours) {
                        Spend.Sent.opened(runner, intent, opening, plan, 0).sending(Broadcast.Earlier.NOWHERE);
                    } else {
                        adopted(adoption);
                    }
                },
                this::notAdopted);
    }

    /** Chooses the first state. A contested spend stays refused: which payment it belongs to could not be determined then and cannot be now. */
    private void beginning() {
        if (intent.state() == IntentState.CONTESTED) {
            runner.refused(new SpendRefusal.Contested(intent.txId()));
        } else if (intent.state().inFlight()) {
            runner.ask(() -> runner.takeBack(intent), this::takenBack, runner::refused);
        } else {
            locating();
        }
    }

    private void takenBack(boolean ours) {
        if (ours) {
            adopting();
        } else {
            runner.refused(SpendRunner.unknown(intent, "it was abandoned a moment ago"));
        }
    }

    /** Takes the spend over before anything is sent. */
    private void adopting() {
        runner.ask(() -> runner.adopt(intent), this::adopted, this::notAdopted);
    }

    private void notAdopted(Throwable failure) {
        runner.inFlight(intent, false, unknown(failure));
    }

    /** Leaves a spend that another process is sending to that process, and waits for its outcome or until that process no longer responds. */
    private void adopted(Adoption adoption) {
        if (adoption instanceof Adoption.Ours) {
            locating();
        } else if (adoption instanceof Adoption.Moved || System.nanoTime() - startNanos < MAX_WAIT.toNanos()) {
            runner.ask(runner::pause, done -> rereading(), this::notAdopted);
        } else {
            runner.inFlight(intent, false, SpendRunner.unknown(intent, "another daemon is sending it"));
        }
    }

    private void rereading() {
        runner.ask(() -> runner.find(intent), this::reread, this::notAdopted);
    }

    private void reread(Optional<Intent> found) {
        Optional<IntentState> state = found.map(Intent::state);
        if (state.filter(IntentState::succeeded).isPresent()) {
            runner.foundPaid(found.get());
        } else if (state.filter(IntentState::inFlight).isPresent()) {
            adopting();
        } else {
            // Looks up again which spend the token is bound to by now.
            runner.tokenTaken();
        }
    }

    private void locating() {
        runner.ask(() -> runner.locate(intent), this::located, failure -> {
            if (intent.state().inFlight()) {
                runner.inFlight(intent, false, unknown(failure));
            } else {
                runner.refused(failure);
            }
        });
    }

    private void located(Lookup.Location where) {
        known = where != Lookup.Location.NOWHERE;
        if (!intent.state().inFlight()) {
            reacquiring();
        } else if (known) {
            accepted();
        } else {
            sent(intent, false).sending(Broadcast.Earlier.PERHAPS_SENT);
        }
    }

    private Spend.Sent sent(Intent open, boolean holdsCoins) {
        return Spend.Sent.earlier(runner, open, plan, holdsCoins, intent.state());
    }

    private void accepted() {
        sent(intent, false).accepted();
    }

    /** Takes the coins of a spend that was closed without success: exactly its own, or none. */
    private void reacquiring() {
        runner.ask(() -> runner.reacquire(intent), this::reacquired, runner::refused);
    }

    private void reacquired(Reservations.Reacquisition answer) {
        if (answer instanceof Reservations.Reacquisition.Taken taken) {
            taken(taken);
        } else if (!known && !plan.mayBegin()) {
            runner.refused(notWanted());
        } else if (answer instanceof Reservations.Reacquisition.Reacquired) {
            // A transaction that a node has counts as paid, regardless of the allowance.
            runner.ask(() -> runner.reopen(intent, plan.isCapped() && !known), this::reopened, this::notWritten);
        }
    }

    /**
     * Handles that another payment of ours has the coins. If a node has this spend nevertheless, it is followed like any other. If it has
     * lost against a payment of ours in a block, the payment is rebuilt. If the conflicting payment is only in flight, or this spend may
     * still be mined, it is not rebuilt; its caller is refused.
     */
    private void taken(Reservations.Reacquisition.Taken taken) {
        Optional<SpendPlan> next = taken.spent()
                .filter(coin -> intent.state() == IntentState.CONFLICTED)
                .flatMap(coin -> plan.insteadOf(intent, false));
        if (known) {
            recordingAcceptance();
        } else if (next.isPresent()) {
            String why = "a payment of ours has spent " + taken.spent().get();
            Spend.again(runner, next.get(), 1, new Spend.Lost(intent, false, why));
        } else {
            runner.refused(takenBy(taken));
        }
    }

    /**
     * Records that a node has the transaction before the caller is told: the holder of the coins may be about to make the identical payment
     * for another token, and only a payment recorded in the store is not made again.
     */
    private void recordingAcceptance() {
        Consumer<Throwable> undecided = failure -> runner.refused(unknown(failure));
        runner.ask(() -> runner.recordFound(intent), written -> acceptedUnlessLost(undecided), undecided);
    }

    /**
     * Answers with the transaction, which a node has, unless another token is bound to it by now.
     *
     * @param undecided receives the failure when the store cannot be read
     */
    private void acceptedUnlessLost(Consumer<Throwable> undecided) {
        runner.ask(
                () -> runner.find(intent),
                found -> {
                    if (found.filter(row -> row.token().equals(intent.token())).isPresent()) {
                        accepted();
                    } else {
                        found.ifPresent(runner::handBack);
                        runner.tokenTaken();
                    }
                },
                undecided);
    }

    private SpendRefusal takenBy(Reservations.Reacquisition.Taken taken) {
        return taken.spent()
                .<SpendRefusal>map(coin -> new SpendRefusal.DoubleSpend(
                        intent.txId(), "another payment of this daemon has spent its input " + coin + " in a block"))
                .orElseGet(() -> new SpendRefusal.InFlightExhausted(
                        SpendRefusal.Shortage.ofTaken(Receipt.of(intent), taken.coins())));
    }

    private void reopened(Opening opening) {
        if (!(opening instanceof Opening.Opened)) {
            notReopened(new SpendException(collision(opening)));
            return;
        }
        Spend.Sent sent =
                sent(intent.in(IntentState.PREPARED, "", runner.env().clock().millis()), true);
        if (known) {
            sent.accepted();
        } else {
            // A spend that the operator abandoned was in flight: a node that does not answer now may have it. For all
            // others, every node's answer is known.
            sent.sending(
                    intent.state() == IntentState.ABANDONED
                            ? Broadcast.Earlier.PERHAPS_SENT
                            : Broadcast.Earlier.NOWHERE);
        }
    }

    private SpendRefusal collision(Opening opening) {
        if (opening instanceof Opening.CoinTaken taken) {
            return new SpendRefusal.InFlightExhausted(
                    SpendRefusal.Shortage.ofTaken(Receipt.of(intent), List.of(taken.coin())));
        }
        if (opening instanceof Opening.CapExceeded exceeded) {
            return SpendRefusal.of(exceeded);
        }
        if (opening instanceof Opening.SameTransaction) {
            return new SpendRefusal.DoubleSpend(
                    intent.txId(), "its transaction is the payment of another client_token by now");
        }
        return new SpendRefusal.OutcomeUnknown(
                intent.txId(), intent.token().isPresent(), "it has moved on meanwhile: " + opening);
    }

    /**
     * Handles that the intent could not be reopened. If a node has the transaction, the payment is made nevertheless, and that is recorded
     * later.
     */
    private void notWritten(Throwable failure) {
        LOG.warn("spend {} cannot be reopened: {}", intent.txId(), Broadcast.messageOf(failure));
        if (known) {
            acceptedUnlessLost(unread -> notDecided(failure));
        } else {
            notDecided(failure);
        }
    }

    private void notDecided(Throwable failure) {
        if (!StoreException.isDoubtful(failure)) {
            notReopened(failure);
        } else if (intent.state() == IntentState.ABANDONED) {
            notReopened(unknown(failure));
        } else {
            inDoubt(failure);
        }
    }

    /**
     * Ends because the intent was not reopened. If another token has taken the identical transaction meanwhile, it is the payment of that
     * token and not of this one, even though a node has it.
     */
    private void notReopened(Throwable failure) {
        if (intent.state() == IntentState.ABANDONED) {
            runner.staysAbandoned(intent, failure);
            return;
        }
        runner.ask(
                () -> runner.find(intent),
                found -> {
                    found.ifPresent(runner::handBack);
                    runner.refused(failure);
                },
                unread -> runner.refused(failure));
    }
}
