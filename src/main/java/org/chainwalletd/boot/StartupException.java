package org.chainwalletd.boot;

/** Signals that the daemon cannot start. The message is one line for the operator that says what to do. */
public final class StartupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartupException(String message) {
        super(message, null, false, false);
    }
}
