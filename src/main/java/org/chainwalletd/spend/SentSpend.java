package org.chainwalletd.spend;

import java.util.Optional;
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

    private final Intent intent;
    private final boolean holdsCoins;
    private final IntentState whenRefused;
    private final boolean sentBefore;

    /** One that has just become durable. When another one was refused with the same bytes, these have left already. */
    static SentSpend opened(Intent intent, Opening opening) {
        boolean sentBefore = !(opening instanceof Opening.Opened opened) || opened.replaced();
        return new SentSpend(intent, true, intent.state(), sentBefore);
    }

    /** One that is in flight. */
    SentSpend(Intent intent, boolean holdsCoins) {
        this(intent, holdsCoins, intent.state());
    }

    /**
     * @param before one that has lost against another may have been accepted before: a refusal that says nothing of the other one leaves it
     *     lost
     */
    SentSpend(Intent intent, boolean holdsCoins, IntentState before) {
        this(intent, holdsCoins, before, true);
    }

    private SentSpend(Intent intent, boolean holdsCoins, IntentState before, boolean sentBefore) {
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

    @Override
    public Step conflicted(BroadcastOutcome.Conflicted conflict) {
        return recording(
                new Act.RecordFailure(intent, IntentState.CONFLICTED, conflict.text(), true),
                new SpendException(new SpendRefusal.DoubleSpend(intent.txId(), conflict.text())));
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
        return Step.ask(act, transition -> recorded(transition, act, failure), notRecorded -> {
            LOG.error("spend {}: {}", intent.txId(), Broadcast.words(notRecorded));
            return inFlight(Spend.unknown(intent, act.reason()));
        });
    }

    /** What was found out about it in the meantime stands, and whoever did looks after it. */
    private Step recorded(Transition transition, Act.RecordFailure act, SpendException failure) {
        CrashPoint.SPEND_AFTER_OUTCOME.reached();
        if (!(transition instanceof Transition.Stale stale)) {
            return Step.end(new Ending.Failed(intent, act.state(), act.left(), failure));
        }
        LOG.info("spend {} has moved on meanwhile: {}", intent.txId(), stale);
        Optional<IntentState> found = stale.found();
        return found.filter(IntentState::succeeded).isPresent()
                ? Step.end(new Ending.FoundPaid(intent))
                : Spend.refused(failure);
    }
}
