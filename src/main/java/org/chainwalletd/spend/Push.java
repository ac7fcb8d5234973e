package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Intent;

/** Shows the bytes of a durable intent to every node that says it has them not. Changes nothing that is remembered of it. Stateless. */
final class Push {
    private static final int AT_ONCE = 8;

    private final NodeClient node;
    private final Lookup lookup;
    private final Executor executor;

    Push(NodeClient node, Lookup lookup, Executor executor) {
        this.node = node;
        this.lookup = lookup;
        this.executor = executor;
    }

    /**
     * What one node made of the bytes; neither when it gave no answer that counts.
     *
     * @param refusal empty when there was none
     */
    private record Shown(boolean taken, String refusal) {
        private static final Shown TAKEN = new Shown(true, "");
        private static final Shown SILENT = new Shown(false, "");
    }

    /** Fails when no node has answered. */
    CompletionStage<Pushed> everywhere(Intent intent) {
        List<NodeClient> all = node.each();
        return lookup.sight(intent.txId())
                .thenComposeAsync(
                        sighting -> Bounded.each(
                                        sighting.lacking(), AT_ONCE, index -> show(all.get(index), intent), executor)
                                .thenApplyAsync(
                                        shown -> pushed(
                                                sighting.waiting()
                                                        || sighting.block().isPresent(),
                                                shown),
                                        executor),
                        executor);
    }

    private CompletionStage<Shown> show(NodeClient one, Intent intent) {
        return one.sendRawTransaction(intent.transaction())
                .handleAsync((txId, failure) -> failure == null ? Shown.TAKEN : heard(failure), executor);
    }

    private static Shown heard(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (Broadcast.isThereAlready(cause)) {
            return Shown.TAKEN;
        }
        return cause instanceof NodeException.Rejected rejected && isForWhatItIs(rejected.text())
                ? new Shown(false, rejected.text())
                : Shown.SILENT;
    }

    /** A node that lags does not know an input yet, and no other transaction of the same input would please it either. */
    private static boolean isForWhatItIs(String refusal) {
        return !Broadcast.isPassing(refusal) && !Broadcast.isAboutInput(refusal);
    }

    private static Pushed pushed(boolean known, List<Shown> shown) {
        boolean somewhere = known;
        List<String> refusals = new ArrayList<>();
        for (Shown one : shown) {
            somewhere |= one.taken();
            if (!one.refusal().isEmpty()) {
                refusals.add(one.refusal());
            }
        }
        return new Pushed(somewhere, refusals);
    }
}
