package org.chainwalletd.keyring.store;

/** Failure of a keyring operation. */
public final class KeyringException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Cause of the failure; each maps to one error of the interface. */
    public enum Reason {
        UNKNOWN_ADDRESS,
        ALREADY_PRESENT,
        LOCKED,
        INVALID,
        TOO_MANY_ATTEMPTS,
        STORAGE,
        /** The database with the keys is not reachable now; the call has changed nothing and can be repeated. */
        AWAY,
        /** Another daemon changed the keyring concurrently; the call has changed nothing and can be repeated. */
        CONFLICT,
        /** The caller has disconnected, or its token has ended, before the call's turn; the call has changed nothing. */
        ABANDONED
    }

    private final Reason reason;
    private final long retryAfterSeconds;

    public KeyringException(Reason reason, String message) {
        this(reason, message, 0);
    }

    public KeyringException(Reason reason, String message, long retryAfterSeconds) {
        super(message, null, false, false);
        this.reason = reason;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    public Reason reason() {
        return reason;
    }

    /** Rethrows this failure if the database is unreachable, which says nothing about its contents. */
    public void throwIfAway() {
        if (reason == Reason.AWAY) {
            throw this;
        }
    }

    /** Seconds after which to try again; set only for {@link Reason#TOO_MANY_ATTEMPTS}. */
    public long retryAfterSeconds() {
        return retryAfterSeconds;
    }
}
