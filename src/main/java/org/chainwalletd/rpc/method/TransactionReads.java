package org.chainwalletd.rpc.method;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.api.Reads.GetTransaction;
import org.chainwalletd.api.Reads.GetTransaction.DecodedOutput;
import org.chainwalletd.api.Reads.GetTransaction.InputWitness;
import org.chainwalletd.api.Reads.GetTransaction.ResolvedInput;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;

/**
 * Handler of {@link GetTransaction}. Decodes the node's bytes, whose id is recomputed. The outputs that the transaction spends come from its
 * parents, of which at most 8 are fetched concurrently; the inputs of a parent that cannot be fetched stay unresolved.
 */
record TransactionReads(ChainProfile profile, NodeClient nodes, Executor executor) {
    private static final int PARENTS_AT_ONCE = 8;

    CompletionStage<GetTransaction.Result> transaction(GetTransaction call) {
        return nodes.transaction(call.txId())
                .thenApplyAsync(TransactionReads::known, executor)
                .thenComposeAsync(this::resolve, executor);
    }

    private static NodeClient.NodeTransaction known(Optional<NodeClient.NodeTransaction> found) {
        return found.orElseThrow(() -> UpstreamErrors.notFound("Transaction not found"));
    }

    private CompletionStage<GetTransaction.Result> resolve(NodeClient.NodeTransaction source) {
        Transaction tx = source.decode(profile);
        List<Hash256> parents = tx.isCoinbase()
                ? List.of()
                : tx.inputs().stream().map(Outpoint::txId).distinct().toList();
        Set<Outpoint> wanted = new HashSet<>(tx.inputs());
        AtomicBoolean nodesFailed = new AtomicBoolean();
        return Bounded.each(parents, PARENTS_AT_ONCE, parent -> spent(parent, wanted, nodesFailed), executor)
                .thenApplyAsync(parts -> result(source, tx, merged(parts)), executor);
    }

    /**
     * Returns the outputs of {@code parent} that are spent here; none if it cannot be fetched. After a failure of the nodes no further parent
     * is fetched.
     */
    private CompletionStage<Map<Outpoint, TxOutput>> spent(
            Hash256 parent, Set<Outpoint> wanted, AtomicBoolean nodesFailed) {
        if (nodesFailed.get()) {
            return CompletableFuture.completedStage(Map.of());
        }
        return nodes.hasty()
                .transaction(parent)
                .handleAsync(
                        (found, failure) -> {
                            if (failure != null || found.isEmpty()) {
                                nodesFailed.compareAndSet(
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

    /** @param parents outputs by the outpoint that is spent; incomplete if a parent could not be fetched */
    private GetTransaction.Result result(
            NodeClient.NodeTransaction source, Transaction tx, Map<Outpoint, TxOutput> parents) {
        List<ResolvedInput> inputs = new ArrayList<>();
        for (int i = 0; i < tx.inputs().size(); i++) {
            Outpoint outpoint = tx.inputs().get(i);
            inputs.add(input(outpoint, tx.witnesses().get(i), Optional.ofNullable(parents.get(outpoint))));
        }
        Amount totalOut = total(tx.outputs().stream()
                        .map(TxOutput::value)
                        .map(Optional::of)
                        .toList())
                .orElseThrow(() ->
                        new NodeException.BadAnswer("node answered get_transaction with outputs above 2^64-1 in all"));
        Optional<Amount> totalIn =
                total(inputs.stream().map(ResolvedInput::value).toList()).filter(in -> !in.isLessThan(totalOut));
        return new GetTransaction.Result(
                source.txId(),
                source.bytes(),
                source.inMempool(),
                Optional.ofNullable(source.blockId()),
                source.blockHeight() == null ? OptionalLong.empty() : OptionalLong.of(source.blockHeight()),
                inputs,
                tx.outputs().stream().map(TransactionReads::output).toList(),
                totalOut,
                totalIn,
                totalIn.map(in -> in.minus(totalOut)),
                source.bytes().length());
    }

    private ResolvedInput input(Outpoint outpoint, Witness witness, Optional<TxOutput> parent) {
        Optional<Bytes> script = parent.filter(output -> !output.isPlain()).map(TxOutput::script);
        Optional<PublicKey> key =
                script.isEmpty() && witness.redeemer() == null ? HtlcWitness.plainKey(witness) : Optional.empty();
        return new ResolvedInput(
                outpoint.txId(),
                outpoint.index(),
                key.<Address>map(profile::addressOf).or(() -> parent.flatMap(TxOutput::address)),
                script,
                parent.map(TxOutput::value),
                key.isPresent()
                        ? Optional.of(new InputWitness(
                                key,
                                Optional.of(Bytes.wrap(witness.data().slice(PublicKey.LENGTH, Witness.PLAIN_LENGTH))),
                                Optional.empty(),
                                Optional.empty()))
                        : raw(witness));
    }

    private static Optional<InputWitness> raw(Witness witness) {
        return witness.data().isEmpty() && witness.redeemer() == null
                ? Optional.empty()
                : Optional.of(new InputWitness(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.ofNullable(witness.data()),
                        Optional.ofNullable(witness.redeemer())));
    }

    private static DecodedOutput output(TxOutput output) {
        return new DecodedOutput(
                output.address(),
                output.isPlain() ? Optional.empty() : Optional.of(output.script()),
                output.value(),
                Optional.ofNullable(output.datum()),
                Optional.ofNullable(output.datumHash()));
    }

    /** Returns the sum; empty if a value is missing or the sum exceeds 2^64-1. */
    private static Optional<Amount> total(List<Optional<Amount>> values) {
        Amount total = Amount.ZERO;
        for (Optional<Amount> value : values) {
            if (value.isEmpty()) {
                return Optional.empty();
            }
            try {
                total = total.plus(value.get());
            } catch (ArithmeticException e) {
                return Optional.empty();
            }
        }
        return Optional.of(total);
    }
}
