package org.chainwalletd.config;

import java.nio.file.InvalidPathException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Parsed values of the options, each read once. Records their sources, and collects problems instead of failing. */
final class OptionValues {
    private final Map<Option, String> origins = new EnumMap<>(Option.class);
    private final Sources sources;
    private final List<String> problems;
    private final List<String> warnings;

    OptionValues(Sources sources, List<String> problems, List<String> warnings) {
        this.sources = sources;
        this.problems = problems;
        this.warnings = warnings;
    }

    /** Returns the source of every option that was read. */
    Map<Option, String> origins() {
        return Map.copyOf(origins);
    }

    /** Returns the source of an option that was read: {@code default} if it was not set. */
    String origin(Option option) {
        return origins.get(option);
    }

    /** Replaces the source of an option whose value another option determines. */
    void override(Option option, String origin) {
        origins.put(option, origin);
    }

    /** Whether the option was set. */
    boolean isGiven(Option option) {
        return !origins.get(option).equals("default");
    }

    boolean truth(Option option) {
        return value(option, Parsing::truth).orElse(false);
    }

    int count(Option option) {
        return Math.toIntExact(number(option));
    }

    long number(Option option) {
        return optionalNumber(option).orElse(option.least());
    }

    OptionalLong optionalNumber(Option option) {
        return value(option, text -> OptionalLong.of(Parsing.number(text, option.least(), option.most())))
                .orElse(OptionalLong.empty());
    }

    /** Reads a duration in milliseconds or seconds, according to the form of the option. */
    Duration duration(Option option) {
        long number = number(option);
        return option.form() == Option.Form.MILLISECONDS ? Duration.ofMillis(number) : Duration.ofSeconds(number);
    }

    /** Reads a list; empty if there is none. */
    <T> List<T> list(Option option, Function<String, List<T>> parsing) {
        return value(option, parsing).orElse(List.of());
    }

    /** Reads the option's value or its default; records a problem and returns empty if it is invalid. */
    <T> Optional<T> value(Option option, Function<String, T> parsing) {
        Optional<Sources.Given> given = sources.given(option);
        origins.put(option, given.map(Sources.Given::origin).orElse("default"));
        if (option.form() == Option.Form.SECRET && origins.get(option).startsWith("flag")) {
            warnings.add(option.flag() + " stands on the command line, which everybody on this machine can read: use "
                    + option.variable(sources.brand()) + ", the configuration file or a file of its own");
        }
        Optional<String> text = given.map(Sources.Given::text).or(option::defaultText);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (text.get().isBlank() && given.isPresent() && !takesNothing(option)) {
                throw new IllegalArgumentException("is empty; give a value or leave it out");
            }
            return Optional.of(parsing.apply(text.get().strip()));
        } catch (InvalidPathException e) {
            problems.add(complaint(option, given, "is no path"));
        } catch (IllegalArgumentException e) {
            problems.add(complaint(option, given, e.getMessage()));
        }
        return Optional.empty();
    }

    private static boolean takesNothing(Option option) {
        return option.form() == Option.Form.WORDS || option.form() == Option.Form.NETWORKS;
    }

    /** Creates a complaint that names the source of the value, so that the operator finds it; never shows a secret. */
    private static String complaint(Option option, Optional<Sources.Given> given, String what) {
        String origin = given.map(Sources.Given::origin).orElse("default of " + option.flag());
        String name = origin.startsWith("flag ") ? option.flag() : option.flag() + " (from " + origin + ")";
        boolean shown = option.form() != Option.Form.SECRET
                && given.isPresent()
                && !DatabaseUrl.showsPassword(given.get().text())
                && !given.get().text().isBlank();
        return name + (shown ? " '" + given.get().text() + "'" : "") + " " + what;
    }
}
