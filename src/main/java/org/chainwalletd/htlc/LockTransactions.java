package org.chainwalletd.htlc;

import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.stage.Causes;

/**
 * Fetches lock transactions. Their bytes are verified by the id, so the first node that returns the right ones suffices; when a node returns false
 * data or lags, the next one is queried.
 */
record LockTransactions(ChainProfile profile, NodeClient node, Executor executor) {
    private static final String NOT_FOUND = "Transaction not found";
    private static final int NODE_INVALID_PARAMS = -32602;

    /** Answers so far: the best bytes, and the reasons for having none. */
    private record Answers(Optional<LockTransaction> found, Optional<String> falseAnswer, Optional<Throwable> failure) {
        private static final Answers NOTHING = new Answers(Optional.empty(), Optional.empty(), Optional.empty());

        private boolean confirmed() {
            return found.map(LockTransaction::confirmed).orElse(false);
        }

        private Answers and(Answers next) {
            return new Answers(
                    next.confirmed() ? next.found : found.or(next::found),
                    falseAnswer.or(next::falseAnswer),
                    failure.or(next::failure));
        }
    }

    /**
     * Returns the transaction that created {@code lock}. Fails with {@link RefusedException} when nodes answered, but none with its bytes; with
     * {@link NodeException} when they do not know it or cannot be queried.
     */
    CompletionStage<LockTransaction> find(Outpoint lock) {
        return ask(node, lock.txId())
                .thenComposeAsync(
                        answers -> answers.confirmed()
                                ? CompletableFuture.completedFuture(answers)
                                : askEach(node.each().iterator(), lock.txId(), answers),
                        executor)
                .thenApplyAsync(answers -> conclude(lock, answers), executor);
    }

    /** Tests whether every node answers that the transaction is in a block, and returns its bytes. */
    CompletionStage<Boolean> isInBlockForAll(Hash256 txId) {
        return Bounded.first(
                        node.each(),
                        one -> ask(one, txId)
                                .thenApplyAsync(
                                        answers -> answers.confirmed() ? Optional.empty() : Optional.of(one), executor),
                        executor)
                .thenApplyAsync(Optional::isEmpty, executor);
    }

    private CompletionStage<Answers> askEach(Iterator<NodeClient> rest, Hash256 txId, Answers answers) {
        if (answers.confirmed() || !rest.hasNext()) {
            return CompletableFuture.completedFuture(answers);
        }
        return ask(rest.next(), txId).thenComposeAsync(answer -> askEach(rest, txId, answers.and(answer)), executor);
    }

    private CompletionStage<Answers> ask(NodeClient at, Hash256 txId) {
        return at.transaction(txId)
                .handleAsync((answer, failure) -> failure == null ? judge(txId, answer) : failed(failure), executor);
    }

    private static Answers failed(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return cause instanceof NodeException.BadAnswer falseAnswer
                ? falseAnswer(falseAnswer.getMessage())
                : new Answers(Optional.empty(), Optional.empty(), Optional.of(cause));
    }

    private Answers judge(Hash256 txId, Optional<NodeClient.NodeTransaction> answer) {
        if (answer.isEmpty()) {
            return Answers.NOTHING;
        }
        try {
            Transaction tx = TransactionCodec.decode(answer.get().bytes().toArray());
            if (TransactionCodec.txId(profile, tx).equals(txId)) {
                LockTransaction found = new LockTransaction(tx, answer.get().blockHeight() != null);
                return new Answers(Optional.of(found), Optional.empty(), Optional.empty());
            }
            return falseAnswer("a node answered with bytes of another transaction");
        } catch (DecodeException e) {
            return falseAnswer("a node answered with bytes that are no transaction");
        }
    }

    private static Answers falseAnswer(String words) {
        return new Answers(Optional.empty(), Optional.of(words), Optional.empty());
    }

    private static LockTransaction conclude(Outpoint lock, Answers answers) {
        if (answers.found().isPresent()) {
            return answers.found().get();
        }
        if (answers.falseAnswer().isPresent()) {
            throw LockTransaction.mismatch(lock, answers.falseAnswer().get());
        }
        throw answers.failure()
                .filter(RuntimeException.class::isInstance)
                .map(RuntimeException.class::cast)
                .orElseGet(() -> new NodeException.Rejected(NODE_INVALID_PARAMS, NOT_FOUND));
    }

    /** Refuses a lock that is not confirmed: only confirmed outputs can be spent (chain protocol, section 11). */
    static void requireConfirmed(Outpoint lock, LockTransaction found) {
        if (!found.confirmed()) {
            throw new SpendException(new SpendRefusal.UpstreamFailed("the lock transaction " + lock.txId()
                    + " is in no block yet, and only confirmed outputs can be spent: retry after the next block;"
                    + " nothing was broadcast"));
        }
    }

    /**
     * Refuses a claim whose lock is neither in a block up to the followed tip nor in a block at all nodes: it would publish its preimage even if
     * the lock is never mined.
     */
    static void requireAgreed(Outpoint lock, boolean agreed) {
        if (!agreed) {
            throw new SpendException(new SpendRefusal.UpstreamFailed("the lock transaction " + lock.txId()
                    + " is in no block up to the followed tip, and the nodes do not agree on it: a claim would publish"
                    + " its preimage; retry in some seconds; nothing was broadcast"));
        }
    }

    /**
     * Transaction whose id was computed from its bytes, which proves the value and script of its outputs.
     *
     * @param confirmed whether a node reports it in a block
     */
    record LockTransaction(Transaction transaction, boolean confirmed) {
        /**
         * Returns the output at {@code lock}, after checking that it is exactly the HTLC of {@code expected} (chain protocol, section 15) and that
         * a spend does not have to supply a datum.
         *
         * @throws RefusedException -32036 when it is another output, or none
         * @throws SpendException when it can never be spent with the given parameters
         */
        TxOutput authenticated(Outpoint lock, HtlcParams expected) {
            TxOutput output = output(lock, expected);
            if (output.datumHash() != null && output.datum() == null) {
                throw new SpendException(new SpendRefusal.BuildFailed("the output " + lock
                        + " commits to a datum by its hash only: whoever spends it must supply the datum as redeemer, which this"
                        + " daemon cannot; nothing was broadcast"));
            }
            return output;
        }

        /**
         * As {@link #authenticated}, but accepts any datum.
         *
         * @throws RefusedException -32036 when it is another output, or none
         */
        TxOutput output(Outpoint lock, HtlcParams expected) {
            if (lock.index() >= transaction.outputs().size()) {
                throw mismatch(
                        lock,
                        "the transaction has only " + transaction.outputs().size() + " outputs");
            }
            TxOutput output = transaction.outputs().get((int) lock.index());
            if (!output.script().equals(HtlcScript.build(expected))) {
                throw mismatch(lock, difference(output.script(), expected));
            }
            return output;
        }

        /** Returns the refusal when the output on the chain is not the described one, or a node answered with other bytes than requested. */
        static RefusedException mismatch(Outpoint lock, String cause) {
            return new RefusedException(
                    ErrorCode.HTLC_OUTPUT_AUTH,
                    "the output " + lock + " is not the HTLC that the parameters describe: " + cause
                            + "; nothing was broadcast");
        }

        /** Names the difference but never the expected value: a wrong preimage stays the caller's. */
        private static String difference(Bytes script, HtlcParams expected) {
            return HtlcScript.recognise(script)
                    .map(actual -> {
                        if (!actual.hashLock().equals(expected.hashLock())) {
                            return "its hash lock is another one (wrong preimage or hash_lock)";
                        }
                        if (actual.timeoutHeight() != expected.timeoutHeight()) {
                            return "its timeout is another one";
                        }
                        return actual.sender().equals(expected.sender())
                                ? "its receiver is another key"
                                : "its sender is another key";
                    })
                    .orElse("its script is no HTLC");
        }
    }
}
