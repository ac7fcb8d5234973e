package org.chainwalletd.rpc.method.keyring;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.node.NodeClient;

/** Keeps a key while one node lists confirmed coins of its address, and while it does not say. */
final class ConfirmedCoinsGuard implements DeletionGuard {
    private final NodeClient node;
    private final long floor;
    private final Executor executor;

    /** @param floor height, u64, below which a listing says nothing */
    ConfirmedCoinsGuard(NodeClient node, long floor, Executor executor) {
        this.node = node;
        this.floor = floor;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        return node.balance(entry.address())
                .thenCombineAsync(node.addressUtxos(entry.address()), this::confirmed, executor)
                .exceptionallyAsync(failure -> Optional.of(Unchecked.OBJECTION), executor);
    }

    /** Immature coinbases are not in the balance, but they are money. */
    private Optional<String> confirmed(Amount balance, NodeClient.UtxoListing listing) {
        if (!balance.isZero()) {
            return Optional.of("it holds a confirmed balance of " + balance + " base units; sweep it first");
        }
        if (!listing.utxos().isEmpty()) {
            return Optional.of("it holds coins that are not spendable yet");
        }
        return Long.compareUnsigned(listing.tipHeight(), floor) < 0
                ? Optional.of(
                        Unchecked.because(listing.node() + " listed its coins as they were before the last blocks"))
                : Optional.empty();
    }
}
