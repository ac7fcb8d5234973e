package org.chainwalletd.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.node.NodeClient;

/** Node client that changes blocks and transactions before the daemon receives them; all other answers are unchanged. */
public final class Distorted {
    private final UnaryOperator<NodeClient.BlockSummary> blocks;
    private final UnaryOperator<NodeClient.NodeTransaction> transactions;

    private Distorted(
            UnaryOperator<NodeClient.BlockSummary> blocks, UnaryOperator<NodeClient.NodeTransaction> transactions) {
        this.blocks = blocks;
        this.transactions = transactions;
    }

    public static NodeClient blocks(NodeClient honest, UnaryOperator<NodeClient.BlockSummary> change) {
        return new Distorted(change, tx -> tx).proxy(honest);
    }

    public static NodeClient transactions(NodeClient honest, UnaryOperator<NodeClient.NodeTransaction> change) {
        return new Distorted(block -> block, change).proxy(honest);
    }

    /** Returns the transaction with the maximum value in its first output. */
    public static NodeClient.NodeTransaction richer(NodeClient.NodeTransaction found) {
        Transaction tx = TransactionCodec.decode(found.bytes().toArray());
        List<TxOutput> outputs = new ArrayList<>(tx.outputs());
        TxOutput first = outputs.get(0);
        outputs.set(0, new TxOutput(Amount.MAX, first.script(), first.datum(), first.datumHash()));
        byte[] bytes = TransactionCodec.encode(new Transaction(tx.inputs(), outputs, tx.witnesses()));
        return new NodeClient.NodeTransaction(
                found.txId(), Bytes.wrap(bytes), found.inMempool(), found.blockId(), found.blockHeight());
    }

    private NodeClient proxy(NodeClient honest) {
        return Stub.of(NodeClient.class, call -> {
            Object answer = call.on(honest);
            return switch (call.name()) {
                case "block", "blockAt" -> changed(answer, NodeClient.BlockSummary.class, blocks);
                case "transaction" -> changed(answer, NodeClient.NodeTransaction.class, transactions);
                case "hasty", "pinned", "patient" -> proxy((NodeClient) answer);
                case "each" -> List.of(call.self());
                default -> answer;
            };
        });
    }

    private static <T> CompletionStage<Optional<T>> changed(Object answer, Class<T> type, UnaryOperator<T> change) {
        return ((CompletionStage<?>) answer)
                .thenApply(found -> ((Optional<?>) found).map(type::cast).map(change));
    }
}
