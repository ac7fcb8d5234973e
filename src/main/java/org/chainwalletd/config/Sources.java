package org.chainwalletd.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Sources of option values: flag over environment over file (interface.md, section 1.2; decisions.md, section 1). Collects problems instead
 * of stopping at the first.
 */
final class Sources {
    /** Variables with the daemon's prefix that are not options. */
    private static final List<String> OTHER_VARIABLES = List.of(
            "WALLETD_CONFIG",
            "WALLETD_KEYSTORE_PASSPHRASE",
            DatabaseUrl.PASSWORD_VARIABLE,
            "WALLETD_URL",
            "WALLETD_AUTH_TOKEN",
            "WALLETD_FINGERPRINT",
            "WALLETD_HEAP",
            "WALLETD_JAVA_OPTS",
            "WALLETD_ARCHIVE",
            "WALLETD_LOGBACK",
            "WALLETD_AUDIT_FILE");

    private static final long MAX_FILE_BYTES = 1_048_576;
    private static final String DEFAULT_BRAND = "chain";

    private final Map<String, String> flags;
    private final Map<String, String> environment;
    private final Path home;
    private final Map<Option, Given> fromFile = new EnumMap<>(Option.class);
    private final List<String> problems;
    private final List<String> warnings;
    private Optional<Path> file = Optional.empty();
    private boolean named;

    /** Value with its source. */
    record Given(String text, String origin) {}

    Sources(
            Map<String, String> flags,
            Map<String, String> environment,
            Path home,
            List<String> problems,
            List<String> warnings) {
        this.flags = flags;
        this.environment = environment;
        this.home = home;
        this.problems = problems;
        this.warnings = warnings;
    }

    /** Locates and reads the configuration file, and checks for unknown names. */
    void read() {
        refuseUnknownFlags();
        locateFile();
        file.ifPresent(this::readFile);
        warnOfUnknownVariables();
    }

    Optional<Path> file() {
        return file;
    }

    /** Returns the configuration file if it was found in the datadir rather than configured. */
    Optional<Path> foundFile() {
        return named ? Optional.empty() : file();
    }

    /**
     * Returns the brand word, on which the name of the node's variable and the default datadir depend. Ignores an invalid one, which is
     * reported elsewhere.
     */
    String brand() {
        return given(Option.BRAND)
                .map(given -> given.text().strip())
                .filter(word -> word.matches("[A-Za-z]{5}"))
                .map(word -> word.toLowerCase(Locale.ROOT))
                .orElse(DEFAULT_BRAND);
    }

    Optional<Given> given(Option option) {
        return Optional.ofNullable(flags.get(option.flag()))
                .map(text -> new Given(text, "flag " + option.flag()))
                .or(() -> fromEnvironment(option))
                .or(() -> Optional.ofNullable(fromFile.get(option)));
    }

    private Optional<Given> fromEnvironment(Option option) {
        String name = option.variable(option == Option.NODE_RPC ? brand() : DEFAULT_BRAND);
        return Optional.ofNullable(environment.get(name)).map(text -> new Given(text, "variable " + name));
    }

    /** Resolves an absolute path; a leading tilde is the user's home. */
    Path path(String text) {
        return expand(text);
    }

    /** Returns the value of a variable that is not an option; empty if not set. */
    Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }

    Path defaultDatadir() {
        return home.resolve("." + brand() + "-walletd");
    }

    private Path expand(String text) {
        Path path = text.equals("~") ? home : text.startsWith("~/") ? home.resolve(text.substring(2)) : Path.of(text);
        return path.toAbsolutePath().normalize();
    }

    private void refuseUnknownFlags() {
        for (String flag : flags.keySet()) {
            if (!flag.equals(SettingsLoader.CONFIG_FLAG) && Option.ofFlag(flag).isEmpty()) {
                List<String> known = Option.all().stream().map(Option::flag).toList();
                problems.add("unknown flag " + flag + Nearest.semicolon(flag, known));
            }
        }
    }

    private void locateFile() {
        Optional<String> given = Optional.ofNullable(flags.get(SettingsLoader.CONFIG_FLAG))
                .or(() -> Optional.ofNullable(environment.get(SettingsLoader.CONFIG_VARIABLE)));
        named = given.isPresent();
        file = named ? namedFile(given.get()) : fileInDatadir();
    }

    private Optional<Path> namedFile(String given) {
        if (given.isBlank()) {
            problems.add(SettingsLoader.CONFIG_FLAG + " is empty; name a file or leave it out");
            return Optional.empty();
        }
        Optional<Path> path = expandIfPath(given);
        if (path.isEmpty()) {
            problems.add(SettingsLoader.CONFIG_FLAG + " is no path");
        } else if (!Files.isReadable(path.get()) || Files.isDirectory(path.get())) {
            problems.add(SettingsLoader.CONFIG_FLAG + " " + path.get() + " cannot be read");
            return Optional.empty();
        }
        return path;
    }

    private Optional<Path> fileInDatadir() {
        Path folder = given(Option.DATADIR)
                .filter(datadir -> !datadir.text().isBlank())
                .flatMap(datadir -> expandIfPath(datadir.text()))
                .orElseGet(this::defaultDatadir);
        return Optional.of(folder.resolve(SettingsLoader.FILE_NAME)).filter(Files::exists);
    }

    private Optional<Path> expandIfPath(String text) {
        try {
            return Optional.of(expand(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private void readFile(Path file) {
        try {
            Optional<String> objection = FileAccess.of(file).objectionToContent();
            if (objection.isPresent()) {
                problems.add("the configuration file " + file + " " + objection.get());
                return;
            }
            if (Files.size(file) > MAX_FILE_BYTES) {
                problems.add("the configuration file " + file + " is longer than " + MAX_FILE_BYTES + " bytes");
                return;
            }
            Config config = ConfigFactory.parseFile(
                            file.toFile(), ConfigParseOptions.defaults().setAllowMissing(false))
                    .resolve(ConfigResolveOptions.defaults());
            for (Map.Entry<String, ConfigValue> entry : config.entrySet()) {
                readKey(file, entry.getKey(), entry.getValue());
            }
        } catch (ConfigException e) {
            problems.add("the configuration file " + file + " cannot be read: " + e.getMessage());
        } catch (IOException | StackOverflowError e) {
            // The parser does not limit the nesting depth.
            problems.add("the configuration file " + file + " cannot be read, or is nested too deeply");
        }
    }

    private void readKey(Path file, String key, ConfigValue value) {
        Optional<Option> option = Option.ofKey(key);
        if (option.isEmpty()) {
            problems.add(place(file, value) + ": unknown key " + key + advice(key));
            return;
        }
        Optional<String> text = textOf(value);
        if (text.isEmpty()) {
            problems.add(place(file, value) + ": " + key + " must be "
                    + option.get().form().unit());
            return;
        }
        fromFile.put(option.get(), new Given(text.get(), "file " + file));
    }

    private static String place(Path file, ConfigValue value) {
        int line = value.origin().lineNumber();
        return file + (line > 0 ? " line " + line : "");
    }

    private static Optional<String> textOf(ConfigValue value) {
        if (value.valueType() == ConfigValueType.LIST) {
            List<String> items = new ArrayList<>();
            for (Object item : (List<?>) value.unwrapped()) {
                items.add(String.valueOf(item));
            }
            return Optional.of(String.join(",", items));
        }
        return value.valueType() == ConfigValueType.OBJECT
                ? Optional.empty()
                : Optional.of(String.valueOf(value.unwrapped()));
    }

    /** Suggestion for an unknown key that is spelled like the flag, or like the key of an option in another section. */
    private static String advice(String key) {
        String last = key.substring(key.lastIndexOf('.') + 1);
        Optional<Option> byFlag = Option.ofFlag("--" + last);
        if (byFlag.isPresent()) {
            return "; it is called " + byFlag.get().key();
        }
        List<Option> sameWord = Option.all().stream()
                .filter(option -> option.key().endsWith("." + last))
                .toList();
        if (sameWord.size() == 1) {
            return "; it is called " + sameWord.get(0).key();
        }
        return Nearest.semicolon(key, Option.all().stream().map(Option::key).toList());
    }

    private void warnOfUnknownVariables() {
        List<String> known = new ArrayList<>(OTHER_VARIABLES);
        Option.all().forEach(option -> known.add(option.variable(brand())));
        for (String name : environment.keySet()) {
            if (name.startsWith("WALLETD_") && !known.contains(name)) {
                warnings.add("the variable " + name + " means nothing to the daemon" + Nearest.semicolon(name, known));
            }
        }
    }
}
