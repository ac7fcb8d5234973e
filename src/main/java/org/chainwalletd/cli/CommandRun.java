package org.chainwalletd.cli;

import org.chainwalletd.boot.StartupException;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.ConfigurationException;

/** A command from its call to its exit code: what goes wrong becomes one line each. */
final class CommandRun {
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
