package org.chainwalletd.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.config.Configuration;
import org.chainwalletd.config.SettingsLoader;

/**
 * One call of the program after its command line was understood.
 *
 * @param flags options of the configuration as given, by name with both dashes
 * @param options options of the command itself, likewise
 * @param arguments what stands after the command's name
 */
public record Invocation(
        Map<String, String> flags,
        Map<String, String> options,
        List<String> arguments,
        Map<String, String> environment,
        Streams streams) {

    /** Where a command reads and writes. */
    public record Streams(InputStream in, PrintStream out, PrintStream err) {}

    Optional<String> option(String name) {
        return Optional.ofNullable(options.get(name));
    }

    /**
     * @throws org.chainwalletd.config.ConfigurationException with every problem of flags, environment and file
     */
    Configuration configuration() {
        return SettingsLoader.load(flags, environment, home());
    }

    /** The user's home folder. */
    Path home() {
        return Path.of(System.getProperty("user.home"));
    }

    PrintStream out() {
        return streams.out();
    }

    /** One line that says what is wrong and what to do. */
    int fail(int code, String message) {
        streams.err().println(Lines.NAME + ": " + Lines.one(String.valueOf(message)));
        return code;
    }
}
