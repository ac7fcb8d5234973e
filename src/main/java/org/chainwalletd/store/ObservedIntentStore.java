package org.chainwalletd.store;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.LostSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.IntentStore.Unconfirmation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps an {@link IntentStore} and reports its changes to a listener. Callers get the store's own stages: they never wait for the listener and do
 * not see its failures. Costs nothing without a listener; otherwise one read per change.
 */
public final class ObservedIntentStore implements IntentStore {
    private static final Logger LOG = LoggerFactory.getLogger(ObservedIntentStore.class);

    private static final int MAX_ELSEWHERE = 1_024;

    private final IntentStore inner;
    private final IntentListener listener;
    private final Executor executor;
    /** Last reported states of spends that other processes change; accessed by one report at a time. */
    private final Map<Hash256, IntentState> reportedElsewhere = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Hash256, IntentState> eldest) {
            return size() > MAX_ELSEWHERE;
        }
    };

    /** Completes when all changes requested so far have been reported. */
    private CompletableFuture<Void> reported = CompletableFuture.completedFuture(null);

    /**
     * Creates the wrapper.
     *
     * @param executor runs the listener; must never block
     */
    public ObservedIntentStore(IntentStore inner, IntentListener listener, Executor executor) {
        this.inner = inner;
        this.listener = listener;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Opening> open(Intent intent, long closedBefore, boolean capped, LongSupplier now) {
        CompletionStage<Opening> opening = inner.open(intent, closedBefore, capped, now);
        report(opening, Opening.Opened.class::isInstance, intent.txId(), IntentState.PREPARED, "");
        return opening;
    }

    @Override
    public CompletionStage<Opening> openBatch(Intent intent, List<Long> payouts, long closedBefore, LongSupplier now) {
        CompletionStage<Opening> opening = inner.openBatch(intent, payouts, closedBefore, now);
        report(opening, Opening.Opened.class::isInstance, intent.txId(), IntentState.PREPARED, "");
        return opening;
    }

    @Override
    public CompletionStage<Transition> loseForGood(Hash256 txId, IntentState before, String reason, long now) {
        return reportMade(inner.loseForGood(txId, before, reason, now), txId, IntentState.CONFLICTED, reason);
    }

    @Override
    public CompletionStage<Optional<Hash256>> lostForGood(Set<Hash256> txIds) {
        return inner.lostForGood(txIds);
    }

    @Override
    public CompletionStage<List<PackedSpend>> refused(Set<Hash256> txIds) {
        return inner.refused(txIds);
    }

    @Override
    public CompletionStage<Opening> reopen(Intent intent, boolean capped, LongSupplier now) {
        CompletionStage<Opening> opening = inner.reopen(intent, capped, now);
        report(opening, Opening.Opened.class::isInstance, intent.txId(), IntentState.PREPARED, "");
        return opening;
    }

    @Override
    public CompletionStage<Adoption> adopt(Hash256 txId) {
        return inner.adopt(txId);
    }

    @Override
    public CompletionStage<Void> signOff(Set<Hash256> txIds) {
        return inner.signOff(txIds);
    }

    @Override
    public Changes changedByOthers() {
        Changes changes = inner.changedByOthers();
        report(changes.spends());
        return changes;
    }

    @Override
    public CompletionStage<Transition> accept(Hash256 txId, Set<IntentState> before, long now, boolean signsOff) {
        return reportMade(inner.accept(txId, before, now, signsOff), txId, IntentState.ACCEPTED, "");
    }

    @Override
    public CompletionStage<Transition> failSent(
            Hash256 txId, IntentState before, IntentState outcome, String reason, long now) {
        return reportMade(inner.failSent(txId, before, outcome, reason, now), txId, outcome, reason);
    }

    @Override
    public CompletionStage<Transition> fail(
            Hash256 txId, IntentState before, IntentState outcome, String reason, long now) {
        return reportMade(inner.fail(txId, before, outcome, reason, now), txId, outcome, reason);
    }

    @Override
    public CompletionStage<Transition> contest(Hash256 txId, String reason, long now) {
        return reportMade(inner.contest(txId, reason, now), txId, IntentState.CONTESTED, reason);
    }

    @Override
    public CompletionStage<Transition> abandon(Hash256 txId, String reason, long now) {
        return reportMade(inner.abandon(txId, reason, now), txId, IntentState.ABANDONED, reason);
    }

    @Override
    public CompletionStage<Transition> recall(Hash256 batch, Intent recall, String reason, LongSupplier now) {
        CompletionStage<Transition> made =
                reportMade(inner.recall(batch, recall, reason, now), batch, IntentState.ABANDONED, reason);
        return reportMade(made, recall.txId(), IntentState.PREPARED, "");
    }

    @Override
    public CompletionStage<Transition> confirm(Hash256 txId, IntentState before, BlockPlace place, long now) {
        return reportMade(inner.confirm(txId, before, place, now), txId, IntentState.CONFIRMED, "");
    }

    private CompletionStage<Transition> reportMade(
            CompletionStage<Transition> transition, Hash256 txId, IntentState state, String reason) {
        report(transition, Transition.Made.class::isInstance, txId, state, reason);
        return transition;
    }

    @Override
    public CompletionStage<Unconfirmation> unconfirm(Hash256 txId, long now) {
        CompletionStage<Unconfirmation> unconfirmation = inner.unconfirm(txId, now);
        // A recalled batch is abandoned again, see the method's documentation.
        for (IntentState state : List.of(IntentState.ACCEPTED, IntentState.ABANDONED)) {
            report(
                    unconfirmation,
                    outcome -> outcome instanceof Unconfirmation.BackInFlight back
                            && back.intent().state() == state,
                    txId,
                    state,
                    "");
        }
        return unconfirmation;
    }

    /** Reports a change after all changes requested before it, whether or not those succeeded. */
    private synchronized <T> void report(
            CompletionStage<T> change, Predicate<? super T> made, Hash256 txId, IntentState state, String reason) {
        if (!listener.isListening()) {
            return;
        }
        CompletionStage<Optional<Intent>> found = change.thenComposeAsync(
                result -> made.test(result) ? inner.find(txId) : CompletableFuture.completedStage(Optional.empty()),
                executor);
        reported = reported.thenCombineAsync(found, (before, intent) -> intent, executor)
                .thenAcceptAsync(intent -> intent.ifPresent(spend -> listener.changed(spend, state, reason)), executor)
                .exceptionallyAsync(
                        failure -> {
                            LOG.debug("state change of {} to {} not reported: {}", txId, state, failure.toString());
                            return null;
                        },
                        executor);
    }

    /** Reports the states that other processes have set. A change that leaves the state as last reported is not reported again. */
    private synchronized void report(List<Changed> others) {
        if (others.isEmpty() || !listener.isListening()) {
            return;
        }
        reported = reported.thenRunAsync(
                        () -> others.stream()
                                .map(Changed::spend)
                                .filter(spend -> reportedElsewhere.put(spend.txId(), spend.state()) != spend.state())
                                .forEach(spend -> listener.changed(spend, spend.state(), spend.reason())),
                        executor)
                .exceptionallyAsync(
                        failure -> {
                            LOG.debug("changes made by other daemons not reported: {}", failure.toString());
                            return null;
                        },
                        executor);
    }

    @Override
    public CompletionStage<List<Intent>> abandonedSince(long since) {
        return inner.abandonedSince(since);
    }

    @Override
    public CompletionStage<Void> bury(List<Hash256> txIds) {
        return inner.bury(txIds);
    }

    @Override
    public CompletionStage<List<LostSpend>> lost(long after, int most) {
        return inner.lost(after, most);
    }

    @Override
    public CompletionStage<List<ConfirmedSpend>> unburied() {
        return inner.unburied();
    }

    @Override
    public CompletionStage<Optional<Intent>> find(Hash256 txId) {
        return inner.find(txId);
    }

    @Override
    public CompletionStage<Optional<Intent>> findForCertain(Hash256 txId) {
        return inner.findForCertain(txId);
    }

    @Override
    public CompletionStage<List<Intent>> inFlight() {
        return inner.inFlight();
    }

    @Override
    public CompletionStage<Optional<Hash256>> openSpendOf(Address address) {
        return inner.openSpendOf(address);
    }

    @Override
    public CompletionStage<Integer> forget(long before, int most, Function<Intent, Optional<Bytes>> answers) {
        return inner.forget(before, most, answers);
    }

    @Override
    public CompletionStage<List<Intent>> inClear(String kind, String tokensBegin, int most) {
        return inner.inClear(kind, tokensBegin, most);
    }

    @Override
    public CompletionStage<Void> seal(Hash256 txId, Bytes sealed) {
        return inner.seal(txId, sealed);
    }

    /** Receives every change of a spend's state once it is durable, in order. */
    public interface IntentListener {
        /** Returns whether a change would be received now. */
        boolean isListening();

        /**
         * Receives a change; must not block.
         *
         * @param intent the spend; its own state may already be a later one
         * @param state the state that it entered
         * @param reason the node's or the operator's message for a state that is not a success; empty otherwise
         */
        void changed(Intent intent, IntentState state, String reason);
    }
}
