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
