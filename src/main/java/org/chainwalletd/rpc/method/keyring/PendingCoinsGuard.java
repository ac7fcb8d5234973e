package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;

/** Keeps a key while one node knows of a transaction that will pay to its address or spend from it, and while it does not say. */
final class PendingCoinsGuard implements DeletionGuard {
    private final NodeClient node;
    private final Executor executor;

    PendingCoinsGuard(NodeClient node, Executor executor) {
        this.node = node;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        return node.addressMempool(entry.address())
                .exceptionallyAsync(PendingCoinsGuard::nothingIfMissing, executor)
                .thenApplyAsync(PendingCoinsGuard::unconfirmed, executor)
                .exceptionallyAsync(failure -> Optional.of(Unchecked.OBJECTION), executor);
    }

    /** Nodes older than 1.11.3 cannot tell (chain protocol, section 14); their balance still counts. */
    private static NodeClient.AddressMempool nothingIfMissing(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof NodeException.Rejected rejected && rejected.code() == ErrorCode.METHOD_NOT_FOUND.code()) {
            return new NodeClient.AddressMempool(0, List.of());
        }
        throw Causes.passedOn(cause);
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
