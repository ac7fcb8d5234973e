package org.chainwalletd.cli;

/** What a command tells the shell. */
public final class ExitCode {
    public static final int OK = 0;
    /** The command could not be carried out; one line on stderr says why and what to do. */
    public static final int FAILED = 1;
    /** The command line or the configuration is wrong; nothing was begun. */
    public static final int USAGE = 2;

    private ExitCode() {}
}
