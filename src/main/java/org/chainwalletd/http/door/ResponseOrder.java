package org.chainwalletd.http.door;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Order of requests and responses on one connection: whether the client is to send, the daemon to answer, or the peer to close, and since
 * when; the progress of the response being written ({@link Writes}); and what follows from both: which deadline the client has missed, and since
 * when the daemon has been waiting for it. Guarded by {@link Connection}; times are those of {@link HttpLimits.Timeouts#nanoTime}.
 */
final class ResponseOrder {
    /** Time that a draining connection gives the peer to read the last answer and to close. */
    private static final long TO_READ_THE_LAST = TimeUnit.MILLISECONDS.toNanos(200);

    /** Time after which a client that has stopped reading its answer, or does not close after its last one, counts as idle. */
    private static final long TO_GO_ON = TimeUnit.SECONDS.toNanos(1);

    private static final Optional<String> READING = Optional.of("reading");

    private final HttpLimits limits;
    private final LongSupplier clock;
    private final Writes writes;

    private enum State {
        /** No byte of a next request has arrived. */
        IDLE,
        /** A part of a request has arrived. */
        RECEIVING,
        /** The daemon works on an answer. */
        ANSWERING,
        /** The daemon works on an answer; the client has closed its sending side and may have disconnected. */
        HALF_CLOSED,
        /** All output is written, which the system may still be sending; the peer has not closed yet. */
        CLOSING
    }

    private State state = State.IDLE;
    private long since;
    private boolean http2;
    private int inFlight;
    /** Open answers without an end, such as event streams. */
    private int streams;

    /** Bytes have arrived beyond the request that is being answered. */
    private boolean more;
    /** The client has closed its sending side; its last request may still be unread. */
    private boolean peerEnded;

    ResponseOrder(HttpLimits limits) {
        this.limits = limits;
        this.clock = limits.timeouts().nanoTime();
        this.writes = new Writes(clock);
        this.since = clock.getAsLong();
    }

    private void now(State next) {
        state = next;
        since = clock.getAsLong();
    }

    /** Switches to HTTP/2; earlier input does not count. */
    void speaksHttp2() {
        http2 = true;
        now(State.IDLE);
    }

    boolean isHttp2() {
        return http2;
    }

    void bytesArrived() {
        if (state == State.IDLE && !http2) {
            now(State.RECEIVING);
        } else if (state == State.ANSWERING) {
            more = true;
        }
    }

    /** Records that bytes of a request are being read. */
    void requestIsRead() {
        if (state == State.IDLE) {
            now(State.RECEIVING);
        }
    }

    /** Records that the last byte of a request has arrived. */
    void requestArrived() {
        inFlight++;
        if (state != State.HALF_CLOSED) {
            now(peerEnded ? State.HALF_CLOSED : State.ANSWERING);
            more = false;
        }
    }

    void answered() {
        inFlight = Math.max(0, inFlight - 1);
        if (inFlight == 0 && state == State.ANSWERING) {
            now(more && !http2 ? State.RECEIVING : State.IDLE);
            more = false;
        }
    }

    void streamBegan() {
        streams++;
    }

    void streamEnded() {
        streams = Math.max(0, streams - 1);
        if (isIdle()) {
            now(State.IDLE);
        }
    }

    void peerClosed() {
        peerEnded = true;
        if (state == State.ANSWERING || streams > 0) {
            now(State.HALF_CLOSED);
        }
    }

    /** Records that an answer is still being written: the time that the client has for its next request has not begun. */
    void answerGoesOut(long now) {
        if (isClients()) {
            since = now;
        }
    }

    /** Records that everything is written. */
    void outputEnded() {
        now(State.CLOSING);
    }

    /** Whether no request of the client is being answered. */
    boolean isClients() {
        return state == State.RECEIVING || state == State.IDLE;
    }

    boolean isIdle() {
        return state == State.IDLE && streams == 0;
    }

    boolean isStreaming() {
        return streams > 0;
    }

    boolean isAllAnswered() {
        return inFlight == 0 && streams == 0;
    }

    /** Whether the client has closed its sending side and waits for the answer to one whole request. */
    boolean isOneRequestOfHalfClosed() {
        return state == State.HALF_CLOSED && inFlight == 1 && streams == 0;
    }

    /** Nanoseconds. */
    long lastsFor(long now) {
        return now - since;
    }

    /** Names what the client is late with, as far as it does not concern an answer: request, closing, gone. */
    private Optional<String> requestLate(long now) {
        return switch (state) {
            case RECEIVING -> late("request", limits.timeouts().request(), now);
            case CLOSING -> late("closing", limits.timeouts().halfClosed(), now);
            case HALF_CLOSED -> late("gone", limits.timeouts().halfClosed(), now);
            case IDLE, ANSWERING -> Optional.empty();
        };
    }

    private Optional<String> late(String with, Duration deadline, long now) {
        return lastsFor(now) > deadline.toNanos() ? Optional.of(with) : Optional.empty();
    }

    Writes writes() {
        return writes;
    }

    /** Names what the client is late with; sending its request comes before anything else. */
    Optional<String> late(long now) {
        boolean reading = writes.lateFor(limits.timeouts().write(), now);
        return reading && !isClients() ? READING : requestLate(now).or(() -> reading ? READING : Optional.empty());
    }

    /** Whether the connection has been idle for longer than its keep-alive timeout. */
    boolean idleTooLong(long now) {
        return isIdle() && lastsFor(now) > limits.timeouts().keepAlive().toNanos();
    }

    /** Whether the peer's time for reading the last answer of a draining connection has elapsed. */
    boolean hasReadTheLast(long now) {
        return state == State.CLOSING && lastsFor(now) > TO_READ_THE_LAST;
    }

    /**
     * Returns the time since which the daemon has waited for the client: for a request, or for a client that has stopped reading or does not
     * close. Empty while a request is in progress or an answer is being sent.
     */
    OptionalLong quietSince(long now) {
        long lasts = quietFor(now);
        return lasts < 0 ? OptionalLong.empty() : OptionalLong.of(now - lasts);
    }

    /** Negative when it is not quiet. */
    private long quietFor(long now) {
        if (state == State.CLOSING) {
            return lastsFor(now) - TO_GO_ON;
        }
        if (!isClients() || !isAllAnswered()) {
            return -1;
        }
        if (writes.writing()) {
            return writes.lastsFor(now) - TO_GO_ON;
        }
        return writes.isAwaited() ? -1 : lastsFor(now);
    }

    /** Progress of the response that is being written to a connection. */
    static final class Writes {
        private final LongSupplier clock;
        private boolean writing;
        private long since;
        private Runnable written;
        private boolean lastPieceOut;
        /** A write that started before the last piece of the answer was sent to the socket. */
        private boolean earlierWrite;
        /** Answers produced so far over HTTP/1, and those of them whose first bytes have been written. */
        private int given;

        private int begun;

        Writes(LongSupplier clock) {
            this.clock = clock;
        }

        void answerGiven() {
            given++;
        }

        /** Whether the next bytes belong to an answer of the daemon; called once for each piece. */
        boolean isOfAnAnswer() {
            boolean ours = given != begun || isAwaited();
            begun = given;
            return ours;
        }

        /** Whether an answer over HTTP/1 is produced but not completely written, even while none of its pieces is being written. */
        boolean isUnderWay() {
            return writing || given != begun || isAwaited();
        }

        /** Whether an action awaits the end of the answer. */
        boolean isAwaited() {
            return written != null;
        }

        boolean writing() {
            return writing;
        }

        /** Whether the present piece waits longer for its reader than {@code deadline}. */
        boolean lateFor(Duration deadline, long now) {
            return writing && lastsFor(now) > deadline.toNanos();
        }

        /** Nanoseconds for which the present piece has waited. */
        long lastsFor(long now) {
            return now - since;
        }

        void started() {
            writing = true;
            since = clock.getAsLong();
        }

        /** Returns the action to run now. */
        Runnable done() {
            writing = false;
            Runnable ending = lastPieceOut && !earlierWrite ? end() : () -> {};
            earlierWrite = false;
            return ending;
        }

        /** Returns the action that was registered for an earlier answer. */
        Runnable whenWritten(Runnable next) {
            Runnable before = end();
            written = next;
            return before;
        }

        /** The last piece is on its way to the socket. */
        void lastPiece() {
            lastPieceOut = true;
            earlierWrite = writing;
        }

        /** Records that the answer is written or the connection closed. Returns the action to run now. */
        Runnable end() {
            Runnable taken = written == null ? () -> {} : written;
            written = null;
            lastPieceOut = false;
            return taken;
        }
    }
}
