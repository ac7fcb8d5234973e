package org.chainwalletd.node;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * HTTP/1.1 requests to one node, each on a connection of its own: a node reads one request per connection (chain protocol, section 10.1).
 * Thread-safe; never blocks its caller; holds no connection between requests.
 */
interface NodeTransport {
    /** How long after its answer a node may take to close: so it has surely counted the connection out before the next one comes. */
    Duration LINGER = Duration.ofMillis(250);

    /**
     * Sends {@code body} as a POST.
     *
     * @param timeout from now, connecting included, to the last byte of the answer
     * @param closed run once when the connection counts no longer; after the answer is complete
     * @return completes with the answer whatever its status, or fails with {@link NoAnswerException}
     */
    CompletableFuture<HttpAnswer> post(byte[] body, Duration timeout, Runnable closed);

    /** No complete answer came; the message says why, without the node's URL. */
    final class NoAnswerException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean mayHaveArrived;

        NoAnswerException(String message, boolean mayHaveArrived) {
            super(message, null, false, false);
            this.mayHaveArrived = mayHaveArrived;
        }

        /** False when the request was certainly never handed to a connection. */
        boolean mayHaveArrived() {
            return mayHaveArrived;
        }
    }
}
