package org.chainwalletd.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpMethod;
import org.apache.pekko.http.javadsl.model.HttpMethods;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.stream.Materializer;
import org.chainwalletd.rpc.ClientPresence;

/**
 * The paths of one listener. {@code POST /} goes to {@link RpcHandler}; everything else is a small answer to GET and HEAD. The order of
 * checks is path, method, content type, length, token.
 */
final class Router implements HttpHandler {
    private static final Set<HttpMethod> READING = Set.of(HttpMethods.GET, HttpMethods.HEAD);
    private static final String RPC_ALLOWS = "POST, OPTIONS";
    private static final String PAGE_ALLOWS = "GET, HEAD, OPTIONS";

    /** A page of its own: gets the request for its headers only. */
    @FunctionalInterface
    interface Page {
        CompletionStage<HttpResponse> answer(HttpRequest request, Connection connection);

        static Page of(Supplier<HttpResponse> response) {
            return (request, connection) -> CompletableFuture.completedFuture(response.get());
        }
    }

    private final Optional<HttpHandler> rpc;
    private final Map<String, Page> pages;
    private final Materializer materializer;

    /** @param rpc what answers {@code POST /}; empty where that path does not exist */
    Router(Optional<HttpHandler> rpc, Map<String, Page> pages, Materializer materializer) {
        this.rpc = rpc;
        this.pages = new LinkedHashMap<>(pages);
        this.materializer = materializer;
    }

    @Override
    public CompletionStage<HttpResponse> handle(HttpRequest request, Connection connection, ClientPresence presence) {
        String path = request.getUri().path();
        if (rpc.isPresent() && path.equals("/")) {
            if (request.method().equals(HttpMethods.POST)) {
                return rpc.get().handle(request, connection, presence);
            }
            return withoutBody(request, connection, notPost(request.method()));
        }
        Page page = pages.get(path);
        if (page == null) {
            return withoutBody(request, connection, Responses.refusal(404, "no such path"));
        }
        if (request.method().equals(HttpMethods.OPTIONS)) {
            return withoutBody(request, connection, Responses.options(PAGE_ALLOWS));
        }
        if (!READING.contains(request.method())) {
            return withoutBody(request, connection, Responses.wrongMethod(PAGE_ALLOWS));
        }
        dropBody(request, connection);
        return page.answer(request, connection);
    }

    private static HttpResponse notPost(HttpMethod method) {
        return method.equals(HttpMethods.OPTIONS) ? Responses.options(RPC_ALLOWS) : Responses.wrongMethod(RPC_ALLOWS);
    }

    private CompletionStage<HttpResponse> withoutBody(
            HttpRequest request, Connection connection, HttpResponse response) {
        boolean whole = dropBody(request, connection);
        return CompletableFuture.completedFuture(whole ? response : response.addHeader(Responses.CLOSE));
    }

    /** Returns whether there was nothing left to read. */
    private boolean dropBody(HttpRequest request, Connection connection) {
        connection.requestArrived();
        if (request.entity() instanceof HttpEntity.Strict) {
            return true;
        }
        request.discardEntityBytes(materializer);
        return false;
    }
}
