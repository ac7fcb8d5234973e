package org.chainwalletd.rpc.method.indexer;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;

/** Asks the node where the indexer is missing or has failed. */
final class Fallback {
    private Fallback() {}

    /**
     * @param indexed the indexer's answer, if there is an indexer
     * @return its value, or what {@code node} gives when it failed
     */
    static <T> CompletionStage<T> to(
            Supplier<CompletionStage<T>> node, Optional<CompletionStage<T>> indexed, Executor executor) {
        if (indexed.isEmpty()) {
            return node.get();
        }
        return indexed.get()
                .handleAsync(
                        (value, failure) -> {
                            if (failure == null) {
                                return CompletableFuture.completedStage(value);
                            }
                            Throwable cause = Causes.of(failure);
                            return cause instanceof NodeException
                                    ? node.get()
                                    : CompletableFuture.<T>failedStage(cause);
                        },
                        executor)
                .thenComposeAsync(Function.identity(), executor);
    }
}
