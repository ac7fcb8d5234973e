package org.chainwalletd.testkit;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Java process with the classes of the tests. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * Prepares a process that has not begun.
     *
     * @param options of the virtual machine
     * @param arguments of {@code main}
     */
    public static ProcessBuilder of(List<String> options, Class<?> main, Object... arguments) {
        return new ProcessBuilder(command(options, main, arguments));
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

    /** From any folder. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
