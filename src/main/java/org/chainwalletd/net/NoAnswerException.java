package org.chainwalletd.net;

/** Signals that no complete answer came; the message gives the reason, without the peer's URL and without text from the peer. */
public final class NoAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    enum Kind {
        LOST,
        LATE,
        CUT,
        ENDED
    }

    private final Kind kind;
    private final boolean mayHaveArrived;

    NoAnswerException(String message, boolean mayHaveArrived) {
        this(Kind.LOST, message, mayHaveArrived);
    }

    NoAnswerException(Kind kind, String message, boolean mayHaveArrived) {
        super(message, null, false, false);
        this.kind = kind;
        this.mayHaveArrived = mayHaveArrived;
    }

    /** Whether the answer was cut off here: it was longer than allowed, no HTTP, or there was no room for it. */
    public boolean isCut() {
        return kind == Kind.CUT;
    }

    /** Whether the time for it was over. */
    public boolean isLate() {
        return kind == Kind.LATE;
    }

    /** Whether all connections of this process were closed meanwhile, as when it stops. */
    public boolean isEnded() {
        return kind == Kind.ENDED;
    }

    /** False when the request was certainly never handed to a connection. */
    public boolean mayHaveArrived() {
        return mayHaveArrived;
    }
}
