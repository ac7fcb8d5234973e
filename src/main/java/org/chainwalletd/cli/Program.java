package org.chainwalletd.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Program: finds the command and runs it. Names no class of picocli: loading one takes opening every jar before it, see {@link ServeFastPath}. */
public final class Program {
    private Program() {}

    /** Runs to the end and returns the exit code. */
    public static int run(String[] words, Map<String, String> environment, Invocation.Streams streams) {
        Optional<Map<String, String>> plain = ServeFastPath.read(words);
        if (plain.isPresent()) {
            Invocation serving = new Invocation(plain.get(), Map.of(), List.of(), environment, streams);
            return FullCommandLine.CommandRun.of(new ServeCommand(), serving);
        }
        return FullCommandLine.run(words, environment, streams);
    }
}
