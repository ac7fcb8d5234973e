package org.chainwalletd.http.door;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.chainwalletd.api.ErrorCode;

/**
 * Refusals of requests, with their metrics. Every 401 has the same bytes, regardless of the reason, and is delayed when its client has received
 * too many of them.
 */
public final class Refusals {
    private static final HttpResponse UNAUTHORIZED = error(ErrorCode.UNAUTHORIZED, "authentication required", "");
    private static final HttpResponse BUSY = error(
            ErrorCode.TOO_MANY_REQUESTS,
            "too many requests at a time with this token",
            ",\"data\":{\"retryable\":true,\"retry_after_secs\":1}");

    /** Refusal of an event stream by HTTP status, because clients of event streams examine only the status. */
    private static final HttpResponse NO_STREAM =
            Responses.refusal(429, "too many streams of events").addHeader(RawHeader.create("Retry-After", "5"));

    private static final HttpResponse NO_STREAM_OF_TOKEN = Responses.refusal(
                    429, "too many streams of events with this token: it may have half of them")
            .addHeader(RawHeader.create("Retry-After", "5"));

    private static final HttpResponse TOO_MUCH = Responses.refusal(
                    503, "the daemon holds too much for its clients at the moment")
            .addHeader(Responses.CLOSE);

    private final FailedLogins failedLogins = new FailedLogins(System::nanoTime);
    private final ServerObserver observer;
    private final ActorSystem<?> system;

    public Refusals(ServerObserver observer, ActorSystem<?> system) {
        this.observer = observer;
        this.system = system;
    }

    /** Refuses a request without a known token. */
    public CompletionStage<HttpResponse> unauthorized(String client) {
        return unauthorized(denied(client));
    }

    /** Counts a call without a token of its scope as a failed login, and returns the delay of its answer. */
    public Duration denied(String client) {
        observer.refused("unauthorized");
        return failedLogins.failed(client);
    }

    /** @param held delay of the answer, as returned by {@link #denied} */
    public CompletionStage<HttpResponse> unauthorized(Duration held) {
        if (held.isZero()) {
            return CompletableFuture.completedFuture(UNAUTHORIZED);
        }
        CompletableFuture<HttpResponse> later = new CompletableFuture<>();
        system.scheduler().scheduleOnce(held, () -> later.complete(UNAUTHORIZED), system.executionContext());
        return later;
    }

    public HttpResponse tooMuch() {
        observer.refused("memory");
        return TOO_MUCH;
    }

    /** Counts a refusal whose answer the RPC layer sends. */
    public void answerRefused() {
        observer.refused("memory");
    }

    /** Counts an answer that belongs to no call, if it is a refusal; refusals created by this class are already counted. */
    public HttpResponse told(HttpResponse answer) {
        reasonOf(answer.status().intValue()).ifPresent(observer::refused);
        return answer;
    }

    /** Label of a refusal by its status (RFC 9110, section 15.5), which Pekko's parser uses for its own refusals too; empty for other statuses. */
    static Optional<String> reasonOf(int status) {
        return switch (status) {
            case 400, 417, 422, 501, 505 -> Optional.of("malformed");
            case 404 -> Optional.of("path");
            case 405 -> Optional.of("method");
            case 408 -> Optional.of("request");
            case 413 -> Optional.of("length");
            case 414 -> Optional.of("target");
            case 415 -> Optional.of("type");
            case 431 -> Optional.of("field");
            default -> Optional.empty();
        };
    }

    public CompletionStage<HttpResponse> busy() {
        observer.refused("busy");
        return CompletableFuture.completedFuture(BUSY);
    }

    public CompletionStage<HttpResponse> tooManyStreams() {
        observer.refused("streams");
        return CompletableFuture.completedFuture(NO_STREAM);
    }

    public CompletionStage<HttpResponse> tooManyStreamsOfToken() {
        observer.refused("streams");
        return CompletableFuture.completedFuture(NO_STREAM_OF_TOKEN);
    }

    private static HttpResponse error(ErrorCode code, String message, String data) {
        String json = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":" + code.code() + ",\"message\":\"" + message + "\""
                + data + "},\"id\":null}";
        return Responses.json(code.httpStatus(), json.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Slows down guessing of tokens: after a few free failures each further refusal to the same client is delayed, by twice the time up to a
     * maximum, and failures expire one by one as time passes. Only refusals are delayed, so a client with a valid token is never slowed down,
     * even when other clients behind the same address fail. The table is bounded and evicts the client whose last failure is oldest.
     */
    public static final class FailedLogins {
        private static final int FREE = 5;
        private static final Duration FIRST = Duration.ofMillis(125);
        private static final Duration LONGEST = Duration.ofSeconds(4);
        private static final Duration FORGIVE_ONE = Duration.ofSeconds(10);
        private static final int MAX_COUNT = 64;
        private static final int MAX_CLIENTS = 4096;

        private record Record(int count, long at) {}

        private final LongSupplier nanoTime;
        private final Map<String, Record> clients = new LinkedHashMap<>(64, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Record> eldest) {
                return size() > MAX_CLIENTS;
            }
        };

        FailedLogins(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
        }

        /** Counts one failure of {@code client} and returns the delay of its answer. */
        synchronized Duration failed(String client) {
            long now = nanoTime.getAsLong();
            String key = ClientAddress.network(client);
            Record before = clients.getOrDefault(key, new Record(0, now));
            long forgiven = (now - before.at()) / FORGIVE_ONE.toNanos();
            int count = (int) Math.min(MAX_COUNT, Math.max(0, before.count() - forgiven) + 1);
            clients.put(key, new Record(count, now));
            if (count <= FREE) {
                return Duration.ZERO;
            }
            int doublings = Math.min(count - FREE - 1, 10);
            Duration hold = FIRST.multipliedBy(1L << doublings);
            return hold.compareTo(LONGEST) < 0 ? hold : LONGEST;
        }

        synchronized int size() {
            return clients.size();
        }
    }

    /** Observer of requests that the server refuses before they reach a method, for metrics. Must not block. */
    public interface ServerObserver {
        ServerObserver NONE = reason -> {};

        /**
         * @param reason one of a few fixed words: unauthorized, busy, streams, overload, address, head, field, target, malformed, path,
         *     method, type, length, memory, request, reading, closing, gone, idle, place, http2, http2-excess
         */
        void refused(String reason);
    }
}
