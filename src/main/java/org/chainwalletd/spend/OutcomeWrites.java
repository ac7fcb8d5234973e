package org.chainwalletd.spend;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.StoreException;

/** Writes the outcome of a spend to the store, so that neither a failing disk nor an earlier write leaves the wrong state. Stateless. */
final class OutcomeWrites {
    /** States that are overwritten when a block contains the spend, or when its caller was told that it was made. */
    static final Set<IntentState> LOST = EnumSet.of(IntentState.REFUSED, IntentState.CONFLICTED);

    private final SpendEnvironment env;

    OutcomeWrites(SpendEnvironment env) {
        this.env = env;
    }

    /**
     * Records that the spend was accepted, even over a state that closed it as lost just before: its caller is told that it was made.
     *
     * @param signsOff whether nothing in this process sends it any more
     */
    CompletionStage<Transition> accepted(Intent intent, long now, boolean signsOff) {
        Set<IntentState> before = EnumSet.copyOf(LOST);
        before.add(intent.state());
        return env.intents().accept(intent.txId(), before, now, signsOff);
    }

    /**
     * @param left whether a node may have its bytes
     */
    CompletionStage<Transition> failed(Intent intent, IntentState outcome, String reason, boolean left) {
        long now = env.clock().millis();
        return certain(
                left
                        ? env.intents().failSent(intent.txId(), intent.state(), outcome, reason, now)
                        : env.intents().fail(intent.txId(), intent.state(), outcome, reason, now),
                intent,
                outcome);
    }

    CompletionStage<Transition> contested(Intent intent, String reason) {
        return certain(
                env.intents().contest(intent.txId(), reason, env.clock().millis()), intent, IntentState.CONTESTED);
    }

    /**
     * Makes the result of a write certain. A commit whose outcome is unknown can still be in the log: after the next start it would close a
     * spend that until then was watched, and perhaps acknowledged. One more commit resolves the doubt.
     */
    private CompletionStage<Transition> certain(CompletionStage<Transition> write, Intent intent, IntentState outcome) {
        return write.handleAsync(
                        (transition, failure) -> failure != null && isDoubtful(Causes.of(failure))
                                ? settled(intent, outcome, failure)
                                : write,
                        env.executor())
                .thenComposeAsync(Function.identity(), env.executor());
    }

    static boolean isDoubtful(Throwable failure) {
        return failure instanceof StoreException store && store.reason() == StoreException.Reason.UNKNOWN;
    }

    private CompletionStage<Transition> settled(Intent intent, IntentState outcome, Throwable doubt) {
        return env.intents()
                .findForCertain(intent.txId())
                .thenComposeAsync(
                        found -> found.filter(there -> there.state() == outcome).isPresent()
                                ? CompletableFuture.completedFuture(new Transition.Made())
                                : CompletableFuture.failedFuture(Causes.of(doubt)),
                        env.executor());
    }
}
