package org.chainwalletd.cli;

import java.util.stream.Collectors;
import org.chainwalletd.observe.Printable;

/** How the program speaks: one line at a time, under its name. */
final class Lines {
    static final String NAME = "chain-walletd";

    private Lines() {}

    /** Also of what a daemon, a node or a file has said: none of it may steer the terminal. */
    static String one(String message) {
        return Printable.text(message.lines().map(String::strip).collect(Collectors.joining(" ")));
    }
}
