package org.chainwalletd.http.h2;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.chainwalletd.http.door.MemoryReservation;
import org.chainwalletd.http.door.Responses;
import org.chainwalletd.rpc.ClientPresence;

/**
 * Requests of one HTTP/2 connection that the daemon processes, by stream number, and the memory held for them. Streams are reset on the
 * connection's thread and answered on others. A request whose stream was reset stays until its processing has ended.
 */
final class Http2Streams {
    /** @param answer response for the client; completed early when the daemon abandons the request */
    record Exchange(int stream, ClientPresence presence, CompletableFuture<HttpResponse> answer) {}

    private final MemoryReservation held;
    /** Accounted size of the head of each request in progress. */
    private final Map<Integer, Integer> heads = new HashMap<>();

    private final Map<Integer, Exchange> open = new HashMap<>();
    /** Requests whose response was passed to Pekko, which may never start it: then only this entry shows that it is no longer wanted. */
    private final Map<Integer, Exchange> answered = new HashMap<>();
    /** Requests whose stream was reset, perhaps before the stage that handles requests has seen them. */
    private final Set<Integer> left = new HashSet<>();
    /** Number of bytes of each response that may wait in Pekko for its client. */
    private final Map<Integer, Integer> unread = new HashMap<>();

    private boolean closed;

    /** @param held memory that the connection holds for its client */
    Http2Streams(MemoryReservation held) {
        this.held = held;
    }

    /**
     * Records that a request is on its way to the daemon.
     *
     * @param headBytes part of the held memory; released when the processing has ended
     * @return number of requests in progress
     */
    synchronized int dispatched(int stream, int headBytes) {
        heads.put(stream, headBytes);
        return heads.size();
    }

    Exchange begin(int stream) {
        Exchange exchange = new Exchange(stream, new ClientPresence(), new CompletableFuture<>());
        boolean gone;
        synchronized (this) {
            open.put(stream, exchange);
            gone = closed || left.contains(stream);
        }
        if (gone) {
            exchange.presence().leave();
        }
        return exchange;
    }

    /** Records that the response is ready. The client can still leave before all of it is written. */
    synchronized void end(Exchange exchange) {
        open.remove(exchange.stream());
        if (unread.containsKey(exchange.stream())) {
            answered.put(exchange.stream(), exchange);
        }
        forget(exchange.stream());
    }

    /** Records that Pekko has refused the stream; its request will not reach the daemon. */
    synchronized void refused(int stream) {
        forget(stream);
    }

    private void forget(int stream) {
        left.remove(stream);
        Integer head = heads.remove(stream);
        if (head != null) {
            held.giveBack(head);
        }
    }

    /**
     * Records that a response of which {@code bytes} may wait in Pekko is about to start.
     *
     * @return false if there is no memory for them
     */
    synchronized boolean unread(int stream, int bytes) {
        if (closed || left.contains(stream)) {
            return true;
        }
        if (!held.take(bytes)) {
            return false;
        }
        unread.put(stream, bytes);
        return true;
    }

    /** Records that the response was written, or is no longer wanted. */
    synchronized void written(int stream) {
        answered.remove(stream);
        Integer bytes = unread.remove(stream);
        if (bytes != null) {
            held.giveBack(bytes);
        }
    }

    /** Records that the stream was reset, by the client or by the daemon. */
    void reset(int stream) {
        Exchange exchange;
        synchronized (this) {
            exchange = open.containsKey(stream) ? open.get(stream) : answered.get(stream);
            if (heads.containsKey(stream)) {
                left.add(stream);
            }
        }
        if (exchange != null) {
            exchange.presence().leave();
        }
    }

    /** Records that the connection has ended, so that all its clients have left. */
    void close() {
        List<Exchange> waiting;
        synchronized (this) {
            closed = true;
            waiting = new ArrayList<>(open.values());
            waiting.addAll(answered.values());
            answered.clear();
        }
        held.release();
        waiting.forEach(exchange -> exchange.presence().leave());
    }

    /** Answers all open requests with 503. */
    void giveUp() {
        exchanges().forEach(exchange -> exchange.answer().complete(Responses.shuttingDown()));
    }

    private synchronized List<Exchange> exchanges() {
        return List.copyOf(open.values());
    }
}
