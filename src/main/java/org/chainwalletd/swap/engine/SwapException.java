package org.chainwalletd.swap.engine;

import org.chainwalletd.store.StoreException;

/**
 * Failure of a question about swaps that has no answer yet: a step that was begun continues by itself. A request that is rejected fails with a
 * RefusedException.
 */
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

    /** An execute was begun and it is unknown whether our lock was sent; the daemon continues the swap. */
    public static final class LockUnknown extends SwapException {
        private static final long serialVersionUID = 1L;

        /** @param cause failure as thrown by the component where it occurred */
        public LockUnknown(String id, Throwable cause) {
            super(id, "whether the lock of swap " + id + " has left is not known yet: " + cause, cause);
        }
    }

    /** A chain, the pool or the store could not be queried or written. A step that was begun continues by itself. */
    public static final class Unsettled extends SwapException {
        private static final long serialVersionUID = 1L;

        /** @param cause failure as thrown by the component where it occurred, such as a {@link StoreException} */
        public Unsettled(String id, Throwable cause) {
            super(id, "what becomes of swap " + id + " is not known yet: " + cause, cause);
        }
    }
}
