package org.chainwalletd.keyring.store;

/** The keyring refuses or cannot do what was asked. */
public final class KeyringException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why; each maps to one error of the interface. */
    public enum Reason {
        UNKNOWN_ADDRESS,
        ALREADY_PRESENT,
        LOCKED,
        INVALID,
        TOO_MANY_ATTEMPTS,
        STORAGE,
        /** The database that the keys are in cannot be reached at this moment: the call has changed nothing and can be repeated. */
        AWAY,
        /** Another daemon has changed the keyring at the same time: the call has changed nothing and can be repeated. */
        CONFLICT,
        /** The caller is not there any more. */
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

    /** Throws the failure of a database that is away: it tells nothing about what is in it. */
    public void throwIfAway() {
        if (reason == Reason.AWAY) {
            throw this;
        }
    }

    /** For {@link Reason#TOO_MANY_ATTEMPTS}. */
    public long retryAfterSeconds() {
        return retryAfterSeconds;
    }
}
