package org.chainwalletd.spend;

import java.util.Optional;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Transition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The second half of a {@link Spend}: with a durable intent, from the broadcast to its end. */
final class SentSpend implements BroadcastOutcome.Reader<Step> {
    private static final Logger LOG = LoggerFactory.getLogger(SentSpend.class);

    private final Intent intent;
    private final boolean holdsCoins;
    private final IntentState whenRefused;

    SentSpend(Intent intent, boolean holdsCoins) {
        this(intent, holdsCoins, intent.state());
    }

    /**
     * @param before one that has lost against another may have been accepted before: a refusal that says nothing of the other one leaves it
     *     lost
     */
    SentSpend(Intent intent, boolean holdsCoins, IntentState before) {
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
        SpendException failure = new SpendException(new SpendRefusal.DoubleSpend(intent.txId(), conflict.text()));
        return conflict.certain()
                ? recording(IntentState.CONFLICTED, conflict.text(), failure, failure)
                : inFlight(failure);
    }

    /**
     * A token stands for these bytes and no others. Were its coins given back, another payment would choose them, and the token could never
     * pay. A caller without a token cannot ask for it again, so that one hears of a plain refusal when a node's reasons are good.
     */
    @Override
    public Step refused(BroadcastOutcome.Refused refused) {
        return refused.passing() && intent.token().isPresent()
                ? inFlight(Spend.unknown(intent, refused.text()))
                : recordingRefusal(refused.text());
    }

    @Override
    public Step notYet(BroadcastOutcome.NotYet early) {
        return whenRefused == IntentState.CONFLICTED
                ? recordingRefusal(early.text())
                : inFlight(Spend.unknown(intent, early.text()));
    }

    @Override
    public Step unknown(BroadcastOutcome.Unknown unknown) {
        return inFlight(Spend.unknown(intent, unknown.text()));
    }

    private Step inFlight(SpendException failure) {
        return Step.end(new Ending.InFlight(intent, holdsCoins, failure));
    }

    private Step recordingRefusal(String text) {
        return recording(
                whenRefused,
                text,
                new SpendException(new SpendRefusal.UpstreamFailed(text)),
                Spend.unknown(intent, text));
    }

    /**
     * @param unwritten what the caller hears when this cannot be written: the intent then still says "prepared", will be sent again and may
     *     be taken
     */
    private Step recording(IntentState state, String reason, SpendException failure, SpendException unwritten) {
        return Step.ask(
                new Act.RecordFailure(intent, state, reason),
                transition -> recorded(transition, state, failure),
                notRecorded -> {
                    LOG.error("spend {}: {}", intent.txId(), Broadcast.words(notRecorded));
                    return inFlight(unwritten);
                });
    }

    /** What was found out about it in the meantime stands, and whoever did looks after it. */
    private Step recorded(Transition transition, IntentState state, SpendException failure) {
        CrashPoint.SPEND_AFTER_OUTCOME.reached();
        if (!(transition instanceof Transition.Stale stale)) {
            return Step.end(new Ending.Failed(intent, state, failure));
        }
        LOG.info("spend {} has moved on meanwhile: {}", intent.txId(), stale);
        Optional<IntentState> found = stale.found();
        return found.filter(IntentState::succeeded).isPresent()
                ? Step.end(new Ending.FoundPaid(intent))
                : Spend.refused(failure);
    }
}
