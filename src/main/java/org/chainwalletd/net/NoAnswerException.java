package org.chainwalletd.net;

/** There is no complete answer. The message gives the reason, without the peer's URL and without text from the peer. */
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

    /** Returns whether the answer was cut off on this side: it was too long, not HTTP, or there was no memory for it. */
    public boolean isCut() {
        return kind == Kind.CUT;
    }

    /** Returns whether the deadline was exceeded. */
    public boolean isLate() {
        return kind == Kind.LATE;
    }

    /** Returns whether this process closed all its connections, as when it stops. */
    public boolean isEnded() {
        return kind == Kind.ENDED;
    }

    /** Returns false if the request was certainly never passed to a connection. */
    public boolean mayHaveArrived() {
        return mayHaveArrived;
    }
}
