package org.chainwalletd.rpc.method.indexer;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.rpc.RpcException;

/** The indexer, if there is one, and what its methods have in common. */
final class IndexerAccess {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MOST_LIMIT = 1_000;

    private final Optional<IndexerClient> client;

    IndexerAccess(Optional<IndexerClient> client) {
        this.client = client;
    }

    Optional<IndexerClient> client() {
        return client;
    }

    /** Asks the indexer; fails with -32041 when there is none. */
    <T> CompletionStage<T> ask(Function<IndexerClient, CompletionStage<T>> question) {
        return client.map(question)
                .orElseGet(() -> CompletableFuture.failedStage(new RpcException(
                        ErrorCode.INDEXER_NOT_CONFIGURED,
                        "no indexer is configured: the daemon answers this with --indexer-rpc only")));
    }

    /**
     * Rows of a page: 100 when nothing is said, never more than 1000.
     *
     * @throws RpcException -32602 for a limit of zero
     */
    static int limit(OptionalLong asked) {
        if (asked.isPresent() && asked.getAsLong() == 0) {
            throw RpcException.invalidParams("`limit` must be at least 1");
        }
        return (int) Math.min(asked.orElse(DEFAULT_LIMIT), MOST_LIMIT);
    }
}
