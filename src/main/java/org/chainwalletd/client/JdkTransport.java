package org.chainwalletd.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The JDK's HTTP client, with the pinned certificate in place of the authorities when there is one. */
final class JdkTransport implements Transport {
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    private final HttpClient http;

    JdkTransport(Optional<String> fingerprint, Duration connecting) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(connecting).version(HttpClient.Version.HTTP_1_1);
        fingerprint.ifPresent(pin -> builder.sslContext(PinnedTrust.context(pin)));
        this.http = builder.build();
    }

    /**
     * What {@code GET path} answers.
     *
     * @return fails with an {@link java.io.IOException} when there is no answer
     */
    CompletableFuture<Answer> get(URI url, String token, Duration timeout) {
        HttpRequest get = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("authorization", "Bearer " + token)
                .build();
        return http.sendAsync(get, HttpResponse.BodyHandlers.ofByteArray())
                .thenApplyAsync(response -> new Answer(response.statusCode(), response.body()), ON_COMPLETING_THREAD);
    }

    /**
     * Hands what {@code GET url} answers to {@code into}, as it comes; with another status than 200 nothing, and the stage has the answer's bytes.
     *
     * @param timeout until the head of the answer is there
     */
    CompletableFuture<Answer> stream(
            URI url, String token, Optional<String> lastEventId, Duration timeout, EventStream into) {
        HttpRequest.Builder get = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("accept", "text/event-stream")
                .header("authorization", "Bearer " + token);
        lastEventId.ifPresent(id -> get.header("last-event-id", id));
        CompletableFuture<Answer> head = new CompletableFuture<>();
        http.sendAsync(get.build(), response -> {
                    if (response.statusCode() != 200) {
                        return HttpResponse.BodySubscribers.mapping(
                                HttpResponse.BodySubscribers.ofByteArray(),
                                body -> head.complete(new Answer(response.statusCode(), body)));
                    }
                    head.complete(new Answer(200, new byte[0]));
                    return HttpResponse.BodySubscribers.fromSubscriber(into.subscriber(), nothing -> true);
                })
                .whenCompleteAsync(
                        (response, failure) -> {
                            if (failure != null) {
                                head.completeExceptionally(failure);
                            }
                        },
                        ON_COMPLETING_THREAD);
        return head;
    }

    @Override
    public CompletableFuture<Answer> post(URI url, String token, byte[] body, Duration timeout) {
        HttpRequest post = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("content-type", "application/json")
                .header("authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        CompletableFuture<HttpResponse<byte[]>> sent = http.sendAsync(post, HttpResponse.BodyHandlers.ofByteArray());
        CompletableFuture<Answer> answer = sent.thenApplyAsync(
                response -> new Answer(response.statusCode(), response.body()), ON_COMPLETING_THREAD);
        // Giving up the answer gives up the exchange, so that the daemon learns that nobody waits any more.
        answer.whenCompleteAsync(
                (given, failure) -> {
                    if (answer.isCancelled()) {
                        sent.cancel(true);
                    }
                },
                ON_COMPLETING_THREAD);
        return answer;
    }
}
