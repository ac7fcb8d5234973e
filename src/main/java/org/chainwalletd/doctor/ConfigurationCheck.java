package org.chainwalletd.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.config.Configuration;
import org.chainwalletd.config.ConfigurationException;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.SettingsLoader;

/** Loads the configuration as the daemon would, and tells where each value that is no default comes from. */
public final class ConfigurationCheck implements Check {
    private static final String SUBJECT = "configuration";

    private final Map<String, String> environment;
    private final Optional<Configuration> configuration;
    private final List<String> problems;

    private ConfigurationCheck(
            Map<String, String> environment, Optional<Configuration> configuration, List<String> problems) {
        this.environment = environment;
        this.configuration = configuration;
        this.problems = problems;
    }

    /** Loads at once; parameters as for {@link SettingsLoader#load}. */
    public static ConfigurationCheck of(Map<String, String> flags, Map<String, String> environment, Path home) {
        try {
            Configuration loaded = SettingsLoader.load(flags, environment, home);
            return new ConfigurationCheck(environment, Optional.of(loaded), List.of());
        } catch (ConfigurationException e) {
            return new ConfigurationCheck(environment, Optional.empty(), e.problems());
        }
    }

    /** Configuration as it was loaded; empty when the daemon would not start, and the other checks have nothing to go by. */
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

    /** With settings that cannot be loaded nobody knows of a file. */
    private Finding passphrase() {
        Optional<Path> file =
                configuration.flatMap(loaded -> loaded.settings().keyring().passphraseFile());
        String found = file.map(path -> "read from " + path).orElse(Passphrase.VARIABLE + " is set");
        return Passphrase.problem(environment, file)
                .or(() -> configuration.flatMap(loaded -> Passphrase.refusedByKeyring(environment, loaded.settings())))
                .map(problem -> Finding.fail("passphrase", problem))
                .orElseGet(() -> Finding.ok("passphrase", found));
    }

    private static void describe(Configuration loaded, List<Finding> findings) {
        String file = loaded.file().map(path -> "file " + path).orElse("no configuration file");
        List<String> given = new ArrayList<>();
        for (Option option : Option.all()) {
            String origin = loaded.origins().get(option);
            if (!origin.equals("default")) {
                given.add(option.flag() + " from " + origin);
            }
        }
        findings.add(Finding.ok(
                SUBJECT, file + "; " + (given.isEmpty() ? "everything at its default" : String.join(", ", given))));
        loaded.warnings().forEach(warning -> findings.add(Finding.warn(SUBJECT, warning)));
    }
}
