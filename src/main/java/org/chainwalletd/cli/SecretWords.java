package org.chainwalletd.cli;

import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reader of secrets that are given outside the command line: a line of standard input each, in the order of the parameters; at a terminal they are
 * asked for, and not shown.
 */
final class SecretWords {
    /** Placeholder for a secret on the command line. */
    static final String ELSEWHERE = "-";

    private final Invocation.Streams streams;

    SecretWords(Invocation.Streams streams) {
        this.streams = streams;
    }

    /** @param name name of the parameter, for the prompt */
    String read(String name) throws Mistake {
        Console console = streams.in() == System.in ? System.console() : null;
        if (console != null) {
            char[] typed = console.readPassword("%s: ", name);
            if (typed != null) {
                return new String(typed);
            }
        } else {
            try {
                return line(streams.in());
            } catch (IOException e) {
                throw new Mistake(name + " cannot be read from standard input: " + e.getMessage());
            }
        }
        throw new Mistake(name + " was not typed");
    }

    /** Reads a line byte by byte: bytes that are read ahead would be lost to the next secret. */
    private static String line(InputStream from) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = from.read();
        if (next < 0) {
            throw new IOException("it has ended");
        }
        while (next >= 0 && next != '\n') {
            line.write(next);
            next = from.read();
        }
        String text = line.toString(StandardCharsets.UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
}
