package org.chainwalletd.spend;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;

/** Offers bytes that one node has refused to every single node: the refusal of one closes nothing while another may take them. For one use. */
final class SecondOpinion {
    private static final int AT_ONCE = 8;

    /**
     * Result of the offers.
     *
     * @param taken whether a node has the transaction now; the rest is then meaningless
     * @param refused whether a node that could have taken it did not
     * @param lost whether a node whose answer was lost may have it
     */
    record Opinion(boolean taken, boolean refused, boolean lost) {}

    private final Hash256 txId;
    private final Bytes transaction;
    private final Lookup lookup;
    private final Executor executor;
    private final List<NodeClient> all;
    private final Iterator<NodeClient> rest;
    private boolean refused;
    private boolean lost;

    SecondOpinion(Hash256 txId, Bytes transaction, List<NodeClient> all, Lookup lookup, Executor executor) {
        this.txId = txId;
        this.transaction = transaction;
        this.lookup = lookup;
        this.executor = executor;
        this.all = all;
        this.rest = all.iterator();
    }

    /** Offers the bytes to all nodes. Never fails. */
    CompletionStage<Opinion> ask() {
        return rest.hasNext() ? offer(rest.next(), this::ask) : done(false);
    }

    /**
     * Offers the bytes to the nodes that are shown to have the blocks of all inputs: a node has said that an input is missing or too young, and a
     * node without these blocks lags (following.md, section 2). Never fails.
     */
    CompletionStage<Opinion> askThoseWithInputs() {
        if (!rest.hasNext()) {
            return done(false);
        }
        NodeClient next = rest.next();
        return hasBlocksOfInputs(next)
                .thenComposeAsync(has -> has ? offer(next, this::askThoseWithInputs) : askThoseWithInputs(), executor);
    }

    private CompletionStage<Opinion> done(boolean taken) {
        return CompletableFuture.completedFuture(new Opinion(taken, refused, lost));
    }

    private CompletionStage<Boolean> hasBlocksOfInputs(NodeClient one) {
        List<Hash256> parents = TransactionCodec.decode(transaction.toArray()).inputs().stream()
                .map(Outpoint::txId)
                .distinct()
                .toList();
        return Bounded.each(parents, AT_ONCE, parent -> lookup.at(one, parent), executor)
                .handleAsync(
                        (places, failure) -> failure == null
                                && places.stream().allMatch(place -> place == Lookup.Whereabouts.CONFIRMED),
                        executor);
    }

    /** Continuation of the question with the next node. */
    private interface Next {
        CompletionStage<Opinion> ask();
    }

    /** Offers the bytes to one node, unless it is the only one, which has just refused them. */
    private CompletionStage<Opinion> offer(NodeClient one, Next next) {
        if (all.size() == 1) {
            refused = true;
            return next.ask();
        }
        return one.sendRawTransaction(transaction)
                .handleAsync((answer, failure) -> offered(answer, Causes.of(failure), next), executor)
                .thenComposeAsync(opinion -> opinion, executor);
    }

    private CompletionStage<Opinion> offered(Hash256 answer, Throwable failure, Next next) {
        if (txId.equals(answer) || Broadcast.isThereAlready(failure)) {
            return done(true);
        }
        if (failure instanceof NodeException.Rejected rejected) {
            refused = true;
            lost |= !rejected.onlyAttempt();
        } else if (!(failure instanceof NodeException.WrongChain)) {
            lost |= !(failure instanceof NodeException.Unreachable silent) || silent.mayHaveArrived();
        }
        return next.ask();
    }
}
