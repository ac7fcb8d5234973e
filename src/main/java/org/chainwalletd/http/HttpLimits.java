package org.chainwalletd.http;

import java.time.Duration;
import org.chainwalletd.config.Settings;

/**
 * What one caller may cost.
 *
 * @param maxBodyBytes longest request body; a longer one is answered with 413
 * @param maxConnections at a time; a further one is answered with 503 and closed
 * @param maxConcurrentPerToken requests being answered at a time for one token
 * @param requestDeadline from the first byte of a request to its last
 * @param keepAlive how long a connection may stay open without a request
 * @param writeDeadline how long a client may leave a piece of an answer unread
 * @param halfClosed how long an answer is still worked on after the client has closed its sending side
 */
public record HttpLimits(
        int maxBodyBytes,
        int maxConnections,
        int maxConcurrentPerToken,
        Duration requestDeadline,
        Duration keepAlive,
        Duration writeDeadline,
        Duration halfClosed) {

    /** The configured limits, with the ones that nobody needs to configure at their fixed values. */
    public static HttpLimits of(Settings.Http http) {
        return new HttpLimits(
                http.maxBodyBytes(),
                http.maxConnections(),
                http.maxConcurrentPerToken(),
                http.headDeadline(),
                Duration.ofSeconds(90),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10));
    }
}
