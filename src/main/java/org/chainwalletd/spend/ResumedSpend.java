package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A spend that has an intent already, as its token has come again: states by name, as in {@link Spend}, and the same bytes again, never others.
 *
 * <p>It was decided on before: locating → (reacquiring → reopening) → {@link SentSpend}. Its intent is in doubt: retaking → opening →
 * {@link SentSpend}.
 */
final class ResumedSpend {
    private static final Logger LOG = LoggerFactory.getLogger(ResumedSpend.class);

    private final SpendEnvironment env;

    private ResumedSpend(SpendEnvironment env) {
        this.env = env;
    }

    /**
     * A spend that has an intent but no success: what became of it, and the same bytes again. What was said about it before is not repeated
     * but found out anew: coins that were taken then may be free now.
     *
     * @param plan of the same payment
     */
    static Step resume(SpendEnvironment env, SpendPlan plan, Intent intent) {
        return new ResumedSpend(env).new Resumed(plan, intent).beginning();
    }

    /** A spend that has lost, and that no reorganisation is expected to bring back: its payment may be made from any coins. */
    static Step resumeLostForGood(SpendEnvironment env, SpendPlan plan, Intent intent) {
        return plan.insteadOf(intent, true)
                .filter(next -> intent.state() == IntentState.CONFLICTED)
                .map(next -> Spend.again(new SentSpend.Rebuilding(env, next, 0), intent, true, intent.reason()))
                .orElseGet(() -> resume(env, plan, intent));
    }

    /**
     * A spend whose intent may or may not be durable, and was not sent.
     *
     * @param plan for other bytes, when those are known to be nowhere and their coins have gone to another payment
     */
    static Step retry(SpendEnvironment env, SpendPlan plan, Intent intent) {
        return new ResumedSpend(env).new Retried(plan, intent).retaking();
    }

    /** A spend whose intent is in doubt. */
    private final class Retried {
        private final SpendPlan plan;
        private final Intent intent;

        private Retried(SpendPlan plan, Intent intent) {
            this.plan = plan;
            this.intent = intent;
        }

        private Step retaking() {
            return Step.ask(new Act.Retake(intent), this::retaken, Spend::refused);
        }

        /** Another payment has its coins only when nothing of it was written. */
        private Step retaken(Reacquisition answer) {
            if (answer instanceof Reacquisition.Taken) {
                return Spend.begin(env, plan);
            }
            return Step.ask(
                    new Act.Open(intent, plan.isCapped()), this::opened, failure -> Spend.doubtful(intent, failure));
        }

        private Step opened(Opening opening) {
            if (opening instanceof Opening.CapExceeded exceeded) {
                return Spend.refused(new SpendRefusal.AllowanceExceeded(exceeded));
            }
            if (opening instanceof Opening.TokenTaken && !opening.isThere(intent)) {
                return Step.end(new Ending.TokenTaken());
            }
            return opening.isThere(intent)
                    ? SentSpend.opened(intent, opening, new SentSpend.Rebuilding(env, plan, 0))
                            .sending(earlier(opening))
                    : Spend.doubtful(intent, new IllegalStateException("it met another spend: " + opening));
        }

        /** It is sent for the first time, unless somebody else was quicker. */
        private Act.Earlier earlier(Opening opening) {
            boolean first = opening instanceof Opening.Opened opened && !opened.replaced();
            return first && plan.isPayout() ? Act.Earlier.FRESH : Act.Earlier.NOWHERE;
        }
    }

    /** A spend that was decided on before. */
    private final class Resumed {
        private final SpendPlan plan;
        private final Intent intent;
        private final SentSpend.Rebuilding rebuilding;
        private boolean known;

        private Resumed(SpendPlan plan, Intent intent) {
            this.plan = plan;
            this.intent = intent;
            this.rebuilding = new SentSpend.Rebuilding(env, plan, 0);
        }

        /** What nobody could tell then, nobody can tell now. */
        private Step beginning() {
            if (intent.state() == IntentState.CONTESTED) {
                return Spend.refused(new SpendRefusal.Contested(intent.txId()));
            }
            return intent.state().inFlight()
                    ? Step.ask(
                            new Act.TakeBack(intent),
                            ours -> ours
                                    ? locating()
                                    : Spend.refused(Spend.unknown(intent, "it was abandoned a moment ago")),
                            Spend::refused)
                    : locating();
        }

        private Step locating() {
            return Step.ask(new Act.Locate(intent), this::located, this::stillUnknown);
        }

        private Step stillUnknown(Throwable failure) {
            return intent.state().inFlight()
                    ? Step.end(new Ending.InFlight(intent, false, Spend.unknown(intent, Broadcast.words(failure))))
                    : Spend.refused(failure);
        }

        private Step located(Lookup.Whereabouts where) {
            known = where != Lookup.Whereabouts.NOWHERE;
            if (intent.state().inFlight()) {
                return known ? accepted() : new SentSpend(intent, false, rebuilding).sending(Act.Earlier.PERHAPS_SENT);
            }
            return reacquiring();
        }

        private Step accepted() {
            return new SentSpend(intent, false, rebuilding).ended(new BroadcastOutcome.Accepted());
        }

        /** It was closed without success and is needed again: its own coins, or none. */
        private Step reacquiring() {
            return Step.ask(new Act.Reacquire(intent), this::reacquired, Spend::refused);
        }

        private Step reacquired(Reacquisition answer) {
            if (answer instanceof Reacquisition.Taken taken) {
                return taken(taken);
            }
            return reopening();
        }

        /** Another payment of ours has its coins. When a node has this one all the same, it is looked after like any other. */
        private Step taken(Reacquisition.Taken taken) {
            return known ? accepted() : builtAgain(taken).orElseGet(() -> Spend.refused(takenBy(taken)));
        }

        /** One that has lost against a payment of ours. What only waits, or may be mined itself, is waited for. */
        private Optional<Step> builtAgain(Reacquisition.Taken taken) {
            return taken.spent()
                    .filter(coin -> intent.state() == IntentState.CONFLICTED)
                    .flatMap(coin -> rebuilding
                            .insteadOf(intent)
                            .map(next -> rebuilding.begin(next, intent, "a payment of ours has spent " + coin)));
        }

        private SpendRefusal takenBy(Reacquisition.Taken taken) {
            return taken.spent()
                    .<SpendRefusal>map(coin -> new SpendRefusal.DoubleSpend(
                            intent.txId(),
                            "another payment of this daemon has spent its input " + coin + " in a block"))
                    .orElseGet(() -> new SpendRefusal.InFlightExhausted(
                            SpendRefusal.Shortage.ofTaken(Receipt.of(intent), taken.coins())));
        }

        /** When a node has it, it counts, whatever the allowance is. */
        private Step reopening() {
            return Step.ask(new Act.Reopen(intent, plan.isCapped() && !known), this::reopened, this::notWritten);
        }

        private Step reopened(Opening opening) {
            if (!(opening instanceof Opening.Opened)) {
                return notReopened(new SpendException(collision(opening)));
            }
            Intent open = intent.in(IntentState.PREPARED, "", env.clock().millis());
            SentSpend sent = new SentSpend(open, true, intent.state(), rebuilding);
            return known ? sent.ended(new BroadcastOutcome.Accepted()) : sent.sending(earlier());
        }

        /** What the operator gave up was in flight: a node that is silent now may have it. Of all others every answer was heard. */
        private Act.Earlier earlier() {
            return intent.state() == IntentState.ABANDONED ? Act.Earlier.PERHAPS_SENT : Act.Earlier.NOWHERE;
        }

        private SpendRefusal collision(Opening opening) {
            if (opening instanceof Opening.CoinTaken taken) {
                return new SpendRefusal.InFlightExhausted(
                        SpendRefusal.Shortage.ofTaken(Receipt.of(intent), List.of(taken.coin())));
            }
            if (opening instanceof Opening.CapExceeded exceeded) {
                return new SpendRefusal.AllowanceExceeded(exceeded);
            }
            if (opening instanceof Opening.SameTransaction) {
                return new SpendRefusal.DoubleSpend(
                        intent.txId(), "its transaction is the payment of another client_token by now");
            }
            return new SpendRefusal.OutcomeUnknown(
                    intent.txId(), intent.token().isPresent(), "it has moved on meanwhile: " + opening);
        }

        /** When the store cannot be written but a node has the transaction, the payment is made, and that is written down later. */
        private Step notWritten(Throwable failure) {
            LOG.warn("spend {} cannot be opened again: {}", intent.txId(), Broadcast.words(failure));
            if (known) {
                return accepted();
            }
            if (!Spend.isDoubtful(failure)) {
                return notReopened(failure);
            }
            return intent.state() == IntentState.ABANDONED
                    ? notReopened(Spend.unknown(intent, Broadcast.words(failure)))
                    : Spend.doubtful(intent, failure);
        }

        /**
         * When another token has made the very same transaction its own meanwhile, that one is its payment and not this token's, even though a
         * node has it.
         */
        private Step notReopened(Throwable failure) {
            return intent.state() == IntentState.ABANDONED
                    ? Step.end(new Ending.StaysAbandoned(intent, failure))
                    : Spend.refused(failure);
        }
    }
}
