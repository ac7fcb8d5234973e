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

/** Writes down how a spend has ended, so that neither a disk that fails nor who looked after it before has the last word. Stateless. */
final class OutcomeWrites {
    /** What a block has, or a caller was told, outweighs these, which were written down before. */
    static final Set<IntentState> LOST = EnumSet.of(IntentState.REFUSED, IntentState.CONFLICTED);

    private final SpendEnvironment env;

    OutcomeWrites(SpendEnvironment env) {
        this.env = env;
    }

    /** It may have been closed as lost a moment before by who looked after it until now: its caller hears that it was made. */
    CompletionStage<Transition> accepted(Intent intent, long now) {
        Set<IntentState> before = EnumSet.copyOf(LOST);
        before.add(intent.state());
        return env.intents().accept(intent.txId(), before, now);
    }

    /** @param left whether a node may have its bytes */
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
     * A commit of which nobody knows can still be in the log: it would close a spend after the next start that is watched, and perhaps
     * acknowledged, until then. One more commit settles it.
     */
    private CompletionStage<Transition> certain(CompletionStage<Transition> write, Intent intent, IntentState outcome) {
        return write.handleAsync(
                        (transition, failure) -> failure != null && isDoubtful(Causes.of(failure))
                                ? settled(intent, outcome, failure)
                                : write,
                        env.executor())
                .thenComposeAsync(Function.identity(), env.executor());
    }

    private static boolean isDoubtful(Throwable failure) {
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
