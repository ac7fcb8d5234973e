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
 * @param heldBytes heads, bodies and unread answers of all clients together
 */
public record HttpLimits(
        int maxBodyBytes,
        int maxConnections,
        int maxConcurrentPerToken,
        Duration requestDeadline,
        Duration keepAlive,
        Duration writeDeadline,
        Duration halfClosed,
        long heldBytes) {
    /** What clients may make the daemon hold, by default: the rest is for the daemon's own work. */
    private static final int SHARE_OF_HEAP = 4;

    /** With the share of the heap that is meant for it as the budget of bytes. */
    public HttpLimits(
            int maxBodyBytes,
            int maxConnections,
            int maxConcurrentPerToken,
            Duration requestDeadline,
            Duration keepAlive,
            Duration writeDeadline,
            Duration halfClosed) {
        this(
                maxBodyBytes,
                maxConnections,
                maxConcurrentPerToken,
                requestDeadline,
                keepAlive,
                writeDeadline,
                halfClosed,
                Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }

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
