package org.chainwalletd.testkit;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.chainwalletd.cli.Invocation;
import org.chainwalletd.cli.Program;

/** Commands of the program, run in the process of the test; needs no package. */
public final class Commands {
    private Commands() {}

    /**
     * A command that has ended.
     *
     * @param output lines of standard output
     * @param errors lines of standard error
     */
    public record Ended(int code, List<String> output, List<String> errors) {}

    /** @param words after the program's name */
    public static Ended run(Map<String, String> environment, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Invocation.Streams streams = new Invocation.Streams(
                InputStream.nullInputStream(),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        int code = Program.run(words, environment, streams);
        return new Ended(code, lines(out), lines(err));
    }

    private static List<String> lines(ByteArrayOutputStream printed) {
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
