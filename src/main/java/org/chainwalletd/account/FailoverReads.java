package org.chainwalletd.account;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.stage.Causes;

/** One endpoint's word: that of the first that answers, beginning with the one that answered last. */
final class FailoverReads extends JsonReads {
    private final List<EndpointReads> endpoints;
    private final AtomicInteger preferred = new AtomicInteger();

    FailoverReads(List<EndpointReads> endpoints, Executor executor) {
        super(executor);
        this.endpoints = endpoints;
    }

    @Override
    <T> CompletionStage<T> ask(Question<T> question) {
        return ask(question, preferred.get(), 0);
    }

    private <T> CompletionStage<T> ask(Question<T> question, int first, int tried) {
        int index = (first + tried) % endpoints.size();
        return endpoints
                .get(index)
                .ask(question)
                .thenApplyAsync(
                        answer -> {
                            preferred.set(index);
                            return answer;
                        },
                        executor())
                .exceptionallyComposeAsync(
                        failure -> {
                            Throwable why = Causes.of(failure);
                            return why instanceof AccountException.Refused || tried + 1 == endpoints.size()
                                    ? CompletableFuture.failedFuture(why)
                                    : ask(question, first, tried + 1);
                        },
                        executor());
    }
}
