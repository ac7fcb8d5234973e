package org.chainwalletd.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.config.Configuration;
import org.chainwalletd.config.ConfigurationException;
import org.chainwalletd.config.SettingsLoader;

/**
 * Parsed call of the program.
 *
 * @param flags options of the configuration as given, by name including both dashes
 * @param options options of the command itself, likewise
 * @param arguments positional arguments after the command's name
 * @param environment variables without empty ones, see {@link SettingsLoader#effectiveVariables}
 */
public record Invocation(
        Map<String, String> flags,
        Map<String, String> options,
        List<String> arguments,
        Map<String, String> environment,
        Streams streams) {
    private static final List<String> NAMING_FLAGS = List.of("--config", "--datadir");
    private static final List<String> NAMING_VARIABLES = List.of("WALLETD_CONFIG", "WALLETD_DATADIR");

    private static final String PASSPHRASE_FILE = "--passphrase-file";
    private static final List<String> PASSPHRASES = List.of(Passphrase.VARIABLE, "WALLETD_PASSPHRASE_FILE");
    private static final Path INSTALLED_FILE = Path.of("/etc/chain-walletd/walletd.conf");
    private static final Path INSTALLED_DATADIR = Path.of("/var/lib/chain-walletd");

    public Invocation {
        environment = SettingsLoader.effectiveVariables(environment);
    }

    /** Streams that a command reads and writes. */
    public record Streams(InputStream in, PrintStream out, PrintStream err) {}

    Optional<String> option(String name) {
        return Optional.ofNullable(options.get(name));
    }

    /** @throws org.chainwalletd.config.ConfigurationException with all problems of flags, environment and file */
    Configuration configuration() {
        return SettingsLoader.load(flags, environment, home());
    }

    /**
     * Loads the configuration of the daemon that a command calls. If no file or datadir is specified and this user has no datadir, it is that
     * of the daemon installed by the system package.
     *
     * @throws org.chainwalletd.config.ConfigurationException with all problems of flags, environment and file
     */
    Configuration configurationOfDaemon() {
        return SettingsLoader.load(flagsOfDaemon(home(), INSTALLED_FILE, INSTALLED_DATADIR), environment, home());
    }

    /**
     * Flags of the daemon that a command examines, as for {@link #configurationOfDaemon}, plus the installed daemon's passphrase file if no
     * passphrase is specified. If the configuration is invalid, returns the flags unchanged, so that loading them reports the problems.
     */
    Map<String, String> flagsWithPassphrase() {
        return flagsWithPassphrase(home(), INSTALLED_FILE, INSTALLED_DATADIR);
    }

    Map<String, String> flagsWithPassphrase(Path home, Path installed, Path datadir) {
        try {
            Map<String, String> found = new HashMap<>(flagsOfDaemon(home, installed, datadir));
            Path passphrase = installed.resolveSibling("passphrase");
            boolean given =
                    found.containsKey(PASSPHRASE_FILE) || PASSPHRASES.stream().anyMatch(environment::containsKey);
            if (found.size() > flags.size() && !given && Files.exists(passphrase)) {
                found.put(PASSPHRASE_FILE, passphrase.toString());
            }
            return found;
        } catch (ConfigurationException e) {
            return flags;
        }
    }

    Map<String, String> flagsOfDaemon(Path home, Path installed, Path datadir) {
        boolean named = NAMING_FLAGS.stream().anyMatch(flags::containsKey)
                || NAMING_VARIABLES.stream().anyMatch(environment::containsKey);
        if (named
                || !Files.isReadable(installed)
                || Files.exists(
                        SettingsLoader.load(flags, environment, home).settings().datadir())) {
            return flags;
        }
        Map<String, String> more = new HashMap<>(flags);
        more.put("--config", installed.toString());
        more.put("--datadir", datadir.toString());
        return more;
    }

    /** The user's home folder. */
    Path home() {
        return Path.of(System.getProperty("user.home"));
    }

    PrintStream out() {
        return streams.out();
    }

    /** Prints one line that gives the problem and the remedy, and returns the exit code. */
    int fail(int code, String message) {
        streams.err().println(Lines.NAME + ": " + Lines.one(String.valueOf(message)));
        return code;
    }
}
