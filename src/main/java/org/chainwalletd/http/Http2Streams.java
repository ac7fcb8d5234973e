package org.chainwalletd.http;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.chainwalletd.rpc.ClientPresence;

/**
 * The requests of one HTTP/2 connection that are being answered, by the number of their stream. Streams are reset on the connection's
 * thread and answered on others.
 */
final class Http2Streams {
    /**
     * A reset can overtake the request it takes back, between the stage that sees frames and the one that sees requests; so many resets of
     * streams without a request are kept. One that is forgotten costs no more than the wait that nobody reads.
     */
    private static final int EARLY_RESETS = 256;

    /** @param answer what the client gets; completed early when the daemon gives up */
    record Exchange(int stream, ClientPresence presence, CompletableFuture<HttpResponse> answer) {}

    private final Map<Integer, Exchange> open = new HashMap<>();
    private final Set<Integer> resetEarly = new LinkedHashSet<>();
    private boolean closed;

    Exchange begin(int stream) {
        Exchange exchange = new Exchange(stream, new ClientPresence(), new CompletableFuture<>());
        boolean left;
        synchronized (this) {
            open.put(stream, exchange);
            left = closed || resetEarly.remove(stream);
        }
        if (left) {
            exchange.presence().leave();
        }
        return exchange;
    }

    synchronized void end(Exchange exchange) {
        open.remove(exchange.stream());
    }

    /** The client has reset the stream. */
    void reset(int stream) {
        Exchange exchange;
        synchronized (this) {
            exchange = open.get(stream);
            if (exchange == null) {
                resetEarly.add(stream);
                if (resetEarly.size() > EARLY_RESETS) {
                    resetEarly.remove(resetEarly.iterator().next());
                }
            }
        }
        if (exchange != null) {
            exchange.presence().leave();
        }
    }

    /** The connection is gone, and every client on it with it. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        exchanges().forEach(exchange -> exchange.presence().leave());
    }

    /** Answers everything that is open with 503. */
    void giveUp() {
        exchanges().forEach(exchange -> exchange.answer().complete(Responses.shuttingDown()));
    }

    private synchronized List<Exchange> exchanges() {
        return List.copyOf(open.values());
    }
}
