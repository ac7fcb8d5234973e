package org.chainwalletd.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Command line flags of the options. Values stay texts: {@link SettingsLoader} checks them together with those from elsewhere. */
public final class CommandOptions {
    private CommandOptions() {}

    /**
     * Adds every option, and {@code --config}, to a command and to those below it.
     *
     * @param shown selects the options that the command's help shows; all are accepted
     */
    public static void addTo(CommandSpec command, Predicate<Option> shown) {
        command.addOption(OptionSpec.builder(SettingsLoader.CONFIG_FLAG)
                .paramLabel("<file>")
                .type(String.class)
                .scopeType(CommandLine.ScopeType.INHERIT)
                .description("configuration file; default <datadir>/" + SettingsLoader.FILE_NAME
                        + " if it is there [env " + SettingsLoader.CONFIG_VARIABLE + "]")
                .build());
        for (Option option : Option.all()) {
            command.addOption(spec(option, !shown.test(option)));
        }
    }

    /** Options given on the command line, before or after a command's name, for {@link SettingsLoader#load}. */
    public static Map<String, String> given(ParseResult parsed) {
        Map<String, String> flags = new LinkedHashMap<>();
        for (ParseResult level = parsed; level != null; level = level.subcommand()) {
            for (OptionSpec option : level.matchedOptions()) {
                String flag = option.longestName();
                if (flag.equals(SettingsLoader.CONFIG_FLAG)
                        || Option.ofFlag(flag).isPresent()) {
                    flags.put(flag, option.getValue());
                }
            }
        }
        return flags;
    }

    private static OptionSpec spec(Option option, boolean hidden) {
        OptionSpec.Builder spec = OptionSpec.builder(option.flag())
                .type(String.class)
                .scopeType(CommandLine.ScopeType.INHERIT)
                .hidden(hidden)
                .description(description(option).replace("%", "%%"));
        if (option.form() == Option.Form.SWITCH) {
            return spec.arity("0..1")
                    .fallbackValue("true")
                    .paramLabel("<true|false>")
                    .build();
        }
        return spec.arity("1").paramLabel("<" + option.form().label() + ">").build();
    }

    private static String description(Option option) {
        String standard = option.form() == Option.Form.SWITCH
                ? ""
                : option.defaultText()
                        .filter(text -> !text.isEmpty())
                        .map(text -> "; default " + text)
                        .orElse("");
        return option.help() + standard + " [env " + option.variable("chain") + "]";
    }
}
