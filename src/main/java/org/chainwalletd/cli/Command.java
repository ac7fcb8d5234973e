package org.chainwalletd.cli;

import java.util.List;
import java.util.Optional;

/** Command of the program. */
interface Command {
    /** Word on the command line; empty for the default command. */
    String word();

    /** Clause for {@code --help}. */
    String summary();

    /** Options beside those of the configuration. */
    default List<Flag> flags() {
        return List.of();
    }

    /** Labels of the positional arguments; optional ones stand in brackets, and three dots after the last one that may be repeated. */
    default List<String> arguments() {
        return List.of();
    }

    /**
     * Help for the subject of the positional arguments, in place of that for the command.
     *
     * @param arguments arguments that stand beside {@code --help}
     */
    default Optional<String> help(List<String> arguments) {
        return Optional.empty();
    }

    /** Runs to the end and returns the exit code. */
    int run(Invocation invocation);

    /**
     * Option of a command.
     *
     * @param name with both dashes
     * @param label name of the value, empty for a switch
     * @param help empty for an option that the launcher gives and no person
     */
    record Flag(String name, String label, String help) {}
}
