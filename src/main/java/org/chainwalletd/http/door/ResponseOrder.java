package org.chainwalletd.http.door;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Order of requests and responses on one connection: whose turn it is (the client's to send, the daemon's to answer, or the peer's to close) and since
 * when, how far the response is that goes out ({@link Writes}), and what follows from both: what the client is late with, and since when it is owed
 * nothing. Guarded by {@link Connection}; times are nanoseconds of {@link System#nanoTime}.
 */
final class ResponseOrder {
    /** Time of a peer for reading the last answer, and closing, before a stop ends the connection. */
    private static final long TO_READ_THE_LAST = TimeUnit.MILLISECONDS.toNanos(200);

    /** A client that takes no more of its answer, or does not close after its last, is as good as idle from then on. */
    private static final long TO_GO_ON = TimeUnit.SECONDS.toNanos(1);

    private static final Optional<String> READING = Optional.of("reading");

    private final HttpLimits limits;
    private final Writes writes = new Writes();

    private enum State {
        /** No byte of a next request has arrived. */
        IDLE,
        /** A part of a request has arrived. */
        RECEIVING,
        /** The daemon works on an answer. */
        ANSWERING,
        /** The daemon works on an answer whose reader has closed its sending side and may be gone. */
        HALF_CLOSED,
        /** All is written; the peer has not closed yet. */
        CLOSING
    }

    private State state = State.IDLE;
    private long since = System.nanoTime();
    private boolean http2;
    private int inFlight;
    /** Answers that go on after they have begun. */
    private int streams;

    /** Bytes have come beyond the request that is being answered. */
    private boolean more;
    /** The client sends no more; its last request may not be read yet. */
    private boolean peerEnded;

    private void now(State next) {
        state = next;
        since = System.nanoTime();
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

    /** Some bytes of a request are being read. */
    void requestIsRead() {
        if (state == State.IDLE) {
            now(State.RECEIVING);
        }
    }

    /** The last byte of a request is here. */
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

    /** Records that nothing more will be written. */
    void outputEnded() {
        now(State.CLOSING);
    }

    /** Whether nothing of the client is being answered. */
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

    ResponseOrder(HttpLimits limits) {
        this.limits = limits;
    }

    Writes writes() {
        return writes;
    }

    /** Names what the client is late with; sending its request comes before anything else. */
    Optional<String> late(long now) {
        boolean reading = writes.lateFor(limits.timeouts().write(), now);
        return reading && !isClients() ? READING : requestLate(now).or(() -> reading ? READING : Optional.empty());
    }

    /** Whether nothing has come for as long as a connection may be kept. */
    boolean idleTooLong(long now) {
        return isIdle() && lastsFor(now) > limits.timeouts().keepAlive().toNanos();
    }

    /** Whether the peer has had its time for reading the last answer of a stop. */
    boolean hasReadTheLast(long now) {
        return state == State.CLOSING && lastsFor(now) > TO_READ_THE_LAST;
    }

    /**
     * Since when the daemon owes the client nothing: it waits for a request, or for a client that does not go on with reading or closing.
     * Empty while a request of it is in work, or an answer goes out.
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
        private boolean writing;
        private long since;
        private Runnable written;
        private boolean lastPieceOut;
        /** A write that began before the last piece of the answer was on its way. */
        private boolean earlierWrite;
        /** Answers over HTTP/1 that were given so far, and those of them that have begun to go out. */
        private int given;

        private int begun;

        void answerGiven() {
            given++;
        }

        /** Whether the bytes that come are those of an answer that somebody has given; asked once for each piece. */
        boolean isOfAnAnswer() {
            boolean ours = given != begun || isAwaited();
            begun = given;
            return ours;
        }

        /** Whether an answer over HTTP/1 is given and not all out, also while none of its pieces is being written. */
        boolean isUnderWay() {
            return writing || given != begun || isAwaited();
        }

        /** Whether somebody is to be told when the answer is out. */
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
            since = System.nanoTime();
        }

        /** Returns what is to run now. */
        Runnable done() {
            writing = false;
            Runnable ending = lastPieceOut && !earlierWrite ? end() : () -> {};
            earlierWrite = false;
            return ending;
        }

        /** Returns what was to run after an earlier answer. */
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

        /** The answer is out, or the connection gone. Returns what is to run now. */
        Runnable end() {
            Runnable taken = written == null ? () -> {} : written;
            written = null;
            lastPieceOut = false;
            return taken;
        }
    }
}
