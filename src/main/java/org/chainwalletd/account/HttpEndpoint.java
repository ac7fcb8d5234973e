package org.chainwalletd.account;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.HttpsConnectionContext;
import org.apache.pekko.http.javadsl.marshallers.jackson.Jackson;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.settings.ClientConnectionSettings;
import org.apache.pekko.http.javadsl.settings.ConnectionPoolSettings;
import org.apache.pekko.http.javadsl.unmarshalling.Unmarshaller;
import org.apache.pekko.http.scaladsl.model.EntityStreamSizeException;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.SystemMaterializer;
import org.chainwalletd.stage.Causes;
import scala.concurrent.ExecutionContext;
import scala.concurrent.duration.FiniteDuration;

/**
 * JSON-RPC 2.0 over HTTP with one endpoint, by Pekko HTTP's client. Each call has a time and a length that it must not exceed, however the
 * endpoint behaves; nothing is tried twice. The whole body of an answer is taken or the connection is dropped, so that a slow one does not
 * keep its place in the pool.
 */
final class HttpEndpoint implements Endpoint.Wire {
    /** At a time; more calls wait in the endpoint's actor. */
    static final int MOST_AT_ONCE = 16;

    private static final int POOL_QUEUE = 64;
    /** A redirection would be an answer of somebody else; Pekko counts it as a success. */
    private static final int OK = 200;

    private static final int LONGEST_WORDS = 200;
    private static final int DEEPEST = 32;

    private final URI url;
    private final String name;
    private final Duration patience;
    private final Executor executor;
    private final Http http;
    private final HttpsConnectionContext tls;
    private final ConnectionPoolSettings pool;
    private final Materializer materializer;
    private final ExecutionContext context;
    private final ActorSystem<?> system;
    private final Map<Question.Size, Unmarshaller<HttpEntity, JsonNode>> readers;
    private final AtomicLong lastId = new AtomicLong();

    /** @param patience for one call, from its first byte to the last of its answer */
    HttpEndpoint(ActorSystem<?> system, URI url, Duration patience, Executor executor) {
        this.system = system;
        this.url = url;
        this.name = url.getPort() < 0 ? url.getHost() : url.getHost() + ":" + url.getPort();
        this.patience = patience;
        this.executor = executor;
        this.http = Http.get(system);
        this.tls = http.defaultClientHttpsContext();
        this.pool = poolSettings(system, patience);
        this.materializer = SystemMaterializer.get(system).materializer();
        this.context = scala.concurrent.ExecutionContext$.MODULE$.fromExecutor(executor);
        this.readers = readers();
    }

    private static ConnectionPoolSettings poolSettings(ActorSystem<?> system, Duration patience) {
        FiniteDuration limit = FiniteDuration.create(patience.toMillis(), TimeUnit.MILLISECONDS);
        return ConnectionPoolSettings.create(system.classicSystem())
                .withMaxConnections(MOST_AT_ONCE)
                .withMaxOpenRequests(POOL_QUEUE)
                .withMaxRetries(0)
                // An endpoint that was away for long is asked as soon as it is there again.
                .withBaseConnectionBackoff(FiniteDuration.create(100, TimeUnit.MILLISECONDS))
                .withMaxConnectionBackoff(FiniteDuration.create(1, TimeUnit.SECONDS))
                .withConnectionSettings(ClientConnectionSettings.create(system.classicSystem())
                        .withConnectingTimeout(limit)
                        .withIdleTimeout(limit));
    }

    /** The tree of an answer is bounded by the number of its tokens, not only by its length. */
    private static Map<Question.Size, Unmarshaller<HttpEntity, JsonNode>> readers() {
        Map<Question.Size, Unmarshaller<HttpEntity, JsonNode>> readers = new EnumMap<>(Question.Size.class);
        for (Question.Size size : Question.Size.values()) {
            JsonFactory factory = JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxTokenCount(size.tokens())
                            .build())
                    .build();
            ObjectMapper mapper = JsonMapper.builder(factory)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();
            readers.put(size, Jackson.unmarshaller(mapper, JsonNode.class));
        }
        return readers;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletionStage<JsonNode> call(Question<?> question) {
        long id = lastId.incrementAndGet();
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("jsonrpc", "2.0")
                .put("id", id)
                .put("method", question.method());
        body.set("params", question.params());
        HttpRequest request =
                HttpRequest.POST(url.toString()).withEntity(ContentTypes.APPLICATION_JSON, body.toString());
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        http.singleRequest(request, tls, pool, system.classicSystem().log())
                .thenComposeAsync(response -> read(response, question.size()), executor)
                .whenCompleteAsync(
                        (json, failure) -> {
                            if (failure == null) {
                                answer.complete(json);
                            } else {
                                answer.completeExceptionally(failed(failure));
                            }
                        },
                        executor);
        return answer.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .handleAsync((json, failure) -> result(json, failure, id), executor);
    }

    private CompletionStage<JsonNode> read(HttpResponse response, Question.Size size) {
        if (response.status().intValue() != OK) {
            response.discardEntityBytes(materializer);
            return CompletableFuture.failedFuture(new AccountException.Unreachable(
                    name, "HTTP " + response.status().intValue()));
        }
        return response.entity()
                .withSizeLimit(size.bytes())
                .toStrict(patience.toMillis(), materializer)
                .thenComposeAsync(
                        strict -> readers.get(size)
                                .unmarshal(
                                        strict.withContentType(ContentTypes.APPLICATION_JSON), context, materializer),
                        executor);
    }

    private JsonNode result(JsonNode json, Throwable failure, long id) {
        if (failure != null) {
            throw failed(failure);
        }
        boolean ours = json.isObject()
                && json.path("id").canConvertToLong()
                && json.path("id").longValue() == id;
        if (!ours) {
            throw new AccountException.BadAnswer(name, "no JSON-RPC answer to this call");
        }
        JsonNode error = json.path("error");
        if (!error.isMissingNode() && !error.isNull()) {
            String words =
                    error.path("message").isTextual() ? error.path("message").textValue() : "no reason";
            throw new AccountException.Refused(
                    name, error.path("code").asLong(0), Quantities.readable(words, LONGEST_WORDS));
        }
        if (!json.has("result")) {
            throw new AccountException.BadAnswer(name, "neither result nor error");
        }
        return json.get("result");
    }

    private AccountException failed(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof AccountException known) {
            return known;
        }
        if (cause instanceof TimeoutException) {
            return new AccountException.Unreachable(name, "none in " + patience.toMillis() + " ms");
        }
        if (cause instanceof JacksonException || cause.getCause() instanceof JacksonException) {
            return new AccountException.BadAnswer(name, "no JSON");
        }
        if (cause instanceof EntityStreamSizeException) {
            return new AccountException.BadAnswer(name, "longer than such an answer can be");
        }
        return new AccountException.Unreachable(
                name, Quantities.readable(cause.getClass().getSimpleName() + ": " + cause.getMessage(), LONGEST_WORDS));
    }
}
