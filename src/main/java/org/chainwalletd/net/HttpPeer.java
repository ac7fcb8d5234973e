package org.chainwalletd.net;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * HTTP/1.1 requests to one peer, each on a connection of its own: a node reads one request per connection (chain protocol, section 10.1).
 * Thread-safe; never blocks its caller; holds no connection between requests.
 */
public interface HttpPeer {
    /** How long after its answer a peer may take to close: so it has surely counted the connection out before the next one comes. */
    Duration LINGER = Duration.ofMillis(250);

    /**
     * Sends {@code body} as a POST.
     *
     * @param closed run once when the connection counts no longer; after the answer is complete
     * @return completes with the answer whatever its status, or fails with {@link NoAnswerException}; on a thread of this package that must
     *     not be kept: continue on an executor. Whoever gets the answer closes it.
     */
    CompletableFuture<HttpAnswer> post(byte[] body, ExchangeLimits limits, Runnable closed);
}
