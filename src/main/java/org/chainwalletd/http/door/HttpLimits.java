package org.chainwalletd.http.door;

import java.time.Duration;
import org.chainwalletd.config.Settings;

/**
 * Limits on what callers may cost.
 *
 * @param maxHeadBytes longest head of a request; a longer one is answered with 431
 * @param maxBodyBytes longest request body; a longer one is answered with 413
 * @param maxConnections at a time; a further one is answered with 503 and closed
 * @param maxConnectionsPerAddress of these, from one address
 * @param maxConcurrentPerToken requests at a time with one token, from the head to the written answer
 */
public record HttpLimits(
        int maxHeadBytes,
        int maxBodyBytes,
        int maxConnections,
        int maxConnectionsPerAddress,
        int maxConcurrentPerToken,
        Timeouts timeouts,
        Memory memory) {
    /**
     * Time-outs of a client.
     *
     * @param request from its first byte to its last
     * @param keepAlive how long a connection may stay open without a request
     * @param write how long a client may leave a piece of an answer unread
     * @param halfClosed how long an answer is still worked on after the client has closed its sending side
     */
    public record Timeouts(Duration request, Duration keepAlive, Duration write, Duration halfClosed) {}

    /**
     * Memory limits for clients: heads, bodies and unread answers, in bytes.
     *
     * @param all of all clients together
     * @param perAddress of these, for one address
     * @param perConnection of these, for one connection
     */
    public record Memory(long all, long perAddress, long perConnection) {}

    /** Default share of the heap that is buffered for clients: the rest is for the daemon's own work. */
    private static final int SHARE_OF_HEAP = 4;

    /** The configured limits, with the ones that nobody needs to configure at their fixed values. */
    public static HttpLimits of(Settings.Http http) {
        Settings.ClientShares shares = http.shares();
        long held = shares.heldBytes().orElse(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
        return new HttpLimits(
                http.requests().maxHeadBytes(),
                http.requests().maxBodyBytes(),
                http.maxConnections(),
                shares.connectionsPerAddress(http.maxConnections()),
                http.requests().maxConcurrentPerToken(),
                new Timeouts(
                        http.requests().headDeadline(),
                        Duration.ofSeconds(90),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10)),
                new Memory(held, held * shares.percentPerAddress() / 100, held * shares.percentPerConnection() / 100));
    }

    /**
     * Returns these limits for at most {@code most} connections. The limit of one address is reduced in proportion, so that others still get some.
     */
    public HttpLimits fitting(int most) {
        if (most >= maxConnections) {
            return this;
        }
        long share = (long) most * maxConnectionsPerAddress / maxConnections;
        return new HttpLimits(
                maxHeadBytes, maxBodyBytes, most, (int) Math.max(1, share), maxConcurrentPerToken, timeouts, memory);
    }
}
