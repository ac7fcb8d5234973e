package org.chainwalletd.account.endpoints;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.ExchangeLimits;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.net.HttpPeer;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.net.HttpRequest;
import org.chainwalletd.net.NoAnswerException;
import org.chainwalletd.stage.Causes;

/**
 * JSON-RPC 2.0 over HTTP with one endpoint. Each call has a time and a length that it must not exceed, however the endpoint behaves; nothing
 * is tried twice.
 */
final class HttpEndpoint implements Endpoint.Wire {
    /** At a time; more calls wait in the endpoint's actor. */
    static final int MOST_AT_ONCE = 16;

    /** A redirection would be an answer of somebody else. */
    private static final int OK = 200;

    private static final int LONGEST_WORDS = 200;
    private static final int DEEPEST = 32;
    /** The endpoint's actor has reserved what an answer can hold. */
    private static final ByteBudget RESERVED = ByteBudget.of(Long.MAX_VALUE);

    private static final Map<Question.Size, ObjectMapper> READERS = readers();

    private final HttpPeer peer;
    private final String name;
    private final Duration patience;
    private final Executor executor;
    private final AtomicLong lastId = new AtomicLong();

    /**
     * @param patience for one call, from its first byte to the last of its answer
     * @param executor reads answers
     */
    HttpEndpoint(HttpPeers peers, URI url, Duration patience, Executor executor) {
        this.peer = peers.to(url);
        this.name = url.getPort() < 0 ? url.getHost() : url.getHost() + ":" + url.getPort();
        this.patience = patience;
        this.executor = executor;
    }

    /** The tree of an answer is bounded by the number of its tokens, not only by its length. */
    private static Map<Question.Size, ObjectMapper> readers() {
        Map<Question.Size, ObjectMapper> readers = new EnumMap<>(Question.Size.class);
        for (Question.Size size : Question.Size.values()) {
            JsonFactory factory = JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxTokenCount(size.tokens())
                            .build())
                    .build();
            readers.put(
                    size,
                    JsonMapper.builder(factory)
                            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                            .build());
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
        HttpRequest request = HttpRequest.post(body.toString().getBytes(StandardCharsets.UTF_8))
                .with("Accept", "application/json")
                .with("User-Agent", "walletd");
        return peer.ask(
                        request,
                        new ExchangeLimits(question.size().bytes(), patience, RESERVED),
                        executor,
                        answer -> result(read(answer, question.size()), id),
                        () -> {})
                .exceptionallyAsync(
                        failure -> {
                            throw failed(failure);
                        },
                        executor);
    }

    private JsonNode read(HttpAnswer answer, Question.Size size) {
        if (answer.status() != OK) {
            throw new AccountException.Unreachable(name, "HTTP " + answer.status());
        }
        try {
            return READERS.get(size).readTree(answer.body());
        } catch (IOException e) {
            throw new AccountException.BadAnswer(name, "no JSON");
        }
    }

    private JsonNode result(JsonNode json, long id) {
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
        if (cause instanceof NoAnswerException none && none.isLate()) {
            return new AccountException.Unreachable(name, "none in " + patience.toMillis() + " ms");
        }
        if (cause instanceof NoAnswerException none && none.isCut()) {
            return new AccountException.BadAnswer(name, none.getMessage());
        }
        return new AccountException.Unreachable(
                name, Quantities.readable(String.valueOf(cause.getMessage()), LONGEST_WORDS));
    }
}
