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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.ExchangeLimits;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.net.HttpPeer;
import org.chainwalletd.net.HttpRequest;
import org.chainwalletd.net.NoAnswerException;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.swap.pool.Pool.Kline;
import org.chainwalletd.swap.pool.Pool.PoolException;
import org.chainwalletd.swap.pool.Pool.PoolInfo;
import org.chainwalletd.swap.pool.Pool.PoolQuote;

/**
 * REST client of the pool. Every call has a deadline and a maximum response length, regardless of the pool's behaviour. Nothing is retried and no
 * redirect is followed. Caller input is validated before it becomes part of a path.
 */
public final class HttpPool implements Pool {
    static final int LONGEST_ANSWER = 256 * 1024;
    static final int LONGEST_REFUSAL = 4_096;
    private static final int MOST_AT_ONCE = 8;
    /** Maximum number of bytes buffered for responses; a response may occupy twice its size while its buffer grows. */
    public static final long MOST_HELD = 2L * MOST_AT_ONCE * LONGEST_ANSWER;

    private static final int LONGEST_QUEUE = 64;
    private static final int LONGEST_ERROR_TEXT = 300;
    private static final int DEEPEST = 16;
    private static final int MOST_TOKENS = 20_000;
    private static final int LONGEST_NUMBER = 100;
    private static final ObjectMapper MAPPER = mapper();

    private final HttpPeer peer;
    private final PoolWords words;
    private final PoolAnswers answers;
    private final Duration timeout;
    private final ByteBudget held;
    private final Executor executor;
    /** Calls that wait for a running one to end. */
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    private int running;

    /**
     * @param peer the service, without {@code /api}
     * @param timeout deadline of one call, from its first byte to the last of its response
     * @param held budget shared by all responses
     * @param executor parses responses; never blocks
     */
    public HttpPool(HttpPeer peer, PoolWords words, Duration timeout, ByteBudget held, Executor executor) {
        this.peer = peer;
        this.words = words;
        this.answers = new PoolAnswers(words);
        this.timeout = timeout;
        this.held = held;
        this.executor = executor;
    }

    /** Returns a mapper that reads numbers exactly and bounds a tree by its number of tokens, not only by its length. */
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
                .exceptionallyAsync(this::withoutErrorText, executor);
    }

    /** Removes the pool's error text, because a pool that has just received a secret may repeat it there. */
    private Hash256 withoutErrorText(Throwable failure) {
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
        return call(HttpRequest.get("/api" + path), read);
    }

    private <T> CompletionStage<T> post(String path, ObjectNode body, Function<JsonNode, T> read) {
        return call(HttpRequest.post("/api" + path, body.toString().getBytes(StandardCharsets.UTF_8)), read);
    }

    private <T> CompletionStage<T> call(HttpRequest request, Function<JsonNode, T> read) {
        HttpRequest complete = request.with("Accept", "application/json").with("User-Agent", "walletd");
        CompletableFuture<T> outcome = new CompletableFuture<>();
        long begun = System.nanoTime();
        begin(outcome, () -> {
            Duration left = timeout.minusNanos(System.nanoTime() - begun);
            if (left.isNegative() || left.isZero()) {
                outcome.completeExceptionally(timedOut());
                ended();
                return;
            }
            peer.ask(
                            complete,
                            new ExchangeLimits(LONGEST_ANSWER, left, held),
                            executor,
                            answer -> read.apply(PoolAnswers.object(json(answer))),
                            this::ended)
                    .whenCompleteAsync(
                            (value, failure) -> {
                                if (failure == null) {
                                    outcome.complete(value);
                                } else {
                                    outcome.completeExceptionally(failed(failure));
                                }
                            },
                            executor);
        });
        return outcome;
    }

    /**
     * Starts or queues a call. Running calls end by their deadline, and a queued call that has waited as long fails in its turn, so no caller waits
     * longer than for one call.
     */
    private void begin(CompletableFuture<?> outcome, Runnable call) {
        synchronized (waiting) {
            if (running < MOST_AT_ONCE) {
                running++;
            } else if (waiting.size() < LONGEST_QUEUE) {
                waiting.add(call);
                return;
            } else {
                outcome.completeExceptionally(new PoolException.Unreachable("too many calls wait for it"));
                return;
            }
        }
        call.run();
    }

    private void ended() {
        Runnable next;
        synchronized (waiting) {
            next = waiting.poll();
            if (next == null) {
                running--;
                return;
            }
        }
        next.run();
    }

    private JsonNode json(HttpAnswer answer) {
        boolean good = answer.status() >= 200 && answer.status() < 300;
        if (!good) {
            boolean readable = answer.body().length <= LONGEST_REFUSAL;
            throw new PoolException.Refused(
                    answer.status(), errorText(readable ? new String(answer.body(), StandardCharsets.UTF_8) : ""));
        }
        try {
            return MAPPER.readTree(answer.body());
        } catch (IOException e) {
            throw new PoolException.BadAnswer("no JSON");
        }
    }

    /** Returns the member {@code error} of an object, otherwise the whole text. */
    private static String errorText(String text) {
        try {
            JsonNode error = MAPPER.readTree(text).path("error");
            return readable(error.isTextual() ? error.textValue() : text);
        } catch (JsonProcessingException e) {
            return readable(text);
        }
    }

    /** Makes untrusted text fit for a log line or an answer: one line of printable characters, truncated. */
    static String readable(String text) {
        String line = text.codePoints()
                .limit(LONGEST_ERROR_TEXT)
                .map(c -> c < 0x20 || c == 0x7f || !Character.isDefined(c) || Character.getType(c) == Character.FORMAT
                        ? ' '
                        : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString()
                .strip();
        return line.isEmpty() ? "no reason" : line;
    }

    private PoolException timedOut() {
        return new PoolException.Unreachable("none in " + timeout.toMillis() + " ms");
    }

    private PoolException failed(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof PoolException known) {
            return known;
        }
        if (cause instanceof NoAnswerException none && none.isLate()) {
            return timedOut();
        }
        if (cause instanceof NoAnswerException none && none.isCut()) {
            return new PoolException.BadAnswer(none.getMessage());
        }
        return new PoolException.Unreachable(readable(String.valueOf(cause.getMessage())));
    }
}
