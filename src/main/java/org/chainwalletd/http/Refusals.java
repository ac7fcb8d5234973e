package org.chainwalletd.http;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.chainwalletd.rpc.ErrorCode;

/**
 * The refusals that callers collect. Every 401 has the same bytes, whatever was wrong, and the same treatment: it is held back when its
 * client collects too many of them.
 */
final class Refusals {
    private static final HttpResponse UNAUTHORIZED = error(ErrorCode.UNAUTHORIZED, "authentication required", "");
    private static final HttpResponse BUSY = error(
            ErrorCode.TOO_MANY_REQUESTS,
            "too many requests at a time with this token",
            ",\"data\":{\"retryable\":true,\"retry_after_secs\":1}");

    /** Not of JSON-RPC, so the status says it: a reader of events looks at nothing else. */
    private static final HttpResponse NO_STREAM =
            Responses.refusal(429, "too many streams of events").addHeader(RawHeader.create("Retry-After", "5"));

    private static final HttpResponse TOO_MUCH = Responses.refusal(
                    503, "the daemon holds too much for its clients at the moment")
            .addHeader(Responses.CLOSE);

    private final FailedLogins failedLogins = new FailedLogins(System::nanoTime);
    private final ServerObserver observer;
    private final ActorSystem<?> system;

    Refusals(ServerObserver observer, ActorSystem<?> system) {
        this.observer = observer;
        this.system = system;
    }

    CompletionStage<HttpResponse> unauthorized(String client) {
        observer.refused("unauthorized");
        Duration held = failedLogins.failed(client);
        if (held.isZero()) {
            return CompletableFuture.completedFuture(UNAUTHORIZED);
        }
        CompletableFuture<HttpResponse> later = new CompletableFuture<>();
        system.scheduler().scheduleOnce(held, () -> later.complete(UNAUTHORIZED), system.executionContext());
        return later;
    }

    HttpResponse tooMuch() {
        observer.refused("memory");
        return TOO_MUCH;
    }

    /** Told its caller by the RPC layer. */
    void answerRefused() {
        observer.refused("memory");
    }

    CompletionStage<HttpResponse> busy() {
        observer.refused("busy");
        return CompletableFuture.completedFuture(BUSY);
    }

    CompletionStage<HttpResponse> tooManyStreams() {
        observer.refused("streams");
        return CompletableFuture.completedFuture(NO_STREAM);
    }

    private static HttpResponse error(ErrorCode code, String message, String data) {
        String json = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":" + code.code() + ",\"message\":\"" + message + "\""
                + data + "},\"id\":null}";
        return Responses.json(code.httpStatus(), json.getBytes(StandardCharsets.UTF_8));
    }
}
