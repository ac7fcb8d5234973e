package org.chainwalletd.devnet.wire;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.devnet.wire.HttpText.Refusal;
import org.chainwalletd.devnet.wire.HttpText.RefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All open push streams: admission limits, delivery of events, heartbeats. Thread-safe; no method waits for a reader. */
final class PushHub {
    /** Events that may wait for a slow reader. */
    static final int BUFFER_EVENTS = 1_024;

    private static final Logger LOG = LoggerFactory.getLogger(PushHub.class);
    private static final int MAX_STREAMS = 2_048;
    private static final int MAX_STREAMS_PER_PEER = 64;
    private static final long HEARTBEAT_MILLIS = 25_000;
    private static final byte[] HEARTBEAT = HttpText.ascii(": heartbeat\n\n");

    private final Alarms alarms;
    private final Set<PushStream> streams = new HashSet<>();
    private boolean switchedOn = true;

    PushHub(Alarms alarms) {
        this.alarms = alarms;
    }

    /** Switched off, there are no streams: {@code /sse} is not found. */
    synchronized void switchOn(boolean on) {
        switchedOn = on;
        if (!on) {
            closeAll();
        }
    }

    /**
     * Admits a stream and offers its first events: one per listed address, duplicates repeated.
     *
     * @throws RefusedException for the first reason in the order in which a node tests
     */
    synchronized PushStream open(Socket socket, String target) throws RefusedException {
        InetAddress peer = socket.getInetAddress();
        if (!switchedOn) {
            throw new RefusedException(Refusal.PUSH_OFF);
        }
        if (streams.size() >= MAX_STREAMS) {
            throw new RefusedException(Refusal.PUSH_FULL);
        }
        if (streams.stream().filter(other -> other.peer.equals(peer)).count() >= MAX_STREAMS_PER_PEER) {
            throw new RefusedException(Refusal.PUSH_PER_PEER);
        }
        PushStream stream = new PushStream(socket, peer, PushQuery.parse(target));
        streams.add(stream);
        stream.offerRaw(HttpText.STREAM_HEAD);
        stream.offer(stream.query.addresses().stream().map(Event::scriptChanged).toList());
        stream.heartbeat = alarms.in(HEARTBEAT_MILLIS, () -> beat(stream));
        return stream;
    }

    /** Delivers events in order to their subscribers; those of one change may overflow a stream's buffer before any of them is written. */
    synchronized void publish(List<Event> events) {
        for (PushStream stream : streams) {
            stream.offer(events.stream().filter(stream::listens).toList());
        }
    }

    private synchronized void beat(PushStream stream) {
        if (streams.contains(stream)) {
            stream.heartbeat = alarms.in(HEARTBEAT_MILLIS, () -> beat(stream));
            stream.offerRaw(HEARTBEAT);
        }
    }

    synchronized void close(PushStream stream) {
        if (streams.remove(stream)) {
            alarms.cancel(stream.heartbeat);
            stream.end();
        }
    }

    synchronized void closeAll() {
        List.copyOf(streams).forEach(this::close);
    }

    static void closeQuietly(Closeable connection) {
        try {
            connection.close();
        } catch (IOException e) {
            LOG.debug("closing failed: {}", e.toString());
        }
    }

    /**
     * Event in the framing of the stream.
     *
     * @param script the address it is about; null for events that are about none
     */
    record Event(Address script, byte[] text) {
        static final Event RESYNC = new Event(null, HttpText.ascii("event: resync\ndata: {}\n\n"));

        static Event scriptChanged(Address script) {
            return new Event(
                    script, HttpText.ascii("event: script_changed\ndata: {\"script\":\"" + script.hex() + "\"}\n\n"));
        }

        static Event tip(long height) {
            return new Event(
                    null, HttpText.ascii("event: tip\ndata: {\"height\":" + Long.toUnsignedString(height) + "}\n\n"));
        }
    }

    /** Open push stream with its bounded buffer. Nothing is read: like a node it detects a disconnected client only when it writes. */
    static final class PushStream {
        private final Socket socket;
        private final InetAddress peer;
        private final PushQuery query;
        private final Set<Address> addresses;
        private final Deque<byte[]> pending = new ArrayDeque<>();
        private Alarms.Alarm heartbeat;
        private boolean lost;
        private boolean ended;

        private PushStream(Socket socket, InetAddress peer, PushQuery query) {
            this.socket = socket;
            this.peer = peer;
            this.query = query;
            this.addresses = Set.copyOf(query.addresses());
        }

        private boolean listens(Event event) {
            return event.script() == null ? query.tips() : addresses.contains(event.script());
        }

        /** Queues events; those beyond a full buffer are lost, and the next one that fits is preceded by {@code resync}. */
        private synchronized void offer(List<Event> events) {
            for (Event event : events) {
                if (pending.size() >= BUFFER_EVENTS) {
                    lost = true;
                    continue;
                }
                if (lost) {
                    lost = false;
                    offerRaw(Event.RESYNC.text());
                }
                offerRaw(event.text());
            }
        }

        /** Queues bytes that are no event: the head, a heartbeat. */
        private synchronized void offerRaw(byte[] bytes) {
            pending.add(bytes);
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
            closeQuietly(socket);
        }

        /** Writes what is offered until the stream ends. */
        void run() throws IOException, InterruptedException {
            OutputStream out = socket.getOutputStream();
            for (byte[] next = next(); next != null; next = next()) {
                out.write(next);
            }
        }

        private synchronized byte[] next() throws InterruptedException {
            while (pending.isEmpty() && !ended) {
                wait();
            }
            return ended ? null : pending.remove();
        }
    }
}
