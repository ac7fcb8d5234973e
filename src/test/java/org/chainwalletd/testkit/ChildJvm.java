package org.chainwalletd.testkit;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Java process with the classes of the tests. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * Prepares a process without starting it.
     *
     * @param options of the virtual machine
     * @param arguments of {@code main}
     */
    public static ProcessBuilder of(List<String> options, Class<?> main, Object... arguments) {
        return new ProcessBuilder(command(options, main, arguments));
    }

    /** Returns the lines that a process prints until it has ended; kills it when it has printed {@code most}. */
    public static List<String> lines(Process process, int most) throws IOException {
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = Await.reader(process)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                if (lines.size() == most) {
                    process.toHandle().destroyForcibly();
                }
            }
        } finally {
            Await.result(process.destroyForcibly().onExit());
        }
        return lines;
    }

    public static List<String> command(List<String> options, Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    /** Class path with absolute paths, which works in any working directory. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
