package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;

/**
 * Keeps a key while its address holds confirmed coins, is about to receive some or spends some just now, and while no node can say so
 * (interface.md, section 4.11, rule 2; decisions.md, section 2).
 */
public final class NodeDeletionGuard implements DeletionGuard {
    private static final int METHOD_NOT_FOUND = -32601;

    private final NodeClient nodes;
    private final Executor executor;

    public NodeDeletionGuard(NodeClient nodes, Executor executor) {
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        Address address = entry.address();
        return nodes.balance(address)
                .thenCombineAsync(nodes.addressUtxos(address), NodeDeletionGuard::confirmed, executor)
                .thenCombineAsync(
                        pending(address), (confirmed, mempool) -> confirmed.or(() -> unconfirmed(mempool)), executor)
                .exceptionallyAsync(
                        failure -> Optional.of("its balance could not be checked with the nodes"), executor);
    }

    /** Nodes older than 1.11.3 cannot tell (chain protocol, section 14); their balance still counts. */
    private CompletionStage<NodeClient.AddressMempool> pending(Address address) {
        return nodes.addressMempool(address).exceptionallyAsync(NodeDeletionGuard::nothingIfMissing, executor);
    }

    private static NodeClient.AddressMempool nothingIfMissing(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof NodeException.Rejected rejected && rejected.code() == METHOD_NOT_FOUND) {
            return new NodeClient.AddressMempool(0, List.of());
        }
        throw new CompletionException(cause);
    }

    /** Immature coinbases are not in the balance, but they are money. */
    private static Optional<String> confirmed(Amount balance, NodeClient.UtxoListing listing) {
        if (!balance.isZero()) {
            return Optional.of("it holds a confirmed balance of " + balance + " base units; sweep it first");
        }
        return listing.utxos().isEmpty() ? Optional.empty() : Optional.of("it holds coins that are not spendable yet");
    }

    private static Optional<String> unconfirmed(NodeClient.AddressMempool pending) {
        if (pending.entries().stream().anyMatch(entry -> !entry.received().isEmpty())) {
            return Optional.of("it has incoming funds that are not confirmed yet");
        }
        if (pending.entries().stream().anyMatch(entry -> !entry.spent().isEmpty())) {
            return Optional.of("a transaction that spends from it is not confirmed yet");
        }
        return Optional.empty();
    }
}
