package org.chainwalletd.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.chainwalletd.cli.Invocation;
import org.chainwalletd.cli.Program;

/** Runs commands of the program in the test's process and keeps their output; needs no package. */
public final class Commands {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /**
     * Result of a command that has ended.
     *
     * @param output lines of standard output
     * @param errors lines of standard error
     */
    public record Ended(int code, List<String> output, List<String> errors) {
        /** Returns the output of a command that must have succeeded. */
        public String printed() {
            assertThat(code).as(String.join("\n", errors)).isZero();
            return String.join("\n", output);
        }
    }

    /** Runs a command on a datadir. */
    public static Ended on(Path datadir, String... words) {
        return run(Map.of("WALLETD_DATADIR", datadir.toString()), words);
    }

    /** Runs a command on a datadir whose payments are in a database. */
    public static Ended onDatabase(Path datadir, String url, String... words) {
        return run(Map.of("WALLETD_DATADIR", datadir.toString(), "WALLETD_STORE", url), words);
    }

    /** @param words after the program's name */
    public static Ended run(Map<String, String> environment, String... words) {
        Commands commands = new Commands();
        int code = commands.run("", environment, words);
        return new Ended(
                code, commands.out().lines().toList(), commands.err().lines().toList());
    }

    /**
     * Returns the exit code.
     *
     * @param typed standard input
     * @param words after the program's name
     */
    public int run(String typed, Map<String, String> environment, String... words) {
        Invocation.Streams streams = new Invocation.Streams(
                new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return Program.run(words, environment, streams);
    }

    /** Returns the text that the commands have written to standard output since {@link #forget}. */
    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Returns the text that the commands have written to standard error. */
    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    public void forget() {
        out.reset();
        forgetErrors();
    }

    public void forgetErrors() {
        err.reset();
    }
}
