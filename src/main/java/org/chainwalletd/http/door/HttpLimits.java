package org.chainwalletd.http.door;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.chainwalletd.config.HeapShares;
import org.chainwalletd.config.Settings;

/**
 * Limits on the resources that clients may use.
 *
 * @param maxHeadBytes maximum length of a request head; a longer one is answered with 431
 * @param maxBodyBytes maximum length of a request body; a longer one is answered with 413
 * @param maxConnections maximum number of open connections; a further one is answered with 503 and closed
 * @param maxConnectionsPerAddress maximum number of connections from one address
 * @param maxConcurrentPerToken maximum number of concurrent requests with one token, from the head to the written answer
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
     * @param request time from the first to the last byte of a request
     * @param keepAlive time that a connection may stay open without a request
     * @param write time that a client may leave a piece of an answer unread
     * @param halfClosed time that an answer is still worked on after the client has closed its sending side
     * @param nanoTime monotonic clock that measures them
     */
    public record Timeouts(
            Duration request, Duration keepAlive, Duration write, Duration halfClosed, LongSupplier nanoTime) {}

    /**
     * Memory limits for clients, in bytes: heads, bodies and unread answers.
     *
     * @param all limit for all clients together
     * @param perAddress limit for one address
     * @param perConnection limit for one connection
     */
    public record Memory(long all, long perAddress, long perConnection) {}

    /** Configured limits, plus the fixed values of those that are not configurable. */
    public static HttpLimits of(Settings.Http http) {
        Settings.ClientShares shares = http.shares();
        long held = HeapShares.ofThisProcess().clients(shares.heldBytes());
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
                        Duration.ofSeconds(10),
                        System::nanoTime),
                new Memory(held, held * shares.percentPerAddress() / 100, held * shares.percentPerConnection() / 100));
    }

    /**
     * Returns these limits for at most {@code most} connections. The limit per address is reduced in proportion, so that other addresses still get
     * some.
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
