package org.chainwalletd.cli;

import java.util.stream.Collectors;
import org.chainwalletd.observe.Printable;

/** Format of the program's messages: one line at a time, under its name. */
final class Lines {
    static final String NAME = "chain-walletd";

    private Lines() {}

    /** Makes one line of a message, which may quote a daemon, a node or a file: none of it may steer the terminal. */
    static String one(String message) {
        return Printable.text(message.lines().map(String::strip).collect(Collectors.joining(" ")));
    }
}
