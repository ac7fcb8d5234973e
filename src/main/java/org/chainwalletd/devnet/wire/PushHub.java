package org.chainwalletd.devnet.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;

/** All open push streams: admission limits, subscriptions by address, heartbeats. Touched by the selector thread alone. */
final class PushHub {
    static final int MAX_STREAMS = 2_048;
    static final int MAX_STREAMS_PER_PEER = 64;
    static final long HEARTBEAT_MILLIS = 25_000;

    private static final byte[] HEARTBEAT = HttpText.ascii(": heartbeat\n\n");

    /** Streams in the order of their next heartbeat, the first due first; the interval is the same for all. */
    private final Set<PushStream> streams = new LinkedHashSet<>();

    private final Map<Address, Set<PushStream>> listeners = new HashMap<>();
    private final Map<InetAddress, Integer> perPeer = new HashMap<>();
    private volatile boolean switchedOn = true;
    private volatile int open;

    void switchOn(boolean on) {
        switchedOn = on;
    }

    boolean hasStreams() {
        return open > 0;
    }

    /** Why a further stream from {@code peer} is refused, in the order in which a node tests. */
    Optional<HttpText.Refusal> refuses(InetAddress peer) {
        if (!switchedOn) {
            return Optional.of(HttpText.Refusal.PUSH_OFF);
        }
        if (streams.size() >= MAX_STREAMS) {
            return Optional.of(HttpText.Refusal.PUSH_FULL);
        }
        if (perPeer.getOrDefault(peer, 0) >= MAX_STREAMS_PER_PEER) {
            return Optional.of(HttpText.Refusal.PUSH_PER_PEER);
        }
        return Optional.empty();
    }

    /** Admits a stream and sends its first events: one per listed address, duplicates repeated. */
    void open(PushStream stream, long now) {
        stream.nextHeartbeat = now + HEARTBEAT_MILLIS;
        streams.add(stream);
        open = streams.size();
        perPeer.merge(stream.peer, 1, Integer::sum);
        stream.offerRaw(HttpText.STREAM_HEAD);
        for (Address address : stream.query.addresses()) {
            listeners.computeIfAbsent(address, a -> new LinkedHashSet<>()).add(stream);
            stream.offer(Event.scriptChanged(address));
        }
        flush(stream);
    }

    /** Delivers events in order to their subscribers; those of one change may overflow a stream's buffer before any of them is written. */
    void publish(List<Event> events) {
        Set<PushStream> touched = new HashSet<>();
        for (Event event : events) {
            for (PushStream stream : receivers(event)) {
                stream.offer(event);
                touched.add(stream);
            }
        }
        touched.forEach(this::flush);
    }

    private Set<PushStream> receivers(Event event) {
        if (event.script() != null) {
            return listeners.getOrDefault(event.script(), Set.of());
        }
        Set<PushStream> followers = new LinkedHashSet<>();
        for (PushStream stream : streams) {
            if (stream.query.tips()) {
                followers.add(stream);
            }
        }
        return followers;
    }

    /** Sends the heartbeats that are due. */
    void beat(long now) {
        while (!streams.isEmpty()) {
            PushStream first = streams.iterator().next();
            if (first.nextHeartbeat > now) {
                return;
            }
            streams.remove(first);
            first.nextHeartbeat = now + HEARTBEAT_MILLIS;
            streams.add(first);
            first.offerRaw(HEARTBEAT);
            flush(first);
        }
    }

    /** Time of the next heartbeat; {@link Long#MAX_VALUE} without streams. */
    long nextBeat() {
        return streams.isEmpty() ? Long.MAX_VALUE : streams.iterator().next().nextHeartbeat;
    }

    void flush(PushStream stream) {
        try {
            stream.flush();
        } catch (IOException | RuntimeException e) {
            close(stream);
        }
    }

    void close(PushStream stream) {
        if (!streams.remove(stream)) {
            return;
        }
        open = streams.size();
        perPeer.computeIfPresent(stream.peer, (peer, count) -> count == 1 ? null : count - 1);
        for (Address address : stream.query.addresses()) {
            listeners.computeIfPresent(address, (a, listening) -> {
                listening.remove(stream);
                return listening.isEmpty() ? null : listening;
            });
        }
        NodeServer.closeQuietly(stream.channel);
    }

    void closeAll() {
        List.copyOf(streams).forEach(this::close);
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
}
