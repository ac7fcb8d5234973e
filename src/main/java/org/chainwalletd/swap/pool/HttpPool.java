package org.chainwalletd.swap.pool;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.ConnectionContext;
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
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.stage.Causes;
import scala.concurrent.ExecutionContext;

/**
 * The pool over REST, by Pekko HTTP's client. Each call has a time and a length that it must not exceed, however the pool behaves; nothing is
 * tried twice, and no redirection is followed. What a caller asks for in a path is checked before it gets there.
 */
public final class HttpPool implements Pool {
    static final int LONGEST_ANSWER = 256 * 1024;
    static final int LONGEST_REFUSAL = 4_096;

    private static final int MOST_AT_ONCE = 8;
    private static final int POOL_QUEUE = 64;
    private static final int LONGEST_WORDS = 300;
    private static final int DEEPEST = 16;
    private static final int MOST_TOKENS = 20_000;
    private static final int LONGEST_NUMBER = 100;
    private static final ObjectMapper MAPPER = mapper();

    private final ActorSystem<?> system;
    private final String base;
    private final PoolWords words;
    private final PoolAnswers answers;
    private final Duration patience;
    private final Executor executor;
    private final Http http;
    private final HttpsConnectionContext tls;
    private final ConnectionPoolSettings connections;
    private final Materializer materializer;
    private final ExecutionContext context;
    private final Unmarshaller<HttpEntity, JsonNode> reader;

    /**
     * @param base URL of the service, without {@code /api}
     * @param trust of TLS; empty: what the system trusts
     * @param patience for one call, from its first byte to the last of its answer
     * @param executor for continuations; never blocks
     */
    public HttpPool(
            ActorSystem<?> system,
            URI base,
            Optional<SSLContext> trust,
            PoolWords words,
            Duration patience,
            Executor executor) {
        this.system = system;
        this.base = base.toString().replaceAll("/+$", "");
        this.words = words;
        this.answers = new PoolAnswers(words);
        this.patience = patience;
        this.executor = executor;
        this.http = Http.get(system);
        this.tls = trust.map(ConnectionContext::httpsClient).orElseGet(http::defaultClientHttpsContext);
        this.connections = connections(system, patience);
        this.materializer = SystemMaterializer.get(system).materializer();
        this.context = scala.concurrent.ExecutionContext$.MODULE$.fromExecutor(executor);
        this.reader = Jackson.unmarshaller(MAPPER, JsonNode.class);
    }

    private static ConnectionPoolSettings connections(ActorSystem<?> system, Duration patience) {
        scala.concurrent.duration.FiniteDuration limit =
                scala.concurrent.duration.Duration.create(patience.toMillis(), TimeUnit.MILLISECONDS);
        return ConnectionPoolSettings.create(system.classicSystem())
                .withMaxConnections(MOST_AT_ONCE)
                .withMaxOpenRequests(POOL_QUEUE)
                .withMaxRetries(0)
                .withBaseConnectionBackoff(scala.concurrent.duration.Duration.create(100, TimeUnit.MILLISECONDS))
                .withMaxConnectionBackoff(scala.concurrent.duration.Duration.create(1, TimeUnit.SECONDS))
                .withConnectionSettings(ClientConnectionSettings.create(system.classicSystem())
                        .withConnectingTimeout(limit)
                        .withIdleTimeout(limit));
    }

    /** Numbers are read exactly, and a tree is bounded by its tokens, not only by its length. */
    private static ObjectMapper mapper() {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(DEEPEST)
                        .maxTokenCount(MOST_TOKENS)
                        .maxNumberLength(LONGEST_NUMBER)
                        .build())
                .build();
        return JsonMapper.builder(factory)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    @Override
    public CompletionStage<PoolQuote> quote(QuoteRequest request) {
        ObjectNode body = object().put("direction", words.direction(request.direction()))
                .put("amount_in", request.amountIn())
                .put("hashlock", "0x" + request.hashLock().hex())
                .put("flow", "v1");
        if (request.direction().isSell()) {
            body.put("user_" + words.evm() + "_address", request.evmAddress().toString());
        } else {
            body.put("user_" + words.chain() + "_address", request.chainKey().hex());
        }
        return post("/quote", body, answers::quote);
    }

    @Override
    public CompletionStage<PoolInfo> info() {
        return get("/pool", answers::info);
    }

    @Override
    public CompletionStage<PoolHint> swap(String poolSwapId) {
        return get("/swap/" + word(poolSwapId), PoolAnswers::hint);
    }

    @Override
    public CompletionStage<Void> notifyChainLock(String poolSwapId, Hash256 txId) {
        String chain = words.chain();
        return post(
                "/swap/" + word(poolSwapId) + "/notify-" + chain + "-lock",
                object().put(chain + "_lock_tx_id", txId.hex()),
                json -> null);
    }

    @Override
    public CompletionStage<Hash256> relayClaim(String poolSwapId, SecretBytes secret) {
        String preimage = secret.use(bytes -> "0x" + Bytes.wrap(bytes).hex());
        return post(
                        "/swap/" + word(poolSwapId) + "/relay-claim",
                        object().put("preimage", preimage),
                        PoolAnswers::relayed)
                .exceptionallyAsync(this::withoutWords, executor);
    }

    /** The words of one who has just been given a secret may hold it. */
    private Hash256 withoutWords(Throwable failure) {
        throw Causes.of(failure) instanceof PoolException.Refused refused
                ? new PoolException.Refused(refused.status(), "its words are not repeated, they may hold the secret")
                : failed(failure);
    }

    @Override
    public CompletionStage<List<Kline>> klines(String interval, int limit) {
        String known = Pool.interval(interval).orElseThrow(() -> new IllegalArgumentException("interval " + interval));
        return get("/price/klines?interval=" + known + "&limit=" + limit, json -> PoolAnswers.klines(json, limit));
    }

    @Override
    public CompletionStage<JsonNode> lpPool() {
        return get("/lp", Function.identity());
    }

    @Override
    public CompletionStage<JsonNode> lpPosition(Address address) {
        return get("/lp/position/" + address.hex(), Function.identity());
    }

    @Override
    public CompletionStage<JsonNode> lpDepositStart(Address chainAddress, EvmAddress evmAddress) {
        ObjectNode body = object().put(words.chain() + "_address", chainAddress.hex())
                .put(words.evm() + "_address", evmAddress.toString());
        return post("/lp/deposit/start", body, Function.identity());
    }

    @Override
    public CompletionStage<JsonNode> lpDeposit(String id) {
        return get("/lp/deposit/" + word(id), Function.identity());
    }

    @Override
    public CompletionStage<JsonNode> lpWithdraw(Address chainAddress, String shares) {
        ObjectNode body =
                object().put(words.chain() + "_address", chainAddress.hex()).put("shares", shares);
        return post("/lp/withdraw/self", body, Function.identity());
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static String word(String id) {
        if (!Pool.isPathWord(id)) {
            throw new IllegalArgumentException("not an id of the pool's");
        }
        return id;
    }

    private <T> CompletionStage<T> get(String path, Function<JsonNode, T> read) {
        return call(HttpRequest.GET(base + "/api" + path), read);
    }

    private <T> CompletionStage<T> post(String path, ObjectNode body, Function<JsonNode, T> read) {
        return call(
                HttpRequest.POST(base + "/api" + path).withEntity(ContentTypes.APPLICATION_JSON, body.toString()),
                read);
    }

    private <T> CompletionStage<T> call(HttpRequest request, Function<JsonNode, T> read) {
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        http.singleRequest(request, tls, connections, system.classicSystem().log())
                .thenComposeAsync(this::body, executor)
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
                .handleAsync(
                        (json, failure) -> {
                            if (failure != null) {
                                throw failed(failure);
                            }
                            return read.apply(PoolAnswers.object(json));
                        },
                        executor);
    }

    private CompletionStage<JsonNode> body(HttpResponse response) {
        int status = response.status().intValue();
        boolean good = status >= 200 && status < 300;
        CompletionStage<HttpEntity.Strict> strict = response.entity()
                .withSizeLimit(good ? LONGEST_ANSWER : LONGEST_REFUSAL)
                .toStrict(patience.toMillis(), materializer);
        if (good) {
            return strict.thenComposeAsync(
                    entity -> reader.unmarshal(
                            entity.withContentType(ContentTypes.APPLICATION_JSON), context, materializer),
                    executor);
        }
        return strict.handleAsync(
                        (entity, failure) ->
                                failure == null ? entity.getData().decodeString(StandardCharsets.UTF_8) : "",
                        executor)
                .thenComposeAsync(
                        text -> CompletableFuture.failedFuture(new PoolException.Refused(status, words(text))),
                        executor);
    }

    /** The member {@code error} of an object, otherwise all of it. */
    private static String words(String text) {
        try {
            JsonNode error = MAPPER.readTree(text).path("error");
            return readable(error.isTextual() ? error.textValue() : text);
        } catch (JsonProcessingException e) {
            return readable(text);
        }
    }

    /** What a stranger wrote, for a log or an answer: one line of printable characters, and not many. */
    static String readable(String text) {
        String line = text.codePoints()
                .limit(LONGEST_WORDS)
                .map(c -> c < 0x20 || c == 0x7f || !Character.isDefined(c) || Character.getType(c) == Character.FORMAT
                        ? ' '
                        : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString()
                .strip();
        return line.isEmpty() ? "no reason" : line;
    }

    private PoolException failed(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof PoolException known) {
            return known;
        }
        if (cause instanceof TimeoutException) {
            return new PoolException.Unreachable("none in " + patience.toMillis() + " ms");
        }
        if (cause instanceof Jackson.JacksonUnmarshallingException) {
            return new PoolException.BadAnswer("no JSON");
        }
        if (cause instanceof EntityStreamSizeException) {
            return new PoolException.BadAnswer("longer than such an answer can be");
        }
        return new PoolException.Unreachable(readable(cause.getClass().getSimpleName() + ": " + cause.getMessage()));
    }
}
