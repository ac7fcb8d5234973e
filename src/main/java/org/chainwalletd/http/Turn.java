package org.chainwalletd.http;

import java.time.Duration;
import java.util.Optional;

/** Whose turn it is on a connection, and since when: the client's to send, the daemon's to answer, or the peer's to close. Guarded by {@link Connection}. */
final class Turn {
    private enum State {
        /** Nothing of a next request has arrived. */
        IDLE,
        /** A part of a request has arrived. */
        RECEIVING,
        /** The daemon works on an answer. */
        ANSWERING,
        /** The daemon works on an answer whose reader has closed its sending side and may be gone. */
        HALF_CLOSED,
        /** Everything is written, the peer has yet to close. */
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

    /** Nothing that came before counts. */
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

    /** Nothing more will be written. */
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

    boolean isIdleFor(Duration time, long now) {
        return isIdle() && lastsFor(now) > time.toNanos();
    }

    boolean isStreaming() {
        return streams > 0;
    }

    boolean isAllAnswered() {
        return inFlight == 0 && streams == 0;
    }

    boolean isClosing() {
        return state == State.CLOSING;
    }

    /** Whether the client has closed its sending side and waits for the answer to one whole request. */
    boolean isOneRequestOfHalfClosed() {
        return state == State.HALF_CLOSED && inFlight == 1 && streams == 0;
    }

    /** Nanoseconds. */
    long lastsFor(long now) {
        return now - since;
    }

    /** What the client is late with: request, closing, gone. */
    Optional<String> late(HttpLimits limits, long now) {
        return switch (state) {
            case RECEIVING -> late("request", limits.patience().request(), now);
            case CLOSING -> late("closing", limits.patience().halfClosed(), now);
            case HALF_CLOSED -> late("gone", limits.patience().halfClosed(), now);
            case IDLE, ANSWERING -> Optional.empty();
        };
    }

    private Optional<String> late(String with, Duration deadline, long now) {
        return lastsFor(now) > deadline.toNanos() ? Optional.of(with) : Optional.empty();
    }
}
