package org.chainwalletd.node;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * Node client that asks for permission before each send, and sends nothing without it. A daemon that was paused may meanwhile have been declared
 * off, and other daemons may have released the coins of the transaction it was about to send.
 */
public final class PermittedSends extends ForwardingNodeClient {
    private final Supplier<CompletionStage<Void>> permission;
    private final Executor executor;

    /** @param permission fails when nothing may be sent; the send then fails with the same cause */
    public PermittedSends(NodeClient node, Supplier<CompletionStage<Void>> permission, Executor executor) {
        super(node);
        this.permission = permission;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Hash256> sendRawTransaction(Bytes transaction) {
        return permission.get().thenComposeAsync(granted -> node().sendRawTransaction(transaction), executor);
    }

    @Override
    protected NodeClient view(NodeClient other) {
        return new PermittedSends(other, permission, executor);
    }
}
