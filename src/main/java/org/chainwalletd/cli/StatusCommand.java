package org.chainwalletd.cli;

import java.time.Duration;
import java.util.List;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.watch.Watch;

/** Command that prints the state of a running daemon on one screen. */
final class StatusCommand implements Command {
    private static final String DEFAULT_SCOPE = "read";

    @Override
    public String word() {
        return "status";
    }

    @Override
    public String summary() {
        return "Prints how a running daemon is: readiness, chain, tip, lag, nodes, payments in flight, open waits, balances, HTLCs. "
                + "Needs a read token.";
    }

    @Override
    public List<Flag> flags() {
        return Connection.flags(DEFAULT_SCOPE);
    }

    @Override
    public int run(Invocation invocation) {
        Settings settings = invocation.configurationOfDaemon().settings();
        try {
            Connection connection = Connection.of(invocation, settings, DEFAULT_SCOPE);
            WalletdClient daemon = connection.client(WalletdClient.DEFAULT_TIMEOUT);
            new Watch(daemon, connection.url(), Watch.Pace.every(Duration.ofSeconds(1))).once(invocation.out());
            return ExitCode.OK;
        } catch (IllegalArgumentException e) {
            return invocation.fail(ExitCode.USAGE, e.getMessage());
        } catch (WalletdException e) {
            return Connection.failed(invocation, e);
        }
    }
}
