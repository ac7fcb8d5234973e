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
 * The requests of one HTTP/2 connection that the daemon works on, by the number of their stream, and what is held for them. Streams are
 * reset on the connection's thread and answered on others. A request whose stream is reset stays until its work has ended.
 */
final class Http2Streams {
    /** @param answer what the client gets; completed early when the daemon gives up */
    record Exchange(int stream, ClientPresence presence, CompletableFuture<HttpResponse> answer) {}

    private final MemoryReservation held;
    /** Counted size of the head of each request in work. */
    private final Map<Integer, Integer> heads = new HashMap<>();

    private final Map<Integer, Exchange> open = new HashMap<>();
    /** Requests whose answer is with Pekko, which may never begin it: nobody else then learns that it is not wanted any more. */
    private final Map<Integer, Exchange> answered = new HashMap<>();
    /** Requests whose stream was reset, maybe before the stage that sees requests has seen them. */
    private final Set<Integer> left = new HashSet<>();
    /** Bytes of each answer that may wait in Pekko for its client. */
    private final Map<Integer, Integer> unread = new HashMap<>();

    private boolean closed;

    /** @param held what the connection holds of its client's bytes, and for it */
    Http2Streams(MemoryReservation held) {
        this.held = held;
    }

    /**
     * A request is on its way to the daemon.
     *
     * @param headBytes taken of what is held; given back when the work has ended
     * @return how many there are now
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

    /** Its answer is ready. Its client can still leave before all of it is written. */
    synchronized void end(Exchange exchange) {
        open.remove(exchange.stream());
        if (unread.containsKey(exchange.stream())) {
            answered.put(exchange.stream(), exchange);
        }
        forget(exchange.stream());
    }

    /** Pekko has refused the stream, and nobody will see its request. */
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
     * An answer of which {@code bytes} may wait in Pekko is about to begin.
     *
     * @return false when there is no room for them
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

    /** The answer is written, or nobody waits for it any more. */
    synchronized void written(int stream) {
        answered.remove(stream);
        Integer bytes = unread.remove(stream);
        if (bytes != null) {
            held.giveBack(bytes);
        }
    }

    /** The stream is reset, by the client or to it. */
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

    /** The connection is gone, and every client on it with it. */
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

    /** Answers everything that is open with 503. */
    void giveUp() {
        exchanges().forEach(exchange -> exchange.answer().complete(Responses.shuttingDown()));
    }

    private synchronized List<Exchange> exchanges() {
        return List.copyOf(open.values());
    }
}
