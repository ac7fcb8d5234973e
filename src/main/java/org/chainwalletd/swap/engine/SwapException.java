package org.chainwalletd.swap.engine;

import org.chainwalletd.store.StoreException;

/** A question about swaps has no answer yet: what was begun goes on by itself. What is not done at all fails with a RefusedException. */
public abstract sealed class SwapException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String id;

    private SwapException(String id, String message, Throwable cause) {
        super(message, cause, false, false);
        this.id = id;
    }

    public String id() {
        return id;
    }

    /** An execute was begun, and it is not known whether our lock has left; the swap goes on with it. */
    public static final class LockUnknown extends SwapException {
        private static final long serialVersionUID = 1L;

        /** @param cause as its own owner tells it */
        public LockUnknown(String id, Throwable cause) {
            super(id, "whether the lock of swap " + id + " has left is not known yet: " + cause, cause);
        }
    }

    /** Something could not be asked or written at this moment: a chain, the pool, the store. What was begun goes on by itself. */
    public static final class Unsettled extends SwapException {
        private static final long serialVersionUID = 1L;

        /** @param cause as its own owner tells it, such as a {@link StoreException} */
        public Unsettled(String id, Throwable cause) {
            super(id, "what becomes of swap " + id + " is not known yet: " + cause, cause);
        }
    }
}
