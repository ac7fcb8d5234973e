package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.StandIns;

/**
 * Shows the bytes of a durable intent to every node that says it has them not, when its owner asks for it. Some spends only their owner sends
 * again: the {@link SpendMonitor} watches them as all others, and finds them in blocks, but leaves it to the owner whether nodes that have
 * forgotten one are shown it once more. Which ones these are is told by their kind, which is durable with the intent, so that it holds after a
 * restart before the owner is there. Changes nothing that is remembered of a spend. Stateless.
 */
public final class OwnerRebroadcasts {
    /** Our lock of a swap: it goes out again only while what spoke for it at first still does. */
    public static final String SWAP_LOCK = StandIns.SWAP_LOCK;

    private static final Set<String> KINDS = Set.of(SWAP_LOCK);
    private static final int AT_ONCE = 8;

    /**
     * What the nodes say of a spend after those that lacked it were shown its bytes.
     *
     * @param somewhere whether some node has it, in its mempool or, as it says, in a block
     * @param refusals the words of those that would not have it, for what the transaction is
     */
    public record Answer(boolean somewhere, List<String> refusals) {
        public Answer {
            refusals = List.copyOf(refusals);
        }

        /** Whether no node has it and one at least has said that it does not want it. */
        public boolean isRefused() {
            return !somewhere && !refusals.isEmpty();
        }
    }

    private final NodeClient node;
    private final Lookup lookup;
    private final Executor executor;

    OwnerRebroadcasts(NodeClient node, Lookup lookup, Executor executor) {
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
    CompletionStage<Answer> everywhere(Intent intent) {
        List<NodeClient> all = node.each();
        return lookup.sight(intent.txId())
                .thenComposeAsync(
                        sighting -> Bounded.each(
                                        sighting.lacking(), AT_ONCE, index -> show(all.get(index), intent), executor)
                                .thenApplyAsync(
                                        shown -> answer(
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

    private static Answer answer(boolean known, List<Shown> shown) {
        boolean somewhere = known;
        List<String> refusals = new ArrayList<>();
        for (Shown one : shown) {
            somewhere |= one.taken();
            if (!one.refusal().isEmpty()) {
                refusals.add(one.refusal());
            }
        }
        return new Answer(somewhere, refusals);
    }

    /** Whether spends of this kind are only sent again by their owner. */
    static boolean areFor(String kind) {
        return KINDS.contains(kind);
    }
}
