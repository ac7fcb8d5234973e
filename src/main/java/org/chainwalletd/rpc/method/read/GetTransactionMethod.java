package org.chainwalletd.rpc.method.read;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.wire.Alias;
import org.chainwalletd.wire.Doc;

/**
 * {@code get_transaction}: a confirmed or pending transaction, decoded here from the node's bytes, whose id is recomputed. The outputs it
 * spends come from its parents, at most 8 of which are fetched at a time; a parent that cannot be had leaves its inputs unresolved.
 */
final class GetTransactionMethod extends ReadMethod<GetTransactionMethod.Params, TransactionView> {
    private static final int PARENTS_AT_ONCE = 8;

    public record Params(
            @Doc("Transaction id") @Alias(value = "hash", deprecated = true)
            Hash256 txId) {}

    private final ChainProfile profile;
    private final NodeClient nodes;
    private final Executor executor;

    GetTransactionMethod(ChainProfile profile, NodeClient nodes, Executor executor) {
        super(
                "get_transaction",
                "A confirmed or pending transaction with its inputs resolved.",
                Params.class,
                TransactionView.class);
        this.profile = profile;
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<TransactionView> call(Params params, CallContext context) {
        return nodes.transaction(params.txId())
                .thenApplyAsync(GetTransactionMethod::known, executor)
                .thenComposeAsync(this::resolve, executor);
    }

    private static NodeClient.NodeTransaction known(Optional<NodeClient.NodeTransaction> found) {
        return found.orElseThrow(() -> NodeErrors.notFound("Transaction not found"));
    }

    private CompletionStage<TransactionView> resolve(NodeClient.NodeTransaction source) {
        Transaction tx = source.decode(profile);
        List<Hash256> parents = tx.isCoinbase()
                ? List.of()
                : tx.inputs().stream().map(Outpoint::txId).distinct().toList();
        Set<Outpoint> wanted = new HashSet<>(tx.inputs());
        AtomicBoolean lost = new AtomicBoolean();
        return Bounded.each(parents, PARENTS_AT_ONCE, parent -> spent(parent, wanted, lost), executor)
                .thenApplyAsync(parts -> TransactionView.of(profile, source, tx, merged(parts)), executor);
    }

    /** The outputs of {@code parent} that are spent here; none when it cannot be had. Once a node was lost no further one is asked. */
    private CompletionStage<Map<Outpoint, TxOutput>> spent(Hash256 parent, Set<Outpoint> wanted, AtomicBoolean lost) {
        if (lost.get()) {
            return CompletableFuture.completedStage(Map.of());
        }
        return nodes.hasty()
                .transaction(parent)
                .handleAsync(
                        (found, failure) -> {
                            if (failure != null || found.isEmpty()) {
                                lost.compareAndSet(
                                        false,
                                        failure != null && !(Causes.of(failure) instanceof NodeException.Rejected));
                                return Map.of();
                            }
                            return outputs(found.get(), wanted);
                        },
                        executor);
    }

    private Map<Outpoint, TxOutput> outputs(NodeClient.NodeTransaction parent, Set<Outpoint> wanted) {
        Map<Outpoint, TxOutput> spent = new HashMap<>();
        try {
            List<TxOutput> outputs = parent.decode(profile).outputs();
            for (int i = 0; i < outputs.size(); i++) {
                Outpoint outpoint = new Outpoint(parent.txId(), i);
                if (wanted.contains(outpoint)) {
                    spent.put(outpoint, outputs.get(i));
                }
            }
            return spent;
        } catch (NodeException.BadAnswer e) {
            return Map.of();
        }
    }

    private static Map<Outpoint, TxOutput> merged(List<Map<Outpoint, TxOutput>> parts) {
        Map<Outpoint, TxOutput> all = new HashMap<>();
        parts.forEach(all::putAll);
        return all;
    }
}
