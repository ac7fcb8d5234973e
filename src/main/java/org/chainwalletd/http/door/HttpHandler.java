package org.chainwalletd.http.door;

import java.util.concurrent.CompletionStage;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.chainwalletd.rpc.ClientPresence;

/** Answers the requests of a listener. */
@FunctionalInterface
public interface HttpHandler {
    /**
     * Must not block. Calls {@link Connection#requestArrived} exactly once, when the last byte of the body has arrived or is no longer awaited.
     * A failed stage becomes 500.
     *
     * @param presence of the client that sent this request: on HTTP/2 it can cancel one request and continue the others
     */
    CompletionStage<HttpResponse> handle(HttpRequest request, Connection connection, ClientPresence presence);
}
