package org.chainwalletd.cli;

import java.util.List;
import java.util.Optional;

/** Command of the program. */
interface Command {
    /** Name on the command line; empty for the default command. */
    String word();

    /** Description for {@code --help}. */
    String summary();

    /** Options in addition to those of the configuration. */
    default List<Flag> flags() {
        return List.of();
    }

    /** Labels of the positional arguments. Optional ones are in brackets; three dots follow the last one if it may be repeated. */
    default List<String> arguments() {
        return List.of();
    }

    /**
     * Help on the subject of the positional arguments, instead of the command's help.
     *
     * @param arguments arguments given together with {@code --help}
     */
    default Optional<String> help(List<String> arguments) {
        return Optional.empty();
    }

    /** Runs the command to its end and returns the exit code. */
    int run(Invocation invocation);

    /**
     * Option of a command.
     *
     * @param name including both dashes
     * @param label name of the value, empty for a switch
     * @param help empty for an option that only the launcher passes
     */
    record Flag(String name, String label, String help) {}
}
