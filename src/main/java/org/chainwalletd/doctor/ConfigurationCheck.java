package org.chainwalletd.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.config.Configuration;
import org.chainwalletd.config.ConfigurationException;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;

/** Check that loads the configuration like the daemon, and reports the source of each value that is not a default. */
public final class ConfigurationCheck implements Doctor.Check {
    private static final String SUBJECT = "configuration";
    private static final String PASSPHRASE = "passphrase";

    private final Set<String> typed;
    private final Map<String, String> environment;
    private final Optional<Configuration> configuration;
    private final List<String> problems;

    private ConfigurationCheck(
            Set<String> typed,
            Map<String, String> environment,
            Optional<Configuration> configuration,
            List<String> problems) {
        this.typed = typed;
        this.environment = environment;
        this.configuration = configuration;
        this.problems = problems;
    }

    /**
     * Loads the configuration immediately; the other parameters are those of {@link SettingsLoader#load}.
     *
     * @param typed names of the flags typed by the user; all others come from the installed system package
     */
    public static ConfigurationCheck of(
            Set<String> typed, Map<String, String> flags, Map<String, String> environment, Path home) {
        try {
            Configuration loaded = SettingsLoader.load(flags, environment, home);
            return new ConfigurationCheck(typed, environment, Optional.of(loaded), List.of());
        } catch (ConfigurationException e) {
            return new ConfigurationCheck(typed, environment, Optional.empty(), e.problems());
        }
    }

    /** Returns the loaded configuration; empty if it is invalid, so that the daemon would not start and the other checks cannot run. */
    public Optional<Configuration> configuration() {
        return configuration;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        problems.forEach(problem -> findings.add(Finding.fail(SUBJECT, problem)));
        configuration.ifPresent(loaded -> describe(loaded, findings));
        findings.add(passphrase());
        return findings;
    }

    private Finding passphrase() {
        if (configuration.isEmpty()) {
            return Passphrase.problem(environment, Optional.empty())
                    .map(problem -> Finding.fail(PASSPHRASE, problem))
                    .orElseGet(() -> Finding.ok(
                            PASSPHRASE,
                            Passphrase.VARIABLE + " is set; not tried, because the configuration cannot be loaded"));
        }
        Settings settings = configuration.get().settings();
        Optional<Path> hidden = settings.keyring()
                .passphraseFile()
                .filter(path -> isInstalled(Option.PASSPHRASE_FILE) && Files.exists(path) && !Files.isReadable(path));
        if (hidden.isPresent()) {
            return Finding.warn(
                    PASSPHRASE,
                    "not tried: the service manager shows " + hidden.get()
                            + " to the daemon, and this user may not read it; run doctor as root");
        }
        Passphrase.Trial trial = Passphrase.tryOnKeyring(environment, settings);
        String found = settings.keyring()
                .passphraseFile()
                .map(path -> "read from " + path)
                .orElse(Passphrase.VARIABLE + " is set");
        return trial.problem()
                .map(problem -> Finding.fail(PASSPHRASE, problem))
                .orElseGet(
                        () -> Finding.ok(
                                PASSPHRASE,
                                found
                                        + (trial.tried()
                                                ? "; tried, it opens the keyring"
                                                : "; not tried: there is no keyring yet, the first start makes one that it opens")));
    }

    private void describe(Configuration loaded, List<Finding> findings) {
        String file = loaded.file().map(path -> "file " + path).orElse("no configuration file");
        List<String> given = new ArrayList<>();
        for (Option option : Option.all()) {
            String origin = loaded.origins().get(option);
            if (!origin.equals("default")) {
                given.add(option.flag() + " from " + (isInstalled(option) ? "the installed package" : origin));
            }
        }
        findings.add(Finding.ok(
                SUBJECT, file + "; " + (given.isEmpty() ? "everything at its default" : String.join(", ", given))));
        loaded.warnings().forEach(warning -> findings.add(Finding.warn(SUBJECT, warning)));
    }

    /** Whether the flag was not typed but comes from the installed package. */
    private boolean isInstalled(Option option) {
        return configuration.orElseThrow().origins().get(option).equals("flag " + option.flag())
                && !typed.contains(option.flag());
    }
}
