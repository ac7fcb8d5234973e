package org.chainwalletd.http;

import org.chainwalletd.http.Http2Violation.Code;

/** What has gone over one HTTP/2 stream that is not at its end. */
final class Http2Stream {
    /** So much of an answer has to be taken within the time that a client has for a piece of it. */
    private static final int PIECE = 16 << 10;

    private final long begun;
    private final long announced;
    private final int headBytes;
    private long received;
    /** By the client. */
    private boolean ended;

    private boolean dispatched;
    private boolean answering;
    private boolean answered;
    private long window;
    private int ofPiece;
    /** For how long the client has let the present piece wait, before {@link #stalledAt}. */
    private long stalled;

    private long stalledAt;
    private boolean isStalled;

    /**
     * @param announced length of the body, or {@link Http2Head#UNKNOWN}
     * @param headBytes what the head is counted as
     * @param window how much of the answer the client takes before it says more
     */
    Http2Stream(long begun, long announced, int headBytes, long window) {
        this.begun = begun;
        this.announced = announced;
        this.headBytes = headBytes;
        this.window = window;
    }

    /**
     * @param bytes of body, without padding
     * @throws Http2Violation for a body that is not as long as announced
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

    /** Returns whether the request was not given to the daemon before: Pekko does so with its first byte of body or its end. */
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

    /** @throws Http2Violation when the window becomes too large (RFC 9113, section 6.9.1) */
    void widen(long by) {
        window += by;
        if (window > Http2Settings.LARGEST_WINDOW) {
            throw Http2Violation.of(Code.FLOW_CONTROL_ERROR, "a window that is too large");
        }
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

    /** Looks anew whether an answer waits for its client to take more. */
    void settle(boolean connectionIsFull, long now) {
        boolean stalls = answering && !answered && (connectionIsFull || window <= 0);
        if (isStalled && !stalls) {
            stalled += now - stalledAt;
        } else if (!isStalled && stalls) {
            stalledAt = now;
        }
        isStalled = stalls;
    }

    /** Whether it does so for longer than {@code nanos}. */
    boolean stalledFor(long nanos, long now) {
        return isStalled && stalled + (now - stalledAt) > nanos;
    }

    /** Whether the client has not sent all of its request within {@code nanos}; twice that where the daemon reads the body already. */
    boolean lateFor(long nanos, long now) {
        return !ended && now - begun > (dispatched ? 2 * nanos : nanos);
    }
}
