package org.chainwalletd.cli;

/** Exit codes of the commands. */
public final class ExitCode {
    public static final int OK = 0;
    /** The command could not be carried out; one line on stderr says why and what to do. */
    public static final int FAILED = 1;
    /** The command line or the configuration is wrong; nothing was begun. */
    public static final int USAGE = 2;

    /** {@code rpc}, {@code watch}: no answer of the daemon; whether the call was carried out is unknown. */
    public static final int NO_ANSWER = 3;
    /** {@code rpc}, {@code watch}: the server's certificate is not the pinned one; nothing was sent. */
    public static final int WRONG_CERTIFICATE = 4;
    /** {@code rpc}, {@code watch}: the token is wrong or its scope too low. */
    public static final int UNAUTHORIZED = 5;
    /** {@code rpc}, {@code watch}: the daemon does not understand the call: unknown method, wrong parameters. */
    public static final int BAD_CALL = 6;
    /** {@code rpc}, {@code watch}: an error that passes by itself; for a spend, the same call again with the same {@code client_token}. */
    public static final int TRY_AGAIN = 7;
    /** {@code rpc}, {@code watch}: refused, and refused again as long as nothing else changes. */
    public static final int REFUSED = 8;

    private ExitCode() {}
}
