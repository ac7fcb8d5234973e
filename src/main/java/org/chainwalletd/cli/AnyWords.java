package org.chainwalletd.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.chainwalletd.config.Nearest;
import picocli.CommandLine;

/** Every command line that is not of the form of {@link PlainWords}, read with the whole grammar. */
final class AnyWords {
    private AnyWords() {}

    /** Runs the command that is meant, or prints what was asked for; returns the exit code. */
    static int run(String[] words, Map<String, String> environment, Invocation.Streams streams) {
        CommandLineParser parser = new CommandLineParser(Lines.NAME, Commands.all());
        CommandLineParser.Parsed parsed;
        try {
            parsed = parser.parse(words);
        } catch (CommandLine.ParameterException e) {
            streams.err()
                    .println(Lines.NAME + ": " + Lines.one(e.getMessage()) + suggestion(e) + "; see " + Lines.NAME
                            + " --help");
            return ExitCode.USAGE;
        }
        if (parsed.text().isPresent()) {
            streams.out().print(parsed.text().get());
            return ExitCode.OK;
        }
        return CommandRun.of(
                parsed.command(),
                new Invocation(parsed.flags(), parsed.options(), parsed.arguments(), environment, streams));
    }

    private static String suggestion(CommandLine.ParameterException mistake) {
        if (!(mistake instanceof CommandLine.UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return "";
        }
        CommandLine.Model.CommandSpec command = unmatched.getCommandLine().getCommandSpec();
        List<String> known = new ArrayList<>(command.optionsMap().keySet());
        known.addAll(command.root().optionsMap().keySet());
        known.addAll(command.subcommands().keySet());
        return Nearest.colon(unmatched.getUnmatched().get(0), known);
    }
}
