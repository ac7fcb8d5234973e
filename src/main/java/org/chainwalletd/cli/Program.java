package org.chainwalletd.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.ConfigurationException;
import org.chainwalletd.observe.Printable;

/**
 * The program: finds the command, runs it, turns what goes wrong into one line and an exit code. Names no class of picocli: loading one takes
 * opening every jar before it, see {@link PlainWords}.
 */
public final class Program {
    static final String NAME = "chain-walletd";

    private Program() {}

    /** Runs to the end and returns the exit code. */
    public static int run(String[] words, Map<String, String> environment, Invocation.Streams streams) {
        Optional<Map<String, String>> plain = PlainWords.read(words);
        if (plain.isPresent()) {
            Invocation serving = new Invocation(plain.get(), Map.of(), List.of(), environment, streams);
            return run(new ServeCommand(), serving);
        }
        return AnyWords.run(words, environment, streams);
    }

    static int run(Command command, Invocation invocation) {
        try {
            return command.run(invocation);
        } catch (ConfigurationException e) {
            e.problems().forEach(problem -> invocation.fail(ExitCode.USAGE, problem));
            return ExitCode.USAGE;
        } catch (StartupException | WalletdException e) {
            return invocation.fail(ExitCode.FAILED, oneLine(e.getMessage()));
        }
    }

    static List<Command> commands() {
        return List.of(
                new ServeCommand(),
                new DevnetCommand(),
                new DemoCommand(),
                new RpcCommand(),
                new WatchCommand(),
                new DoctorCommand(),
                new InitSeededCommand(),
                new MigrateCommand(),
                new TokenCommand(),
                new CompletionCommand());
    }

    /** Also of what a daemon, a node or a file has said: none of it may steer the terminal. */
    static String oneLine(String message) {
        return Printable.text(message.lines().map(String::strip).collect(Collectors.joining(" ")));
    }
}
