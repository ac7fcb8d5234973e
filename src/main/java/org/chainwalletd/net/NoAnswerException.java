package org.chainwalletd.net;

/** No complete answer came; the message says why, without the peer's URL. */
public final class NoAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean mayHaveArrived;

    NoAnswerException(String message, boolean mayHaveArrived) {
        super(message, null, false, false);
        this.mayHaveArrived = mayHaveArrived;
    }

    /** False when the request was certainly never handed to a connection. */
    public boolean mayHaveArrived() {
        return mayHaveArrived;
    }
}
