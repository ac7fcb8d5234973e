package org.chainwalletd.net;

/** No complete answer came; the message says why, without the peer's URL. */
public final class NoAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean mayHaveArrived;
    private final boolean cut;

    NoAnswerException(String message, boolean mayHaveArrived) {
        this(message, mayHaveArrived, false);
    }

    NoAnswerException(String message, boolean mayHaveArrived, boolean cut) {
        super(message, null, false, false);
        this.mayHaveArrived = mayHaveArrived;
        this.cut = cut;
    }

    /** Whether the answer was cut off here: it was longer than allowed, no HTTP, or there was no room for it. */
    public boolean isCut() {
        return cut;
    }

    /** False when the request was certainly never handed to a connection. */
    public boolean mayHaveArrived() {
        return mayHaveArrived;
    }
}
