package org.chainwalletd.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.ConfigurationException;
import org.chainwalletd.config.Nearest;
import picocli.CommandLine;

/** Execution of the command lines that {@link ServeFastPath} does not accept, with the full grammar. */
final class FullCommandLine {
    private FullCommandLine() {}

    /** Runs the command, or prints the requested help; returns the exit code. */
    static int run(String[] words, Map<String, String> environment, Invocation.Streams streams) {
        CommandLineParser parser = new CommandLineParser(Lines.NAME, Commands.all());
        CommandLineParser.Parsed parsed;
        try {
            parsed = parser.parse(words);
        } catch (CommandLine.ParameterException e) {
            streams.err()
                    .println(Lines.NAME + ": " + Lines.one(e.getMessage()) + suggestion(e, words) + "; see "
                            + Lines.NAME + " --help");
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

    private static String suggestion(CommandLine.ParameterException mistake, String... words) {
        if (!(mistake instanceof CommandLine.UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return "";
        }
        String typed = unmatched.getUnmatched().get(0);
        String name = typed.replaceFirst("^--?", "").replaceFirst("=.*", "").replace('-', '_');
        boolean isParameter = RpcParameters.ofAllMethods(ChainProfile.of("chain")).entrySet().stream()
                .anyMatch(method -> List.of(words).contains(method.getKey())
                        && method.getValue().containsKey(name));
        if (typed.startsWith("-") && isParameter) {
            return ": parameters of a method have no dashes: " + name + "=...";
        }
        CommandLine.Model.CommandSpec command = unmatched.getCommandLine().getCommandSpec();
        List<String> known = new ArrayList<>(command.optionsMap().keySet());
        known.addAll(command.root().optionsMap().keySet());
        known.addAll(command.subcommands().keySet());
        return Nearest.colon(typed, known);
    }

    /** Execution of a command; each failure becomes one line and an exit code. */
    static final class CommandRun {
        private CommandRun() {}

        static int of(Command command, Invocation invocation) {
            try {
                return command.run(invocation);
            } catch (ConfigurationException e) {
                e.problems().forEach(problem -> invocation.fail(ExitCode.USAGE, problem));
                return ExitCode.USAGE;
            } catch (StartupException | WalletdException e) {
                return invocation.fail(ExitCode.FAILED, Lines.one(e.getMessage()));
            }
        }
    }

    /** All commands, the default one first. */
    static final class Commands {
        private Commands() {}

        static List<Command> all() {
            return List.of(
                    new ServeCommand(),
                    new DevnetCommand(),
                    new DemoCommand(),
                    new RpcCommand(),
                    new StatusCommand(),
                    new ExportCommand(),
                    new StopCommand(),
                    new WatchCommand(),
                    new DoctorCommand(),
                    new InitSeededCommand(),
                    new MigrateCommand(),
                    new TokenCommand(),
                    new StoreCommand(),
                    new ClusterCommand(),
                    new CompletionCommand(Commands::all));
        }
    }
}
