package org.chainwalletd.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Open {@code GET /events} stream of a daemon, read one event at a time; the manual's page on deposits lists the events. Unread events are not
 * fetched: the daemon disconnects a reader that falls behind, and the reader reconnects with the last id it received. For one reading thread;
 * any thread may close it.
 */
public final class EventStream implements AutoCloseable {
    /** Silence after which the stream counts as broken: the daemon sends something at least every 15 seconds. */
    private static final Duration SILENCE = Duration.ofSeconds(45);

    private final String url;
    private final Reader reader = new Reader();

    /** @param url for messages */
    EventStream(String url) {
        this.url = url;
    }

    /**
     * Returns the next event, or empty when none has arrived within {@code patience}.
     *
     * @throws WalletdException.Transport when the stream has ended, was closed, broke, or is silent for too long
     */
    public Optional<DaemonEvent> next(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            Optional<DaemonEvent> ready = reader.parsed();
            if (ready.isPresent()) {
                return ready;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return Optional.empty();
            }
            reader.await(Math.min(left, SILENCE.toNanos() - reader.silentFor()), url);
        }
    }

    /** Ends the stream; a {@link #next} that waits in another thread fails. */
    @Override
    public void close() {
        reader.end("it was closed");
    }

    Flow.Subscriber<List<ByteBuffer>> subscriber() {
        return reader;
    }

    /** Requests one batch of buffers at a time from the connection: the next one when all events of the last have been returned. */
    private static final class Reader implements Flow.Subscriber<List<ByteBuffer>> {
        private static final byte[] END = new byte[0];

        private final LinkedBlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final SseParser parser = new SseParser();
        private final ArrayDeque<DaemonEvent> events = new ArrayDeque<>();
        private volatile String reason = "";
        private volatile long heard = System.nanoTime();
        private volatile Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            heard = System.nanoTime();
            if (ended.get()) {
                given.cancel();
            } else {
                given.request(1);
            }
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            heard = System.nanoTime();
            int length = buffers.stream().mapToInt(ByteBuffer::remaining).sum();
            ByteBuffer together = ByteBuffer.allocate(length);
            buffers.forEach(together::put);
            arrived.add(together.array());
        }

        @Override
        public void onError(Throwable failure) {
            end(failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage());
        }

        @Override
        public void onComplete() {
            end("the daemon ended it");
        }

        void end(String why) {
            if (ended.compareAndSet(false, true)) {
                reason = why;
                arrived.add(END);
                Flow.Subscription open = subscription;
                if (open != null) {
                    open.cancel();
                }
            }
        }

        Optional<DaemonEvent> parsed() {
            return Optional.ofNullable(events.poll());
        }

        long silentFor() {
            return System.nanoTime() - heard;
        }

        void await(long nanos, String url) {
            byte[] bytes;
            try {
                bytes = arrived.poll(Math.max(1, nanos), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WalletdException.Transport("interrupted while waiting for events of " + url, e);
            }
            if (bytes == null) {
                if (silentFor() >= SILENCE.toNanos()) {
                    end("it is silent");
                }
            } else if (bytes == END) {
                arrived.add(END);
                throw new WalletdException.Transport("the stream of events of " + url + " has ended: " + reason, null);
            } else {
                parse(bytes);
            }
        }

        private void parse(byte[] bytes) {
            try {
                events.addAll(parser.take(bytes));
                subscription.request(1);
            } catch (IllegalStateException e) {
                end(e.getMessage());
            }
        }
    }

    /** Bytes of a stream of server-sent events to events (HTML, section 9.2.6). Holds one event at most, of bounded length. */
    static final class SseParser {
        /** Longer than any event of the daemon by far. */
        static final int LONGEST = 1 << 20;

        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private final StringBuilder data = new StringBuilder();
        private String kind = "";
        private Optional<String> id = Optional.empty();
        private boolean afterCarriageReturn;

        /**
         * @return the events that these bytes complete
         * @throws IllegalStateException for an event that is too long
         */
        List<DaemonEvent> take(byte[] bytes) {
            List<DaemonEvent> events = new ArrayList<>();
            for (byte one : bytes) {
                if (one == '\n' && afterCarriageReturn) {
                    afterCarriageReturn = false;
                    continue;
                }
                afterCarriageReturn = one == '\r';
                if (one == '\n' || one == '\r') {
                    endOfLine(line.toString(StandardCharsets.UTF_8)).ifPresent(events::add);
                    line.reset();
                } else {
                    line.write(one);
                    if (line.size() + data.length() > LONGEST) {
                        throw new IllegalStateException("an event of more than " + LONGEST + " bytes");
                    }
                }
            }
            return events;
        }

        private Optional<DaemonEvent> endOfLine(String text) {
            if (text.isEmpty()) {
                return endOfEvent();
            }
            int colon = text.indexOf(':');
            String field = colon < 0 ? text : text.substring(0, colon);
            String value = colon < 0 ? "" : text.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            switch (field) {
                case "event" -> kind = value;
                case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
                case "id" -> id = Optional.of(value);
                default -> {
                    // A comment, or a field that later daemons may bring.
                }
            }
            return Optional.empty();
        }

        private Optional<DaemonEvent> endOfEvent() {
            Optional<DaemonEvent> event = data.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new DaemonEvent(kind.isEmpty() ? "message" : kind, data.toString(), id));
            kind = "";
            data.setLength(0);
            id = Optional.empty();
            return event;
        }
    }

    /**
     * Event of a {@code GET /events}.
     *
     * @param kind {@code tip}, {@code credit}, {@code resync} …
     * @param data JSON
     * @param id what to come back with, when the event has one
     */
    public record DaemonEvent(String kind, String data, Optional<String> id) {}
}
