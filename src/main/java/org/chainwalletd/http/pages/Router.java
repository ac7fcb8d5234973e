package org.chainwalletd.http.pages;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.AttributeKey;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpMethod;
import org.apache.pekko.http.javadsl.model.HttpMethods;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.japi.function.Function;
import org.apache.pekko.stream.SystemMaterializer;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.HttpHandler;
import org.chainwalletd.http.door.Refusals;
import org.chainwalletd.http.door.Responses;
import org.chainwalletd.http.h1.RequestFraming;
import org.chainwalletd.http.h1.RequestGate;
import org.chainwalletd.rpc.ClientPresence;

/**
 * Paths of one listener. {@code POST /} goes directly to {@link RpcHandler}, because a call should cost no more than a constant answer of the same
 * stack ({@code -Dbench=rpc}); everything else is a route. Requests are checked in the order expectation, path, method, content type, length,
 * token.
 */
public final class Router implements HttpHandler {
    static final AttributeKey<Connection> CONNECTION = AttributeKey.create("connection", Connection.class);

    private static final String RPC_ALLOWS = "POST, OPTIONS";
    private static final Set<HttpMethod> BODILESS = Set.of(HttpMethods.GET, HttpMethods.HEAD, HttpMethods.OPTIONS);

    /** Page that needs only the headers of the request. */
    @FunctionalInterface
    interface Page {
        CompletionStage<HttpResponse> answer(HttpRequest request, Connection connection);

        static Page of(Supplier<HttpResponse> response) {
            return (request, connection) -> CompletableFuture.completedFuture(response.get());
        }
    }

    private final Optional<HttpHandler> rpc;
    private final Function<HttpRequest, CompletionStage<HttpResponse>> pages;
    private final Refusals refusals;
    private final ActorSystem<?> system;

    /** @param rpc handler of {@code POST /}; empty if that path does not exist */
    public Router(Optional<HttpHandler> rpc, Route pages, Refusals refusals, ActorSystem<?> system) {
        this.refusals = refusals;
        this.rpc = rpc;
        this.pages = pages.handler(system);
        this.system = system;
    }

    @Override
    public CompletionStage<HttpResponse> handle(HttpRequest request, Connection connection, ClientPresence presence) {
        if (connection.isHttp2() && !isExpectationKnown(request)) {
            boolean whole = dropBody(request, connection);
            HttpResponse response = refusals.told(Responses.refusal(417, "the expectation is unknown"));
            return CompletableFuture.completedFuture(whole ? response : response.addHeader(Responses.CLOSE));
        }
        if (rpc.isEmpty() || !request.getUri().path().equals("/")) {
            return page(request, connection);
        }
        if (request.method().equals(HttpMethods.POST)) {
            return rpc.get().handle(request, connection, presence);
        }
        boolean whole = dropBody(request, connection);
        HttpResponse response =
                refusals.told(whole || !hasNoBody(request) ? notPost(request.method()) : unwantedBody());
        return CompletableFuture.completedFuture(whole ? response : response.addHeader(Responses.CLOSE));
    }

    /** Checked over HTTP/2 only: {@link RequestGate} refuses other expectations over HTTP/1. */
    private static boolean isExpectationKnown(HttpRequest request) {
        int expectations = 0;
        for (HttpHeader header : request.getHeaders()) {
            if (header.is("expect") && (++expectations > 1 || !RequestFraming.isKnownExpectation(header.value()))) {
                return false;
            }
        }
        return true;
    }

    /** A request answered long before its body has arrived would make Pekko write to the log. */
    private static boolean hasNoBody(HttpRequest request) {
        return BODILESS.contains(request.method());
    }

    private static HttpResponse unwantedBody() {
        return Responses.refusal(400, "a request of this method has no body");
    }

    private static HttpResponse notPost(HttpMethod method) {
        return method.equals(HttpMethods.OPTIONS) ? Responses.options(RPC_ALLOWS) : Responses.wrongMethod(RPC_ALLOWS);
    }

    private CompletionStage<HttpResponse> page(HttpRequest request, Connection connection) {
        boolean whole = dropBody(request, connection);
        if (!whole && hasNoBody(request)) {
            HttpResponse refusal = refusals.told(unwantedBody()).addHeader(Responses.CLOSE);
            return CompletableFuture.completedFuture(refusal);
        }
        CompletionStage<HttpResponse> answer = answer(request.addAttribute(CONNECTION, connection));
        return answer.thenApplyAsync(
                response -> refusals.told(whole ? response : response.addHeader(Responses.CLOSE)),
                system.executionContext());
    }

    private CompletionStage<HttpResponse> answer(HttpRequest request) {
        try {
            return pages.apply(request);
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Discards the body; returns whether it had already arrived whole. */
    private boolean dropBody(HttpRequest request, Connection connection) {
        connection.requestArrived();
        connection.dropBody();
        if (request.entity() instanceof HttpEntity.Strict) {
            return true;
        }
        request.discardEntityBytes(SystemMaterializer.get(system).materializer());
        return false;
    }
}
