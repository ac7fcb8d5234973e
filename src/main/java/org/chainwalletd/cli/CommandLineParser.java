package org.chainwalletd.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.config.Version;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** Parser of the command line. Its grammar is built from the commands and the configuration's table of options. */
final class CommandLineParser {
    private static final String HELP = "--help";
    private static final String ALL = "all";

    private final Map<String, Command> commands = new LinkedHashMap<>();
    private final String program;
    private final List<Command> all;

    /** @param all commands; the first one is the default */
    CommandLineParser(String program, List<Command> all) {
        this.program = program;
        this.all = List.copyOf(all);
        commands.put(program, all.get(0));
        all.forEach(command -> commands.put(command.word(), command));
    }

    private CommandLine grammar(Predicate<Option> shown) {
        CommandSpec root = spec(program, all.get(0));
        root.addOption(OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .type(boolean.class)
                .description("print the version and exit")
                .build());
        addOptions(root, shown);
        for (Command command : all) {
            root.addSubcommand(command.word(), spec(command.word(), command));
        }
        long hidden = Option.all().stream().filter(shown.negate()).count();
        if (hidden > 0) {
            root.usageMessage()
                    .footer("%n" + HELP + " " + ALL + " lists " + hidden
                            + " more options that few need: limits, times, swaps, the development node.");
        }
        // The value devnet of --network is also the name of a command, and a folder may have the name of one.
        return new CommandLine(root)
                .setAllowSubcommandsAsOptionParameters(true)
                .setUsageHelpWidth(110)
                .setUsageHelpLongOptionsMaxWidth(34);
    }

    /**
     * Result of parsing.
     *
     * @param text text to print instead of running the command
     */
    record Parsed(
            Command command,
            Optional<String> text,
            Map<String, String> flags,
            Map<String, String> options,
            List<String> arguments) {}

    /**
     * @throws CommandLine.ParameterException with a message for the user
     */
    Parsed parse(String... words) {
        int help = Arrays.asList(words).indexOf(HELP);
        boolean whole = help >= 0 && help + 1 < words.length && words[help + 1].equals(ALL);
        ParseResult top =
                grammar(whole ? option -> true : Option::isCommon).parseArgs(whole ? without(words, help + 1) : words);
        ParseResult last = top;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        Command command = commands.get(last.commandSpec().name());
        return new Parsed(command, text(command, top, last), given(top), own(command, last), positionals(last));
    }

    private static String[] without(String[] words, int index) {
        List<String> left = new ArrayList<>(Arrays.asList(words));
        left.remove(index);
        return left.toArray(String[]::new);
    }

    /** Returns the whole grammar, for shell completion. */
    CommandLine grammar() {
        return grammar(option -> true);
    }

    private static Optional<String> text(Command command, ParseResult top, ParseResult last) {
        if (top.isVersionHelpRequested()) {
            return Optional.of(Version.line() + System.lineSeparator());
        }
        return top.isUsageHelpRequested() || last.isUsageHelpRequested()
                ? command.help(positionals(last))
                        .or(() -> Optional.of(last.commandSpec().commandLine().getUsageMessage()))
                : Optional.empty();
    }

    private static Map<String, String> own(Command command, ParseResult parsed) {
        Map<String, String> options = new LinkedHashMap<>();
        for (Command.Flag flag : command.flags()) {
            if (parsed.hasMatchedOption(flag.name())) {
                Object value = parsed.matchedOptionValue(flag.name(), (Object) "");
                options.put(flag.name(), value.toString());
            }
        }
        return options;
    }

    private static List<String> positionals(ParseResult parsed) {
        List<String> arguments = new ArrayList<>();
        for (PositionalParamSpec positional : parsed.matchedPositionals()) {
            arguments.addAll(positional.stringValues());
        }
        return arguments;
    }

    private static CommandSpec spec(String name, Command command) {
        CommandSpec spec = CommandSpec.create().name(name);
        spec.usageMessage()
                .description(command.summary())
                .abbreviateSynopsis(true)
                .sortOptions(false)
                .commandListHeading("%nCommands:%n")
                .optionListHeading("%nOptions:%n");
        spec.addOption(OptionSpec.builder("-h", HELP)
                .usageHelp(true)
                .type(boolean.class)
                .description("print this help and exit")
                .build());
        for (Command.Flag flag : command.flags()) {
            spec.addOption(option(flag));
        }
        int position = 0;
        for (String label : command.arguments()) {
            boolean optional = label.startsWith("[");
            boolean several = label.endsWith("...");
            String shown = label.replace("...", "");
            spec.addPositional(PositionalParamSpec.builder()
                    .index(position++ + (several ? "..*" : ""))
                    .arity(optional ? several ? "0..*" : "0..1" : "1")
                    .required(!optional)
                    .paramLabel(optional ? shown.substring(1, shown.length() - 1) : shown)
                    .type(several ? String[].class : String.class)
                    .build());
        }
        return spec;
    }

    private static OptionSpec option(Command.Flag flag) {
        OptionSpec.Builder builder = OptionSpec.builder(flag.name())
                .type(String.class)
                .description(flag.help())
                .hidden(flag.help().isEmpty());
        return flag.label().isEmpty()
                ? builder.arity("0").fallbackValue("true").type(boolean.class).build()
                : builder.arity("1").paramLabel("<" + flag.label() + ">").build();
    }

    /** Adds every option of the configuration, and {@code --config}, to a command and its subcommands. All are accepted; help shows some. */
    private static void addOptions(CommandSpec command, Predicate<Option> shown) {
        command.addOption(OptionSpec.builder(SettingsLoader.CONFIG_FLAG)
                .paramLabel("<file>")
                .type(String.class)
                .scopeType(CommandLine.ScopeType.INHERIT)
                .description("configuration file; default <datadir>/" + SettingsLoader.FILE_NAME
                        + " if it is there [env " + SettingsLoader.CONFIG_VARIABLE + "]")
                .build());
        for (Option option : Option.all()) {
            command.addOption(option(option, !shown.test(option)));
        }
    }

    /**
     * Returns the options given on the command line, before or after the command's name. Values stay unparsed: {@link SettingsLoader}
     * validates them together with those of other sources.
     */
    private static Map<String, String> given(ParseResult parsed) {
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

    private static OptionSpec option(Option option, boolean hidden) {
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
