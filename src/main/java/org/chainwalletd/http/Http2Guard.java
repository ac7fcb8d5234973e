package org.chainwalletd.http;

import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.Http2Frames.Frame;
import org.chainwalletd.http.Http2Violation.Code;

/**
 * Stands between the bytes of an HTTP/2 connection (RFC 9113) and Pekko HTTP, and lets through what Pekko deals with well. Pekko 1.3.0 bounds
 * neither frames nor header blocks nor what a client makes it do without getting on, takes several things that the protocol forbids, and keeps
 * a reset request to itself while its answer is being worked on.
 *
 * <p>Called on the connection's stage; asked for what is late by another thread.
 */
final class Http2Guard {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = Http2Settings.FRAME_TYPE;
    private static final int PUSH_PROMISE = 5;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;

    private static final int END_STREAM = 0x1;
    private static final int ACK = Http2Settings.ACK;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int PRIORITISED = 0x20;
    private static final int PRIORITY_BYTES = 5;

    private static final int REFUSED_STREAM = 7;

    /** A shorter piece of a body costs more to keep than it brings. */
    private static final int TINY = 64;

    /** A client that takes an answer has no reason to say so more often. */
    private static final int UPDATE_FOR = 1024;

    /** Decoded fields weigh about twice their characters; an unfinished block is kept here and in Pekko. */
    private static final int COPIES = 2;

    /** Streams that the daemon has ended before the client: what is on its way on them is no fault. */
    private static final int ENDED_HERE = 256;

    /** About half of what a connection weighs that has said its preface and nothing else; the other half is that of TLS. */
    static final int CONNECTION_BYTES = 64 << 10;

    private final Http2Limits limits;
    private final Http2Streams exchanges;
    private final Held held;
    private final LongSupplier clock;
    private final Http2Frames frames;
    private final HpackDecoder decoder;
    private final Http2Rate pings;
    private final Http2Rate settings;
    private final Http2Rate resets;
    private final Http2Rate idle;
    private final Map<Integer, Http2Stream> streams = new HashMap<>();
    private final Set<Integer> endedHere = new LinkedHashSet<>();
    private final ByteArrayOutputStream block = new ByteArrayOutputStream();
    /** The stream of a header block that has not ended; 0 for none. */
    private int blockOf;

    private boolean blockEndsStream;
    private long unfinishedSince;
    private boolean counted;
    private boolean prefacePassed;
    private boolean settingsSeen;
    private int largest;
    private long initialWindow = Http2Settings.FIRST_WINDOW;
    private long window = Http2Settings.FIRST_WINDOW;
    private long sentSinceUpdate;
    private int pingsOut;
    private ByteString passed = ByteString.emptyByteString();

    Http2Guard(Http2Limits limits, Http2Streams exchanges, Held held, LongSupplier clock) {
        this.limits = limits;
        this.exchanges = exchanges;
        this.held = held;
        this.clock = clock;
        this.frames = new Http2Frames(held);
        this.decoder = new HpackDecoder(limits.headerBytes());
        long now = clock.getAsLong();
        int rate = limits.controlPerSecond();
        this.pings = new Http2Rate(rate, rate, now);
        this.settings = new Http2Rate(rate, rate, now);
        // All that a client may have open it may also take back at once.
        this.resets = new Http2Rate(rate, Math.max(rate, limits.streams()), now);
        this.idle = new Http2Rate(rate, rate, now);
        this.unfinishedSince = now;
    }

    /** @param violation why nothing more is to be read; what is passed came before it */
    record Read(ByteString passed, Optional<Http2Violation> violation) {}

    /** Takes what the client has sent, and returns what of it may go on. */
    synchronized Read read(ByteString bytes) {
        Optional<Http2Violation> violation = Optional.empty();
        try {
            readAll(bytes);
        } catch (Http2Violation e) {
            violation = Optional.of(e);
        }
        Read read = new Read(passed, violation);
        passed = ByteString.emptyByteString();
        return read;
    }

    private void readAll(ByteString bytes) {
        if (!counted && !held.take(CONNECTION_BYTES)) {
            throw Http2Violation.memory();
        }
        counted = true;
        boolean whole = !unfinished();
        frames.add(bytes);
        if (!prefacePassed) {
            if (!frames.prefaceSaid()) {
                return;
            }
            prefacePassed = true;
            pass(Http2Frames.preface());
        }
        for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
            frame(frame);
            whole = blockOf == 0;
        }
        if (whole) {
            unfinishedSince = clock.getAsLong();
        }
    }

    private boolean unfinished() {
        return blockOf != 0 || frames.within();
    }

    private void pass(ByteString bytes) {
        passed = passed.concat(bytes);
    }

    private void frame(Frame frame) {
        if (blockOf != 0 && (frame.type() != CONTINUATION || frame.stream() != blockOf)) {
            throw Http2Violation.protocol("a frame within a header block");
        }
        if (!settingsSeen && (frame.type() != SETTINGS || frame.has(ACK))) {
            throw Http2Violation.protocol("no settings after the preface");
        }
        switch (frame.type()) {
            case DATA -> data(frame);
            case HEADERS -> headers(frame);
            case CONTINUATION -> continuation(frame);
            case RST_STREAM -> reset(frame);
            case SETTINGS -> settings(frame);
            case PING -> ping(frame);
            case WINDOW_UPDATE -> windowUpdate(frame);
            case PRIORITY -> priority(frame);
            case PUSH_PROMISE -> throw Http2Violation.protocol("a client does not push");
            case GOAWAY -> {
                require(frame.stream() == 0, "a frame of the connection on a stream");
                idle.count(clock.getAsLong());
            }
            // Unknown ones are to be ignored (section 5.5).
            default -> idle.count(clock.getAsLong());
        }
    }

    private void data(Frame frame) {
        require(frame.stream() != 0, "a frame of a stream on none");
        int padding = padding(frame, 0);
        int bytes = frame.length() - padding;
        boolean last = frame.has(END_STREAM);
        if (bytes < TINY && !last) {
            idle.count(clock.getAsLong());
        }
        Http2Stream stream = streams.get(frame.stream());
        if (stream == null) {
            requireOpened(frame);
            if (!endedHere.contains(frame.stream())) {
                throw Http2Violation.of(Code.STREAM_CLOSED, "a body on a stream that has ended");
            }
            idle.count(clock.getAsLong());
            return;
        }
        if (stream.ended()) {
            throw Http2Violation.of(Code.STREAM_CLOSED, "a body on a stream that has ended");
        }
        stream.received(bytes, last);
        dispatch(frame.stream(), stream);
        endIfDone(frame.stream(), stream);
        pass(masked(frame));
    }

    private void headers(Frame frame) {
        int id = frame.stream();
        require(id % 2 == 1, "a stream that a client cannot open");
        int before = frame.has(PRIORITISED) ? PRIORITY_BYTES : 0;
        int padding = padding(frame, before);
        if (before > 0) {
            int at = frame.has(PADDED) ? 1 : 0;
            require((frame.number(at) & Integer.MAX_VALUE) != id, "a stream that depends on itself");
        }
        int from = Http2Frames.HEADER + before + (frame.has(PADDED) ? 1 : 0);
        int length = frame.length() - before - padding;
        blockEndsStream = frame.has(END_STREAM);
        fragment(frame, id, frame.whole().slice(from, from + length));
    }

    private void continuation(Frame frame) {
        require(blockOf != 0, "the continuation of no header block");
        fragment(frame, blockOf, frame.whole().drop(Http2Frames.HEADER));
    }

    private void fragment(Frame frame, int id, ByteString bytes) {
        boolean last = frame.has(END_HEADERS);
        if (bytes.isEmpty() && !last) {
            idle.count(clock.getAsLong());
        }
        if (block.size() + bytes.length() > limits.headerBytes()) {
            throw Http2Violation.excess("a header block is too long");
        }
        if (last && block.size() == 0) {
            blockOf = 0;
            head(id, decoder.decode(bytes.toArray()));
        } else {
            if (!held.take((long) COPIES * bytes.length())) {
                throw Http2Violation.memory();
            }
            block.writeBytes(bytes.toArray());
            blockOf = id;
            if (last) {
                byte[] whole = block.toByteArray();
                held.giveBack((long) COPIES * whole.length);
                block.reset();
                blockOf = 0;
                head(id, decoder.decode(whole));
            }
        }
        pass(masked(frame));
    }

    private void head(int id, List<HpackTable.Field> fields) {
        Http2Stream stream = streams.get(id);
        if (stream == null) {
            open(id, fields);
            return;
        }
        if (stream.ended()) {
            throw Http2Violation.of(Code.STREAM_CLOSED, "a header block on a stream that has ended");
        }
        require(blockEndsStream, "trailers that do not end their stream");
        // Pekko forgets the request that has trailers and no body.
        require(stream.hasBody(), "trailers without a body");
        Http2Head.checkTrailers(fields);
        stream.received(0, true);
        endIfDone(id, stream);
    }

    private void open(int id, List<HpackTable.Field> fields) {
        if (id <= largest) {
            throw Http2Violation.of(Code.STREAM_CLOSED, "a header block on a stream that has ended");
        }
        if (streams.size() >= 2 * limits.streams()) {
            throw Http2Violation.excess("too many streams");
        }
        long announced = Http2Head.ofRequest(fields);
        int bytes = COPIES * fields.stream().mapToInt(HpackTable.Field::size).sum();
        if (!held.take(bytes)) {
            throw Http2Violation.memory();
        }
        largest = id;
        Http2Stream stream = new Http2Stream(clock.getAsLong(), announced, bytes, initialWindow);
        streams.put(id, stream);
        stream.received(0, blockEndsStream);
        dispatch(id, stream);
    }

    private void dispatch(int id, Http2Stream stream) {
        if (stream.dispatch() && exchanges.dispatched(id, stream.headBytes()) > 2 * limits.streams()) {
            throw Http2Violation.excess("too many requests that were taken back are still being worked on");
        }
    }

    private void reset(Frame frame) {
        requireLength(frame, 4);
        require(frame.stream() != 0, "a frame of a stream on none");
        resets.count(clock.getAsLong());
        Http2Stream stream = streams.get(frame.stream());
        if (stream == null) {
            requireOpened(frame);
            return;
        }
        exchanges.reset(frame.stream());
        remove(frame.stream(), stream);
        pass(masked(frame));
    }

    private void settings(Frame frame) {
        require(frame.stream() == 0, "a frame of the connection on a stream");
        settings.count(clock.getAsLong());
        if (frame.has(ACK)) {
            requireLength(frame, 0);
            pass(masked(frame));
            return;
        }
        Http2Settings said = Http2Settings.of(frame);
        long before = initialWindow;
        initialWindow = said.initialWindow(before);
        for (Http2Stream stream : streams.values()) {
            stream.widen(initialWindow - before);
        }
        settle();
        settingsSeen = true;
        pass(said.frame());
    }

    private void ping(Frame frame) {
        requireLength(frame, 8);
        require(frame.stream() == 0, "a frame of the connection on a stream");
        pings.count(clock.getAsLong());
        if (frame.has(ACK)) {
            if (pingsOut == 0) {
                return;
            }
            pingsOut--;
        }
        pass(masked(frame));
    }

    private void windowUpdate(Frame frame) {
        requireLength(frame, 4);
        long by = frame.number(0) & Integer.MAX_VALUE;
        require(by > 0, "a window that does not change");
        if (sentSinceUpdate < UPDATE_FOR) {
            idle.count(clock.getAsLong());
        } else {
            sentSinceUpdate -= UPDATE_FOR;
        }
        if (frame.stream() == 0) {
            window += by;
            if (window > Http2Settings.LARGEST_WINDOW) {
                throw Http2Violation.of(Code.FLOW_CONTROL_ERROR, "a window that is too large");
            }
            settle();
        } else {
            Http2Stream stream = streams.get(frame.stream());
            if (stream == null) {
                requireOpened(frame);
                return;
            }
            stream.widen(by);
            stream.settle(window <= 0, clock.getAsLong());
        }
        pass(masked(frame));
    }

    /** Withdrawn by RFC 9113, so it is checked and dropped. */
    private void priority(Frame frame) {
        require(frame.stream() != 0, "a frame of a stream on none");
        requireLength(frame, PRIORITY_BYTES);
        require((frame.number(0) & Integer.MAX_VALUE) != frame.stream(), "a stream that depends on itself");
        idle.count(clock.getAsLong());
    }

    /** Reads along with what Pekko sends; each piece is one frame. */
    synchronized void written(ByteString bytes) {
        if (bytes.length() < Http2Frames.HEADER) {
            return;
        }
        Frame frame = Frame.of(bytes);
        Http2Stream stream = streams.get(frame.stream());
        switch (frame.type()) {
            case PING -> pingsOut += frame.has(ACK) ? 0 : 1;
            case DATA -> {
                boolean wasFull = window <= 0;
                window -= frame.length();
                // The last piece of an answer may be acknowledged, however short it is.
                sentSinceUpdate += frame.has(END_STREAM) ? Math.max(UPDATE_FOR, frame.length()) : frame.length();
                if (stream != null) {
                    stream.sent(frame.length(), frame.has(END_STREAM));
                }
                if (!wasFull && window <= 0) {
                    settle();
                }
            }
            case HEADERS -> {
                if (stream != null) {
                    stream.answer(frame.has(END_STREAM));
                }
            }
            case RST_STREAM -> {
                if (stream != null) {
                    endHere(frame.stream(), stream);
                }
                if (frame.length() == 4 && frame.number(0) == REFUSED_STREAM) {
                    exchanges.refused(frame.stream());
                }
                stream = null;
            }
            default -> {}
        }
        if (stream != null) {
            stream.settle(window <= 0, clock.getAsLong());
            endIfDone(frame.stream(), stream);
        }
    }

    private void settle() {
        long now = clock.getAsLong();
        streams.values().forEach(stream -> stream.settle(window <= 0, now));
    }

    private void endIfDone(int id, Http2Stream stream) {
        if (stream.answered()) {
            exchanges.written(id);
            if (stream.ended()) {
                remove(id, stream);
            }
        }
    }

    private void endHere(int id, Http2Stream stream) {
        exchanges.reset(id);
        remove(id, stream);
        if (!stream.ended()) {
            endedHere.add(id);
            if (endedHere.size() > ENDED_HERE) {
                endedHere.remove(endedHere.iterator().next());
            }
        }
    }

    private void remove(int id, Http2Stream stream) {
        streams.remove(id);
        exchanges.written(id);
        if (!stream.dispatched()) {
            held.giveBack(stream.headBytes());
        }
    }

    /** What the client is late with, in the words of {@link Connection#closeIfLate}; empty when it is not. */
    synchronized Optional<String> late(HttpLimits times, long now) {
        long deadline = times.requestDeadline().toNanos();
        if (unfinished() && now - unfinishedSince > deadline) {
            return Optional.of("request");
        }
        for (Http2Stream stream : streams.values()) {
            if (stream.lateFor(deadline, now)) {
                return Optional.of("request");
            }
            if (stream.stalledFor(times.writeDeadline().toNanos(), now)) {
                return Optional.of("reading");
            }
        }
        return Optional.empty();
    }

    /** Bytes of padding, with the one that tells them. */
    private static int padding(Frame frame, int before) {
        int padding = 0;
        if (frame.has(PADDED)) {
            require(frame.length() > 0, "padding that is longer than its frame");
            padding = 1 + frame.octet(0);
        }
        require(padding + before <= frame.length(), "padding that is longer than its frame");
        return padding;
    }

    /** The reserved bit of a stream's number is to be ignored (section 4.1). */
    private static ByteString masked(Frame frame) {
        if (frame.whole().apply(5) >= 0) {
            return frame.whole();
        }
        byte[] bytes = frame.whole().toArray();
        bytes[5] &= 0x7f;
        return ByteString.fromArrayUnsafe(bytes);
    }

    private void requireOpened(Frame frame) {
        require(frame.stream() <= largest && frame.stream() % 2 == 1, "a frame on a stream that was never opened");
    }

    private static void require(boolean kept, String otherwise) {
        if (!kept) {
            throw Http2Violation.protocol(otherwise);
        }
    }

    private static void requireLength(Frame frame, int length) {
        if (frame.length() != length) {
            throw Http2Violation.of(Code.FRAME_SIZE_ERROR, "a frame that has not the length of its kind");
        }
    }
}
