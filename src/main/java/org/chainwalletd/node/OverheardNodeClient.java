package org.chainwalletd.node;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** One node's client, whose answers about its tip somebody else hears as well: so the same is not asked twice. */
final class OverheardNodeClient extends ForwardingNodeClient {
    private static final Executor AT_HAND = Runnable::run;

    private final Consumer<Tip> listener;

    /** @param listener told of each answer, at once and on any thread */
    OverheardNodeClient(NodeClient node, Consumer<Tip> listener) {
        super(node);
        this.listener = listener;
    }

    @Override
    public CompletionStage<Tip> tip() {
        return node().tip()
                .thenApplyAsync(
                        tip -> {
                            listener.accept(tip);
                            return tip;
                        },
                        AT_HAND);
    }
}
