package org.chainwalletd.store;

/** The store cannot do what was asked. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** Disk full, input or output error, closed: nothing was written. */
        UNAVAILABLE,
        /** Too many writes wait, and nothing new is begun; try again in a moment. Nothing was written. */
        BUSY,
        /** The disk failed while it was being written: it may be there after a restart, and was not there when this was said. */
        UNKNOWN,
        /** Nothing is written because the store has forgotten payments, until the operator has restored it. */
        STOPPED,
        /** The file is damaged, of a newer version, or no store at all. */
        DAMAGED
    }

    private final Reason reason;

    public StoreException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** @param why what {@link Store#stopped} says */
    public static StoreException stopped(String why) {
        return new StoreException(Reason.STOPPED, why, null);
    }

    public Reason reason() {
        return reason;
    }
}
