package org.chainwalletd.net;

import java.time.Duration;

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
     * @param listener hears of the answer, or that there is none, and then that the connection is closed
     */
    void post(byte[] body, ExchangeLimits limits, ExchangeListener listener);
}
