package org.chainwalletd.spend;

import java.util.Optional;
import java.util.function.Supplier;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Transition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The second half of a {@link Spend}: with a durable intent, from the broadcast to its end. */
final class SentSpend implements BroadcastOutcome.Reader<Step> {
    private static final Logger LOG = LoggerFactory.getLogger(SentSpend.class);

    /** A listing that is full of coins which are spent already must not keep one call busy. */
    private static final int MOST_REBUILT = 4;

    private final Intent intent;
    private final Rebuilding rebuilding;
    private final boolean holdsCoins;
    private final IntentState whenRefused;
    private final boolean sentBefore;

    /**
     * How its payment is built again when another transaction takes a coin of it.
     *
     * @param times how often that was done in this call
     */
    record Rebuilding(SpendEnvironment env, SpendPlan plan, int times) {
        Optional<SpendPlan> insteadOf(Intent lost) {
            return plan.insteadOf(lost, false);
        }

        Step begin(SpendPlan next, Intent lost, String why) {
            return Spend.again(new Rebuilding(env, next, times + 1), lost, false, why);
        }
    }

    /** One that has just become durable. When another one was refused with the same bytes, these have left already. */
    static SentSpend opened(Intent intent, Opening opening, Rebuilding rebuilding) {
        boolean sentBefore = !(opening instanceof Opening.Opened opened) || opened.replaced();
        return new SentSpend(intent, true, intent.state(), sentBefore, rebuilding);
    }

    /** One that is in flight. */
    SentSpend(Intent intent, boolean holdsCoins, Rebuilding rebuilding) {
        this(intent, holdsCoins, intent.state(), rebuilding);
    }

    /**
     * @param before one that has lost against another may have been accepted before: a refusal that says nothing of the other one leaves it
     *     lost
     */
    SentSpend(Intent intent, boolean holdsCoins, IntentState before, Rebuilding rebuilding) {
        this(intent, holdsCoins, before, true, rebuilding);
    }

    private SentSpend(
            Intent intent, boolean holdsCoins, IntentState before, boolean sentBefore, Rebuilding rebuilding) {
        this.rebuilding = rebuilding;
        this.sentBefore = sentBefore;
        this.intent = intent;
        this.holdsCoins = holdsCoins;
        this.whenRefused = before == IntentState.CONFLICTED ? IntentState.CONFLICTED : IntentState.REFUSED;
    }

    Step sending(Act.Earlier earlier) {
        CrashPoint.SPEND_AFTER_INTENT.reached();
        return Step.ask(
                new Act.Send(intent, earlier),
                outcome -> {
                    CrashPoint.SPEND_AFTER_BROADCAST.reached();
                    return ended(outcome);
                },
                failure -> ended(new BroadcastOutcome.Unknown(Broadcast.words(failure))));
    }

    Step ended(BroadcastOutcome outcome) {
        if (!(outcome instanceof BroadcastOutcome.Accepted)) {
            LOG.warn("spend {} was not taken: {}", intent.txId(), outcome);
        }
        return outcome.read(this);
    }

    @Override
    public Step accepted(BroadcastOutcome.Accepted outcome) {
        return Step.end(new Ending.Accepted(intent, holdsCoins));
    }

    /**
     * Another daemon with the same key has made the very same transaction, or the node does not tell the truth. Acknowledged, it might be one
     * transaction for two payments; paid with other coins, one payment of two transactions.
     */
    @Override
    public Step knownBefore(BroadcastOutcome.KnownBefore outcome) {
        SpendException failure = new SpendException(new SpendRefusal.Contested(intent.txId()));
        return Step.ask(
                new Act.RecordContest(intent, "a node had it before it was sent"),
                transition -> {
                    CrashPoint.SPEND_AFTER_OUTCOME.reached();
                    return Step.end(new Ending.Contested(intent, failure));
                },
                notRecorded -> {
                    LOG.error("spend {}: {}", intent.txId(), Broadcast.words(notRecorded));
                    return inFlight(failure);
                });
    }

    /**
     * What has taken the coin may be taken off the chain, and then this one can be mined: its caller is not told that it never will be, where
     * the payment can be made in another way.
     */
    @Override
    public Step conflicted(BroadcastOutcome.Conflicted conflict) {
        Act.RecordFailure act = new Act.RecordFailure(intent, IntentState.CONFLICTED, conflict.text(), true);
        Optional<SpendPlan> next = rebuilding.insteadOf(intent);
        if (next.isEmpty()) {
            return recording(act, new SpendException(new SpendRefusal.DoubleSpend(intent.txId(), conflict.text())));
        }
        SpendException failure = Spend.unknown(intent, conflict.text());
        return rebuilding.times() >= MOST_REBUILT
                ? recording(act, failure)
                : recording(act, failure, () -> lettingGo(next.get(), conflict.text()));
    }

    private Step lettingGo(SpendPlan next, String why) {
        LOG.info("the payment of spend {} is built again", intent.txId());
        return Step.ask(
                new Act.LetGo(intent),
                lost -> rebuilding.begin(next, lost, why),
                failure -> Spend.refused(Spend.unknown(intent, why)));
    }

    /**
     * A token stands for these bytes and no others. Were its coins given back, another payment would choose them, and the token could never
     * pay. A caller without a token cannot ask for it again, so that one hears of a plain refusal when a node's reasons are good.
     */
    @Override
    public Step refused(BroadcastOutcome.Refused refused) {
        return refused.passing() && intent.token().isPresent()
                ? inFlight(Spend.unknown(intent, refused.text()))
                : recordingRefusal(refused.text(), refused.left());
    }

    @Override
    public Step notYet(BroadcastOutcome.NotYet early) {
        return whenRefused == IntentState.CONFLICTED
                ? recordingRefusal(early.text(), true)
                : inFlight(Spend.unknown(intent, early.text()));
    }

    @Override
    public Step unknown(BroadcastOutcome.Unknown unknown) {
        return inFlight(Spend.unknown(intent, unknown.text()));
    }

    private Step inFlight(SpendException failure) {
        return Step.end(new Ending.InFlight(intent, holdsCoins, failure));
    }

    private Step recordingRefusal(String text, boolean left) {
        return recording(
                new Act.RecordFailure(intent, whenRefused, text, left || sentBefore),
                new SpendException(new SpendRefusal.UpstreamFailed(text)));
    }

    /** One that cannot be written down is an unknown outcome: the intent then still says "prepared", will be sent again and may be taken. */
    private Step recording(Act.RecordFailure act, SpendException failure) {
        return recording(act, failure, () -> Step.end(new Ending.Failed(intent, act.state(), failure)));
    }

    /** @param next when it is written down */
    private Step recording(Act.RecordFailure act, SpendException failure, Supplier<Step> next) {
        return Step.ask(act, transition -> recorded(transition, failure, next), notRecorded -> {
            LOG.error("spend {}: {}", intent.txId(), Broadcast.words(notRecorded));
            return inFlight(Spend.unknown(intent, act.reason()));
        });
    }

    /** What was found out about it in the meantime stands, and whoever did looks after it. */
    private Step recorded(Transition transition, SpendException failure, Supplier<Step> next) {
        CrashPoint.SPEND_AFTER_OUTCOME.reached();
        if (!(transition instanceof Transition.Stale stale)) {
            return next.get();
        }
        LOG.info("spend {} has moved on meanwhile: {}", intent.txId(), stale);
        Optional<IntentState> found = stale.found();
        return found.filter(IntentState::succeeded).isPresent()
                ? Step.end(new Ending.FoundPaid(intent))
                : Spend.refused(failure);
    }
}
