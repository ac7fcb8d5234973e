package org.chainwalletd.store;

/** Failure of a request to the store. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Reason of the failure; implies whether anything may have been written. */
    public enum Reason {
        /** Disk full, input or output error, closed: nothing was written. */
        UNAVAILABLE,
        /** Too many writes wait, so nothing new is accepted; try again in a moment. Nothing was written. */
        BUSY,
        /** It is unknown whether the write took effect: the data may be there after a restart, even if it was not visible when this was reported. */
        UNKNOWN,
        /** The store has lost payments; nothing is written until the operator has restored it. */
        STOPPED,
        /** The call needs the daemon that does the background work, which is another one. Nothing was written or started. */
        NOT_KEEPER,
        /** The file is damaged, was written by a newer release, or is not a store. */
        DAMAGED
    }

    private final Reason reason;

    public StoreException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Creates the failure {@link Reason#UNAVAILABLE}; {@code cause} may be null. */
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

    /** Creates the failure {@link Reason#NOT_KEEPER}. */
    public static StoreException notKeeper() {
        return new StoreException(Reason.NOT_KEEPER, "only the daemon that does the background work can do this", null);
    }

    /**
     * Tests whether a write may have taken effect in spite of this failure. Only the store itself can say that it has written nothing; with any
     * other failure its answer may have been lost.
     */
    public static boolean isDoubtful(Throwable failure) {
        return !(failure instanceof StoreException store) || store.reason() == Reason.UNKNOWN;
    }

    public Reason reason() {
        return reason;
    }
}
