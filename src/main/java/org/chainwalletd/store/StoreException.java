package org.chainwalletd.store;

/** Failure of a request to the store. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Reason of the failure, which tells what may have been written. */
    public enum Reason {
        /** Disk full, input or output error, closed: nothing was written. */
        UNAVAILABLE,
        /** Too many writes wait, so nothing new is accepted; try again in a moment. Nothing was written. */
        BUSY,
        /** The disk failed during the write: the data may be there after a restart, although it was not when this was reported. */
        UNKNOWN,
        /** Nothing is written because the store has lost payments, until the operator has restored it. */
        STOPPED,
        /** Another daemon does the background work, which was asked for. Nothing was written or begun. */
        NOT_KEEPER,
        /** The file is damaged, was written by a newer release, or is no store at all. */
        DAMAGED
    }

    private final Reason reason;

    public StoreException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Creates the failure {@link Reason#UNAVAILABLE}; {@code cause} is null when nothing else failed. */
    public static StoreException unavailable(String message, Throwable cause) {
        return new StoreException(Reason.UNAVAILABLE, message, cause);
    }

    /** Creates the failure {@link Reason#BUSY}. */
    public static StoreException busy(String message) {
        return new StoreException(Reason.BUSY, message, null);
    }

    /** Creates the failure {@link Reason#DAMAGED}. */
    public static StoreException damaged(String message) {
        return new StoreException(Reason.DAMAGED, message, null);
    }

    /**
     * Creates the failure of a store that is stopped.
     *
     * @param why the text of {@link Store#stopped}
     */
    public static StoreException stopped(String why) {
        return new StoreException(Reason.STOPPED, why, null);
    }

    /** Creates the failure of what only the daemon with the background work may do, at another one. */
    public static StoreException notKeeper() {
        return new StoreException(
                Reason.NOT_KEEPER,
                "this is done by the daemon that does the background work, which is another one",
                null);
    }

    public Reason reason() {
        return reason;
    }
}
