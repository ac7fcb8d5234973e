package org.chainwalletd.cli;

import java.util.List;

/** One command of the program. */
interface Command {
    /** The word on the command line; empty for the default command. */
    String word();

    /** One clause for {@code --help}. */
    String summary();

    /** Options beside those of the configuration. */
    default List<Flag> flags() {
        return List.of();
    }

    /** Labels of the positional arguments; optional ones stand in brackets, and three dots after the last one that may be repeated. */
    default List<String> arguments() {
        return List.of();
    }

    /** Runs to the end and returns the exit code. */
    int run(Invocation invocation);

    /**
     * An option of a command.
     *
     * @param name with both dashes
     * @param label name of the value, empty for a switch
     */
    record Flag(String name, String label, String help) {}
}
