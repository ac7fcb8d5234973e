package org.chainwalletd.http;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.RequestEntity;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.ClientPresence;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.rpc.Scope;

/** {@code POST /}: content type, length, token, bound per token, then the JSON-RPC layer. */
final class RpcHandler implements HttpHandler {
    private static final Set<String> JSON_TYPES =
            Set.of("application/json", "application/json-rpc", "application/jsonrequest", "application/octet-stream");

    /** The answer is written already: what is left is to put a status on it, which is no work for another thread. */
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    /** Smaller answers are less than what a connection costs anyhow. */
    private static final int UNCOUNTED_ANSWER = 4096;

    private final RpcEndpoint rpc;
    private final Callers callers;
    private final RequestSlots slots;
    private final Refusals refusals;
    private final ByteBudget budget;
    private final BodyReader bodies;
    private final Executor executor;

    RpcHandler(
            RpcEndpoint rpc,
            Callers callers,
            HttpLimits limits,
            ByteBudget budget,
            Refusals refusals,
            ActorSystem<?> system) {
        this.rpc = rpc;
        this.callers = callers;
        this.slots = new RequestSlots(limits.maxConcurrentPerToken());
        this.refusals = refusals;
        this.budget = budget;
        this.bodies = new BodyReader(
                SystemMaterializer.get(system).materializer(), limits.maxBodyBytes(), limits.requestDeadline());
        this.executor = system.executionContext();
    }

    @Override
    public CompletionStage<HttpResponse> handle(HttpRequest request, Connection connection, ClientPresence presence) {
        Callers.Caller caller = callers.of(request, connection);
        RequestEntity entity = request.entity();
        boolean json = isJson(entity);
        if (entity instanceof HttpEntity.Strict whole) {
            connection.requestArrived();
            ByteString body = whole.getData();
            Held held = new Held(budget);
            return held.take(body.size())
                    ? whole(new BodyReader.Received(body, body.size()), json, caller, presence, held)
                    : CompletableFuture.completedFuture(refusals.tooMuch());
        }
        if (bodies.hopeless(entity) || (expectsContinue(request) && announcedTooLong(entity))) {
            connection.requestArrived();
            return CompletableFuture.completedFuture(tooLong().addHeader(Responses.CLOSE));
        }
        boolean worthKeeping = json && caller.scope().isPresent();
        Held held = new Held(budget);
        return bodies.read(entity, worthKeeping, held)
                .handleAsync(
                        (received, failure) -> {
                            connection.requestArrived();
                            return failure != null || held.refused()
                                    ? incomplete(held, failure)
                                    : whole(received, json, caller, presence, held);
                        },
                        executor)
                .thenComposeAsync(answer -> answer, ON_COMPLETING_THREAD);
    }

    private CompletionStage<HttpResponse> whole(
            BodyReader.Received body, boolean json, Callers.Caller caller, ClientPresence presence, Held held) {
        CompletionStage<HttpResponse> answer = answer(body, json, caller, presence);
        if (answer instanceof CompletableFuture<HttpResponse> future && future.isDone()) {
            held.release();
            return answer;
        }
        return answer.whenCompleteAsync((given, failure) -> held.release(), ON_COMPLETING_THREAD);
    }

    private CompletionStage<HttpResponse> answer(
            BodyReader.Received body, boolean json, Callers.Caller caller, ClientPresence presence) {
        if (!json) {
            return CompletableFuture.completedFuture(notJson());
        }
        if (bodies.tooLong(body.total())) {
            return CompletableFuture.completedFuture(tooLong());
        }
        Optional<Scope> scope = caller.scope();
        if (scope.isEmpty()) {
            return refusals.unauthorized(caller.client());
        }
        Optional<RequestSlots.Slot> slot = slots.take(scope.get());
        if (slot.isEmpty()) {
            return refusals.busy();
        }
        Client client = new Client(caller.client(), presence, slot.get());
        CompletableFuture<RpcAnswer> answer = dispatch(body, scope, client);
        if (answer.isDone() && !answer.isCompletedExceptionally()) {
            return respond(answer.join(), client);
        }
        return answer.thenComposeAsync(done -> respond(done, client), ON_COMPLETING_THREAD);
    }

    /** A fault above us costs the caller its answer, but nobody a slot or what the request holds. */
    private CompletableFuture<RpcAnswer> dispatch(BodyReader.Received body, Optional<Scope> scope, Client client) {
        try {
            return rpc.dispatch(body.kept().toArray(), scope, client).toCompletableFuture();
        } catch (RuntimeException | StackOverflowError e) {
            client.parked().run();
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<HttpResponse> respond(RpcAnswer answer, Client client) {
        if (answer.status() == 401) {
            return refusals.unauthorized(client.address());
        }
        byte[] body = answer.body();
        if (body.length <= UNCOUNTED_ANSWER) {
            return CompletableFuture.completedFuture(Responses.json(answer.status(), body));
        }
        Held held = new Held(budget);
        return CompletableFuture.completedFuture(
                held.take(body.length) ? counted(answer.status(), body, held, client) : refusals.tooMuch());
    }

    /** Given back when the last piece is on its way, or when there is nobody any more to read it. */
    private HttpResponse counted(int status, byte[] body, Held held, Client client) {
        ClientPresence.Registration whenGone = client.presence().whenLeft(held::release);
        return Responses.json(status, body, () -> {
            whenGone.cancel();
            held.release();
        });
    }

    private CompletionStage<HttpResponse> incomplete(Held held, Throwable failure) {
        held.release();
        return CompletableFuture.completedFuture(held.refused() ? refusals.tooMuch() : bodies.refusal(failure));
    }

    /** A body without a content type, which HTTP calls an octet stream, is taken as JSON; a form, curl's default, is not. */
    private static boolean isJson(RequestEntity entity) {
        ContentType type = entity.getContentType();
        return type.equals(ContentTypes.APPLICATION_JSON)
                || JSON_TYPES.contains(type.mediaType().toString());
    }

    private static boolean expectsContinue(HttpRequest request) {
        return request.getHeader("expect").isPresent();
    }

    private boolean announcedTooLong(RequestEntity entity) {
        return bodies.tooLong(entity.getContentLengthOption().orElse(0));
    }

    private static HttpResponse notJson() {
        return Responses.refusal(415, "send the body with content-type: application/json");
    }

    private HttpResponse tooLong() {
        return bodies.tooLongRefusal();
    }
}
