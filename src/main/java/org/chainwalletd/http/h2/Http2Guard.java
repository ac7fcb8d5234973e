package org.chainwalletd.http.h2;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.MemoryReservation;
import org.chainwalletd.http.h2.Http2Violation.Code;

/**
 * Filter between the bytes of an HTTP/2 connection (RFC 9113) and Pekko HTTP that passes on only what Pekko handles well. Pekko 1.3.0 limits
 * neither frames nor header blocks nor the work that a client causes without making progress, accepts several things that the protocol forbids, and
 * does not report a reset request while its answer is being worked on.
 *
 * <p>Called on the connection's stage; another thread asks it whether the client is late.
 */
final class Http2Guard {
    private static final int REFUSED_STREAM = 7;

    /** Length below which a piece of a body costs more to buffer than it carries. */
    private static final int TINY = 64;

    /** Decoded fields take about twice their characters. */
    private static final int COPIES = 2;

    /** Number of streams remembered that the daemon has ended before the client: frames still in transit on them are no violation. */
    private static final int ENDED_HERE = 256;

    /** About half of the memory of a connection that has sent only its preface; the other half is that of TLS. */
    static final int CONNECTION_BYTES = 64 << 10;

    private final Settings.Http2 limits;
    private final Http2Streams exchanges;
    private final MemoryReservation held;
    private final LongSupplier clock;
    private final Http2Frames frames;
    private final Http2HeaderBlock block;
    private final Http2Pace pace;
    private final Map<Integer, Http2Stream> streams = new HashMap<>();
    private final Set<Integer> endedHere = new LinkedHashSet<>();
    private boolean blockEndsStream;
    private long unfinishedSince;
    private boolean counted;
    private boolean prefacePassed;
    private boolean settingsSeen;
    private int largest;
    private long initialWindow = Http2Settings.FIRST_WINDOW;
    private long window = Http2Settings.FIRST_WINDOW;
    private ByteString passed = ByteString.emptyByteString();

    Http2Guard(Settings.Http2 limits, Http2Streams exchanges, MemoryReservation held, LongSupplier clock) {
        this.limits = limits;
        this.exchanges = exchanges;
        this.held = held;
        this.clock = clock;
        this.frames = new Http2Frames(held);
        this.block = new Http2HeaderBlock(limits.maxHeaderBytes(), held);
        this.pace = new Http2Pace(limits, clock);
        this.unfinishedSince = clock.getAsLong();
    }

    /** @param violation reason why no more is read; {@code passed} came before it */
    record Read(ByteString passed, Optional<Http2Violation> violation) {}

    /** Processes bytes from the client; returns those that may be passed on. */
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
        for (Http2Frame frame = frames.next(); frame != null; frame = frames.next()) {
            frame(frame);
            whole = block.stream() == 0;
        }
        if (whole) {
            unfinishedSince = clock.getAsLong();
        }
    }

    private boolean unfinished() {
        return block.stream() != 0 || frames.within();
    }

    private void pass(ByteString bytes) {
        passed = passed.concat(bytes);
    }

    private void frame(Http2Frame frame) {
        int unfinished = block.stream();
        if (unfinished != 0 && (frame.type() != Http2Frame.CONTINUATION || frame.stream() != unfinished)) {
            throw Http2Violation.protocol("a frame within a header block");
        }
        if (!settingsSeen && (frame.type() != Http2Frame.SETTINGS || frame.has(Http2Frame.ACK))) {
            throw Http2Violation.protocol("no settings after the preface");
        }
        switch (frame.type()) {
            case Http2Frame.DATA -> data(frame);
            case Http2Frame.HEADERS -> headers(frame);
            case Http2Frame.CONTINUATION -> continuation(frame);
            case Http2Frame.RST_STREAM -> reset(frame);
            case Http2Frame.SETTINGS -> settings(frame);
            case Http2Frame.PING -> ping(frame);
            case Http2Frame.WINDOW_UPDATE -> windowUpdate(frame);
            case Http2Frame.PRIORITY -> priority(frame);
            case Http2Frame.PUSH_PROMISE -> throw Http2Violation.protocol("a client does not push");
            case Http2Frame.GOAWAY -> {
                frame.requireConnection();
                pace.idle();
            }
            // Unknown frame types must be ignored (section 5.5).
            default -> pace.idle();
        }
    }

    private void data(Http2Frame frame) {
        frame.requireStream();
        int padding = frame.padding(0);
        int bytes = frame.length() - padding;
        boolean last = frame.has(Http2Frame.END_STREAM);
        if (bytes < TINY && !last) {
            pace.idle();
        }
        Http2Stream stream = streams.get(frame.stream());
        if (stream == null) {
            requireOpened(frame);
            if (!endedHere.contains(frame.stream())) {
                throw Http2Violation.of(Code.STREAM_CLOSED, "a body on a stream that has ended");
            }
            pace.idle();
            return;
        }
        if (stream.ended()) {
            throw Http2Violation.of(Code.STREAM_CLOSED, "a body on a stream that has ended");
        }
        stream.received(bytes, last);
        dispatch(frame.stream(), stream);
        endIfDone(frame.stream(), stream);
        pass(frame.masked());
    }

    private void headers(Http2Frame frame) {
        Http2Violation.require(frame.stream() % 2 == 1, "a stream that a client cannot open");
        ByteString fragment = frame.fragment();
        blockEndsStream = frame.has(Http2Frame.END_STREAM);
        fragment(frame, frame.stream(), fragment);
    }

    private void continuation(Http2Frame frame) {
        Http2Violation.require(block.stream() != 0, "the continuation of no header block");
        fragment(frame, block.stream(), frame.whole().drop(Http2Frame.HEADER));
    }

    private void fragment(Http2Frame frame, int id, ByteString bytes) {
        boolean last = frame.has(Http2Frame.END_HEADERS);
        if (bytes.isEmpty() && !last) {
            pace.idle();
        }
        block.add(id, bytes, last).ifPresent(fields -> {
            head(id, fields);
            pass(Http2HeaderBlock.anew(id, fields, blockEndsStream));
        });
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
        Http2Violation.require(blockEndsStream, "trailers that do not end their stream");
        // Pekko drops a request that has trailers and no body.
        Http2Violation.require(stream.hasBody(), "trailers without a body");
        Http2Head.checkTrailers(fields);
        stream.received(0, true);
        endIfDone(id, stream);
    }

    private void open(int id, List<HpackTable.Field> fields) {
        if (id <= largest) {
            throw Http2Violation.of(Code.STREAM_CLOSED, "a header block on a stream that has ended");
        }
        if (streams.size() >= 2 * limits.maxStreams()) {
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
        if (stream.dispatch() && exchanges.dispatched(id, stream.headBytes()) > 2 * limits.maxStreams()) {
            throw Http2Violation.excess("too many requests that were taken back are still being worked on");
        }
    }

    private void reset(Http2Frame frame) {
        frame.requireLength(4);
        frame.requireStream();
        pace.reset();
        Http2Stream stream = streams.get(frame.stream());
        if (stream == null) {
            requireOpened(frame);
            return;
        }
        exchanges.reset(frame.stream());
        remove(frame.stream(), stream);
        pass(frame.masked());
    }

    private void settings(Http2Frame frame) {
        frame.requireConnection();
        pace.settings();
        if (frame.has(Http2Frame.ACK)) {
            frame.requireLength(0);
            pass(frame.masked());
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

    private void ping(Http2Frame frame) {
        frame.requireLength(8);
        frame.requireConnection();
        if (pace.ping(frame.has(Http2Frame.ACK))) {
            pass(frame.masked());
        }
    }

    private void windowUpdate(Http2Frame frame) {
        frame.requireLength(4);
        long by = frame.number(0) & Integer.MAX_VALUE;
        Http2Violation.require(by > 0, "a window that does not change");
        pace.windowUpdate();
        if (frame.stream() == 0) {
            window += by;
            Http2Settings.checkWindow(window);
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
        pass(frame.masked());
    }

    /** Deprecated by RFC 9113, so it is checked and dropped. */
    private void priority(Http2Frame frame) {
        frame.requireStream();
        frame.requireLength(Http2Frame.PRIORITY_BYTES);
        frame.requireOtherStream(0);
        pace.idle();
    }

    /** Observes what Pekko sends; each piece is one frame. */
    synchronized void written(ByteString bytes) {
        if (bytes.length() < Http2Frame.HEADER) {
            return;
        }
        Http2Frame frame = Http2Frame.of(bytes);
        Http2Stream stream = streams.get(frame.stream());
        switch (frame.type()) {
            case Http2Frame.PING -> {
                if (!frame.has(Http2Frame.ACK)) {
                    pace.pingSent();
                }
            }
            case Http2Frame.DATA -> {
                boolean wasFull = window <= 0;
                window -= frame.length();
                pace.sent(frame.length(), frame.has(Http2Frame.END_STREAM));
                if (stream != null) {
                    stream.sent(frame.length(), frame.has(Http2Frame.END_STREAM));
                }
                if (!wasFull && window <= 0) {
                    settle();
                }
            }
            case Http2Frame.HEADERS -> {
                if (stream != null) {
                    stream.answer(frame.has(Http2Frame.END_STREAM));
                }
            }
            case Http2Frame.RST_STREAM -> {
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

    /** View of the guard for its {@link Connection}. */
    Connection.Above within(HttpLimits times) {
        return new Connection.Above() {
            @Override
            public Optional<String> late(long now) {
                return Http2Guard.this.late(times, now);
            }

            @Override
            public boolean atWork() {
                synchronized (Http2Guard.this) {
                    return !streams.isEmpty();
                }
            }
        };
    }

    /** Reason for closing, with the texts of {@link Connection#closeIfLate}; empty when the client is not late. */
    private synchronized Optional<String> late(HttpLimits times, long now) {
        long deadline = times.timeouts().request().toNanos();
        if (unfinished() && now - unfinishedSince > deadline) {
            return Optional.of("request");
        }
        for (Http2Stream stream : streams.values()) {
            if (stream.lateFor(deadline, now)) {
                return Optional.of("request");
            }
            if (stream.stalledFor(times.timeouts().write().toNanos(), now)) {
                return Optional.of("reading");
            }
        }
        return Optional.empty();
    }

    private void requireOpened(Http2Frame frame) {
        Http2Violation.require(
                frame.stream() <= largest && frame.stream() % 2 == 1, "a frame on a stream that was never opened");
    }

    /** Counters of one open HTTP/2 stream. */
    private static final class Http2Stream {
        /** Number of bytes of a response that a client must read within the time-out of a piece. */
        private static final int PIECE = 16 << 10;

        private final long begun;
        private final long announced;
        private final int headBytes;
        private long received;
        /** Whether the client has half-closed the stream. */
        private boolean ended;

        private boolean dispatched;
        private boolean answering;
        private boolean answered;
        private long window;
        private int ofPiece;
        /** Time for which the client had left the current piece unread before {@link #stalledAt}. */
        private long stalled;

        private long stalledAt;
        private boolean isStalled;

        /**
         * @param announced length of the body, or {@link Http2Head#UNKNOWN}
         * @param headBytes accounted size of the head
         * @param window number of bytes of the response that the client accepts before it extends the window
         */
        Http2Stream(long begun, long announced, int headBytes, long window) {
            this.begun = begun;
            this.announced = announced;
            this.headBytes = headBytes;
            this.window = window;
        }

        /**
         * @param bytes number of body bytes, without padding
         * @throws Http2Violation if the body is not as long as announced
         */
        void received(int bytes, boolean last) {
            received += bytes;
            ended |= last;
            if (announced != Http2Head.UNKNOWN && (received > announced || ended && received < announced)) {
                throw Http2Violation.protocol("a body that is not as long as announced");
            }
        }

        boolean hasBody() {
            return received > 0;
        }

        boolean ended() {
            return ended;
        }

        /** Returns whether the request had not been passed to the daemon before: Pekko does so with its first byte of body or its end. */
        boolean dispatch() {
            boolean now = !dispatched && (ended || received > 0);
            dispatched |= now;
            return now;
        }

        boolean dispatched() {
            return dispatched;
        }

        int headBytes() {
            return headBytes;
        }

        boolean answered() {
            return answered;
        }

        void widen(long by) {
            window += by;
            Http2Settings.checkWindow(window);
        }

        void answer(boolean last) {
            answering = true;
            answered |= last;
        }

        void sent(int bytes, boolean last) {
            window -= bytes;
            ofPiece += bytes;
            if (ofPiece >= PIECE) {
                ofPiece = 0;
                stalled = 0;
                isStalled = false;
            }
            answered |= last;
        }

        /** Determines again whether a response waits for its client to accept more. */
        void settle(boolean connectionIsFull, long now) {
            boolean stalls = answering && !answered && (connectionIsFull || window <= 0);
            if (isStalled && !stalls) {
                stalled += now - stalledAt;
            } else if (!isStalled && stalls) {
                stalledAt = now;
            }
            isStalled = stalls;
        }

        /** Whether a response has waited for longer than {@code nanos}. */
        boolean stalledFor(long nanos, long now) {
            return isStalled && stalled + (now - stalledAt) > nanos;
        }

        /** Whether the client has not sent its whole request within {@code nanos}; twice that if the daemon already reads the body. */
        boolean lateFor(long nanos, long now) {
            return !ended && now - begun > (dispatched ? 2 * nanos : nanos);
        }
    }
}
