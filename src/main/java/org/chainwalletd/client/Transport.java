package org.chainwalletd.client;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends one request to the daemon and returns its answer. For programs that use their own HTTP client. */
@FunctionalInterface
public interface Transport {
    /**
     * @param status of HTTP
     * @param body JSON, when the daemon answered
     */
    record Answer(int status, byte[] body) {}

    /**
     * Sends {@code body} with {@code POST}, {@code content-type: application/json} and {@code authorization: Bearer token}. Must not send it
     * twice: whether a call that failed was carried out is unknown.
     *
     * @param timeout after which the stage fails
     * @return fails with an {@link java.io.IOException} when there is no answer
     */
    CompletableFuture<Answer> post(URI url, String token, byte[] body, Duration timeout);
}
