package org.chainwalletd.spend;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.StandIns;

/**
 * Sends the bytes of a durable intent to every node that reports that it lacks them, when the owner of the spend asks for it. Some kinds of
 * spends are rebroadcast only by their owner: the {@link SpendMonitor} watches them like all others and finds them in blocks, but leaves it
 * to the owner whether nodes that have forgotten one get it again. The kind is durable with the intent, so it is known after a restart
 * before the owner has started. Does not change the stored state of a spend, except that it takes over its sending. Stateless.
 */
public final class OwnerRebroadcasts {
    /** Kind of our lock of a swap: it is rebroadcast only while its original reasons still hold. */
    public static final String SWAP_LOCK = StandIns.SWAP_LOCK;

    private static final int AT_ONCE = 8;

    /**
     * Answers of the nodes after the bytes were sent to those that lacked a spend.
     *
     * @param somewhere whether some node has it, in its mempool or, as it claims, in a block
     * @param refusals texts of nodes that refused the transaction as such
     */
    public record Answer(boolean somewhere, List<String> refusals) {
        public Answer {
            refusals = List.copyOf(refusals);
        }

        /** Whether no node has it and at least one has refused it. */
        public boolean isRefused() {
            return !somewhere && !refusals.isEmpty();
        }
    }

    private static final Answer ACCEPTED = new Answer(true, List.of());

    private final NodeClient node;
    private final Lookup lookup;
    private final IntentStore intents;
    private final Executor executor;
    private final RunningSends running;

    OwnerRebroadcasts(NodeClient node, Broadcast broadcast, IntentStore intents, Executor executor) {
        this.node = node;
        this.lookup = broadcast.lookup();
        this.running = broadcast.running();
        this.intents = intents;
        this.executor = executor;
    }

    /** Sends the bytes to every node that lacks them; fails when no node has answered. */
    CompletionStage<Answer> everywhere(Intent intent) {
        running.begin(intent.txId());
        return begun(intent).whenCompleteAsync((answer, failure) -> running.end(intent.txId()), executor);
    }

    private CompletionStage<Answer> begun(Intent intent) {
        List<NodeClient> all = node.each();
        return lookup.sight(intent.txId())
                .thenComposeAsync(
                        sighting -> sighting.lacking().isEmpty()
                                ? CompletableFuture.completedFuture(sighting)
                                : adopted(intent, sighting),
                        executor)
                .thenComposeAsync(
                        sighting -> Bounded.each(
                                        sighting.lacking(), AT_ONCE, index -> show(all.get(index), intent), executor)
                                .thenApplyAsync(
                                        answers -> answer(
                                                sighting.waiting()
                                                        || sighting.block().isPresent(),
                                                answers),
                                        executor),
                        executor);
    }

    /**
     * Takes the spend over in the store before its bytes are sent. Nothing is sent if another process sends the spend, or it is no longer
     * in flight.
     */
    private CompletionStage<Lookup.Sighting> adopted(Intent intent, Lookup.Sighting sighting) {
        return intents.adopt(intent.txId())
                .thenApplyAsync(
                        adoption -> adoption instanceof IntentStore.Adoption.Ours
                                ? sighting
                                : new Lookup.Sighting(sighting.waiting(), sighting.block(), List.of()),
                        executor);
    }

    private CompletionStage<Answer> show(NodeClient one, Intent intent) {
        return one.sendRawTransaction(intent.transaction())
                .handleAsync((txId, failure) -> failure == null ? ACCEPTED : answerTo(failure), executor);
    }

    private static Answer answerTo(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (Broadcast.isThereAlready(cause)) {
            return ACCEPTED;
        }
        return cause instanceof NodeException.Rejected rejected
                        && Broadcast.isRefusal(rejected)
                        && isAboutTransaction(rejected.text())
                ? new Answer(false, List.of(rejected.text()))
                : new Answer(false, List.of());
    }

    /**
     * Whether a refusal is about the transaction as such. A refusal about an input is not: a lagging node does not know the input yet, and
     * would refuse any other transaction with that input too. A refusal without text says nothing.
     */
    private static boolean isAboutTransaction(String refusal) {
        return !refusal.isEmpty() && !Broadcast.isTemporary(refusal) && !Broadcast.isAboutInput(refusal);
    }

    private static Answer answer(boolean known, List<Answer> answers) {
        return new Answer(
                known || answers.stream().anyMatch(Answer::somewhere),
                answers.stream().flatMap(one -> one.refusals().stream()).toList());
    }

    /** Whether spends of this kind are rebroadcast only by their owner. */
    static boolean areFor(String kind) {
        return kind.equals(SWAP_LOCK);
    }
}
