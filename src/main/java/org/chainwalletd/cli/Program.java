package org.chainwalletd.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Program: selects the command and runs it. Must not reference classes of picocli: loading one would open every jar before it on the class
 * path, see {@link ServeFastPath}.
 */
public final class Program {
    private Program() {}

    /** Runs the program to its end and returns the exit code. */
    public static int run(String[] words, Map<String, String> environment, Invocation.Streams streams) {
        Optional<Map<String, String>> plain = ServeFastPath.read(words);
        if (plain.isPresent()) {
            Invocation serving = new Invocation(plain.get(), Map.of(), List.of(), environment, streams);
            return FullCommandLine.CommandRun.of(new ServeCommand(), serving);
        }
        return FullCommandLine.run(words, environment, streams);
    }
}
