package org.chainwalletd.event;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.BoundedSourceQueue;
import org.apache.pekko.stream.QueueOfferResult;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;

/**
 * Publishes live events to all open streams, and stores none. A stream is cut when more than {@link #MOST_EVENTS} events or {@link #MOST_BYTES}
 * bytes wait for its reader; the reader reconnects and gets {@code resync}. Lower packages publish through interfaces of their own, which {@code
 * boot} connects to this class. Thread-safe.
 */
public final class EventHub {
    static final int MOST_EVENTS = 256;
    static final long MOST_BYTES = 64 * 1024;

    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();

    /** Returns whether a stream is open. Lets publishers skip building events that cost something. */
    public boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /**
     * Publishes an event to all streams. Does not block. Events published by one thread arrive in order.
     *
     * @param kind a word of lower-case letters
     * @param data a record that {@code rpc.Json} can write
     */
    public void publish(String kind, Object data) {
        if (hasListeners()) {
            ByteString event = ServerSentEvents.live(kind, data);
            listeners.forEach(listener -> listener.send(event));
        }
    }

    /** Returns the events published from now until the stream ends. Must be run once. */
    Source<ByteString, NotUsed> live() {
        Listener listener = new Listener();
        return Source.<ByteString>queue(MOST_EVENTS).map(listener::sent).watchTermination((queue, end) -> {
            listener.open(queue);
            listeners.add(listener);
            end.whenCompleteAsync((done, failure) -> listeners.remove(listener), Runnable::run);
            return NotUsed.getInstance();
        });
    }

    /** Queue of one stream. */
    private static final class Listener {
        private BoundedSourceQueue<ByteString> queue;
        private long waiting;
        private boolean cut;

        synchronized void open(BoundedSourceQueue<ByteString> opened) {
            queue = opened;
        }

        synchronized void send(ByteString event) {
            if (cut) {
                return;
            }
            waiting += event.size();
            if (waiting > MOST_BYTES || queue.offer(event) == QueueOfferResult.dropped()) {
                cut = true;
                queue.fail(new SlowReaderException());
            }
        }

        synchronized ByteString sent(ByteString event) {
            waiting -= event.size();
            return event;
        }
    }

    /** Ends a stream whose reader left too much unread. */
    static final class SlowReaderException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SlowReaderException() {
            super("too many events wait for the reader", null, false, false);
        }
    }
}
