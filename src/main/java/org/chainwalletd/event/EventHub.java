package org.chainwalletd.event;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.BoundedSourceQueue;
import org.apache.pekko.stream.QueueOfferResult;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;

/**
 * Publishes live events to all streams that are open at the moment, and keeps none. A stream whose reader is so slow that {@link #MOST_EVENTS}
 * events or {@link #MOST_BYTES} bytes wait is cut; its reader reconnects and gets {@code resync}. Packages below publish through interfaces of
 * their own, which {@code boot} connects to this. Safe for threads.
 */
public final class EventHub {
    static final int MOST_EVENTS = 256;
    static final long MOST_BYTES = 64 * 1024;

    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();

    /** Whether anybody would hear an event now; for those whose events cost something to make. */
    public boolean isHeard() {
        return !listeners.isEmpty();
    }

    /**
     * Publishes an event to all streams. Does not block; events published by one thread arrive in their order.
     *
     * @param kind a word of lower-case letters
     * @param data a record that {@code rpc.Json} writes
     */
    public void publish(String kind, Object data) {
        if (isHeard()) {
            ByteString event = ServerSentEvents.live(kind, data);
            listeners.forEach(listener -> listener.hear(event));
        }
    }

    /** Events published from now until the stream ends. To be run once. */
    Source<ByteString, NotUsed> live() {
        Listener listener = new Listener();
        return Source.<ByteString>queue(MOST_EVENTS).map(listener::passed).watchTermination((queue, end) -> {
            listener.begin(queue);
            listeners.add(listener);
            end.whenCompleteAsync((done, failure) -> listeners.remove(listener), Runnable::run);
            return NotUsed.getInstance();
        });
    }

    /** Listener of one stream. */
    private static final class Listener {
        private BoundedSourceQueue<ByteString> queue;
        private long waiting;
        private boolean cut;

        synchronized void begin(BoundedSourceQueue<ByteString> began) {
            queue = began;
        }

        synchronized void hear(ByteString event) {
            if (cut) {
                return;
            }
            waiting += event.size();
            if (waiting > MOST_BYTES || queue.offer(event) == QueueOfferResult.dropped()) {
                cut = true;
                queue.fail(new SlowReaderException());
            }
        }

        synchronized ByteString passed(ByteString event) {
            waiting -= event.size();
            return event;
        }
    }

    /** The reader of a stream has left too much unread. */
    static final class SlowReaderException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SlowReaderException() {
            super("too many events wait for the reader", null, false, false);
        }
    }
}
