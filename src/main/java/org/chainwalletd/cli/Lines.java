package org.chainwalletd.cli;

import java.util.stream.Collectors;
import org.chainwalletd.observe.Printable;

/** Format of the program's messages: single lines that start with its name. */
final class Lines {
    static final String NAME = "chain-walletd";

    private Lines() {}

    /** Converts a message to one printable line: it may quote a daemon, a node or a file, whose text must not control the terminal. */
    static String one(String message) {
        return Printable.text(message.lines().map(String::strip).collect(Collectors.joining(" ")));
    }
}
