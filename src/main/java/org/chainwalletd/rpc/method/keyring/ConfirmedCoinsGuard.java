package org.chainwalletd.rpc.method.keyring;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.node.NodeClient;

/** Keeps a key while its address holds confirmed coins, and while no node can say so (interface.md, section 4.11, rule 2). */
public final class ConfirmedCoinsGuard implements DeletionGuard {
    static final String UNCHECKED = "its balance could not be checked with the nodes";

    private final NodeClient nodes;
    private final Executor executor;

    public ConfirmedCoinsGuard(NodeClient nodes, Executor executor) {
        this.nodes = nodes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        return nodes.balance(entry.address())
                .thenCombineAsync(nodes.addressUtxos(entry.address()), ConfirmedCoinsGuard::confirmed, executor)
                .exceptionallyAsync(failure -> Optional.of(UNCHECKED), executor);
    }

    /** Immature coinbases are not in the balance, but they are money. */
    private static Optional<String> confirmed(Amount balance, NodeClient.UtxoListing listing) {
        if (!balance.isZero()) {
            return Optional.of("it holds a confirmed balance of " + balance + " base units; sweep it first");
        }
        return listing.utxos().isEmpty() ? Optional.empty() : Optional.of("it holds coins that are not spendable yet");
    }
}
