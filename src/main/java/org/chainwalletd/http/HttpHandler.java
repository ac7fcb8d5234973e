package org.chainwalletd.http;

import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/** Answers the requests of a listener. */
@FunctionalInterface
interface HttpHandler {
    /**
     * Must not block. Calls {@link Connection#requestArrived} exactly once, when the last byte of the body is there or nobody waits for it.
     * A failed stage becomes 500.
     */
    CompletionStage<HttpResponse> handle(HttpRequest request, Connection connection);
}
