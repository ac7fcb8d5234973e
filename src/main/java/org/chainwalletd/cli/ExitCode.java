package org.chainwalletd.cli;

/** Exit codes of the commands. */
public final class ExitCode {
    public static final int OK = 0;
    /** The command failed; one line on stderr gives the reason and the remedy. */
    public static final int FAILED = 1;
    /** The command line or the configuration is invalid; nothing was started. */
    public static final int USAGE = 2;

    /** {@code rpc}, {@code watch}: no answer from the daemon; whether the call was carried out is unknown. */
    public static final int NO_ANSWER = 3;
    /** {@code rpc}, {@code watch}: the server's certificate is not the pinned one; nothing was sent. */
    public static final int WRONG_CERTIFICATE = 4;
    /** {@code rpc}, {@code watch}: the token is invalid or its scope insufficient. */
    public static final int UNAUTHORIZED = 5;
    /** {@code rpc}, {@code watch}: the daemon does not understand the call: unknown method or invalid parameters. */
    public static final int BAD_CALL = 6;
    /** {@code rpc}, {@code watch}: temporary error; the same call may be repeated, a spend with the same {@code client_token}. */
    public static final int TRY_AGAIN = 7;
    /** {@code rpc}, {@code watch}: refused; the same call is refused again unless something else changes. */
    public static final int REFUSED = 8;

    private ExitCode() {}
}
