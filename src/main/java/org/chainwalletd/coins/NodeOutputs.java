package org.chainwalletd.coins;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.coins.VerifiedOutputs.Finding;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeClient.NodeTransaction;
import org.chainwalletd.stage.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the bytes of transactions from nodes, by {@code get_transaction}, which counts against no quota. If a node does not know a
 * transaction, or answers with other bytes, the next node is asked: the bytes are verified by their id, no matter which node sends them.
 */
final class NodeOutputs {
    private static final Logger LOG = LoggerFactory.getLogger(NodeOutputs.class);
    private static final int WIDTH = 8;

    private final ChainProfile profile;
    private final NodeClient node;
    private final Executor executor;

    NodeOutputs(ChainProfile profile, NodeClient node, Executor executor) {
        this.profile = profile;
        this.node = node;
        this.executor = executor;
    }

    /** Transaction, or the reason why it cannot be fetched. */
    private record Read(Hash256 txId, Transaction tx, String why) {}

    /** Returns a finding for each of {@code wanted}. Never fails. */
    CompletionStage<Map<Outpoint, Finding>> find(Set<Outpoint> wanted) {
        List<Hash256> transactions =
                wanted.stream().map(Outpoint::txId).distinct().toList();
        return Bounded.each(transactions, WIDTH, this::read, executor)
                .thenApplyAsync(read -> findings(wanted, read), executor);
    }

    private static Map<Outpoint, Finding> findings(Set<Outpoint> wanted, List<Read> all) {
        Map<Hash256, Read> byId = new HashMap<>();
        all.forEach(read -> byId.put(read.txId(), read));
        Map<Outpoint, Finding> findings = new HashMap<>();
        for (Outpoint outpoint : wanted) {
            Read read = byId.get(outpoint.txId());
            findings.put(
                    outpoint,
                    read.tx() == null
                            ? new Finding.OutOfReach(read.why())
                            : VerifiedOutputs.output(outpoint, read.tx()));
        }
        return findings;
    }

    /** Asks the next node in turn, then, if it does not provide the right bytes, each of the others. */
    private CompletionStage<Read> read(Hash256 txId) {
        List<NodeClient> all = node.each();
        return ask(node, txId)
                .thenComposeAsync(
                        read -> read.tx() != null || all.size() < 2
                                ? CompletableFuture.completedFuture(read)
                                : askEach(all.iterator(), read),
                        executor);
    }

    private CompletionStage<Read> askEach(Iterator<NodeClient> rest, Read before) {
        if (before.tx() != null || !rest.hasNext()) {
            return CompletableFuture.completedFuture(before);
        }
        return ask(rest.next(), before.txId()).thenComposeAsync(read -> askEach(rest, read), executor);
    }

    private CompletionStage<Read> ask(NodeClient one, Hash256 txId) {
        return one.transaction(txId)
                .handleAsync(
                        (found, failure) ->
                                failure == null ? checked(txId, found) : new Read(txId, null, messageOf(failure)),
                        executor);
    }

    private Read checked(Hash256 txId, Optional<NodeTransaction> found) {
        if (found.isEmpty()) {
            return new Read(txId, null, "no node that was asked knows transaction " + txId);
        }
        String problem;
        try {
            Transaction tx = TransactionCodec.decode(found.get().bytes().toArray());
            if (TransactionCodec.txId(profile, tx).equals(txId)) {
                return new Read(txId, tx, "");
            }
            problem = "a node answered with another transaction than " + txId;
        } catch (DecodeException e) {
            problem = "a node answered with a malformed transaction for " + txId + ": " + e.getMessage();
        }
        LOG.warn("{}; its bytes are ignored", problem);
        return new Read(txId, null, problem);
    }

    private static String messageOf(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return String.valueOf(cause.getMessage());
    }
}
