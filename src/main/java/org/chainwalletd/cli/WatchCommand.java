package org.chainwalletd.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.stage.Signals;
import org.chainwalletd.watch.Watch;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** Command that shows a running daemon live in the terminal. */
final class WatchCommand implements Command {
    private static final String DEFAULT_SCOPE = "read";
    private static final Duration INTERVAL = Duration.ofSeconds(3);
    private static final List<String> ENDS = List.of("INT", "TERM", "HUP");

    @Override
    public String word() {
        return "watch";
    }

    @Override
    public String summary() {
        return "Shows a running daemon live: tip, lag, nodes, spends, balances, HTLCs, waits and events. Ctrl-C or q ends it. "
                + "Where there is no terminal it prints a line for whatever happens. Needs a read token.";
    }

    @Override
    public List<Flag> flags() {
        List<Flag> flags = new ArrayList<>(Connection.flags(DEFAULT_SCOPE));
        flags.add(new Flag("--interval", "secs", "between two readings, 1 to 3600; default 3. Events come at once"));
        flags.add(new Flag("--lines", "", "print lines in a terminal too"));
        flags.add(new Flag("--once", "", "print what is known now, and end"));
        return flags;
    }

    @Override
    public int run(Invocation invocation) {
        Settings settings = invocation.configurationOfDaemon().settings();
        try {
            Connection connection = Connection.of(invocation, settings, DEFAULT_SCOPE);
            WalletdClient daemon = connection.client(WalletdClient.DEFAULT_TIMEOUT);
            Watch watch = new Watch(daemon, connection.url(), Watch.Pace.every(interval(invocation)));
            if (invocation.option("--once").isPresent()) {
                watch.once(invocation.out());
            } else {
                follow(invocation, watch);
            }
            return ExitCode.OK;
        } catch (IllegalArgumentException e) {
            return invocation.fail(ExitCode.USAGE, e.getMessage());
        } catch (IOException e) {
            return invocation.fail(ExitCode.FAILED, "cannot use the terminal: " + e.getMessage() + "; try --lines");
        } catch (WalletdException e) {
            return Connection.failed(invocation, e);
        } catch (IllegalStateException e) {
            return invocation.fail(ExitCode.FAILED, e.getMessage());
        }
    }

    private static Duration interval(Invocation invocation) {
        String given = invocation.option("--interval").orElse(String.valueOf(INTERVAL.toSeconds()));
        if (!given.matches("[0-9]{1,4}") || Integer.parseInt(given) < 1 || Integer.parseInt(given) > 3600) {
            throw new IllegalArgumentException("--interval is 1 to 3600 seconds, not '" + given + "'");
        }
        return Duration.ofSeconds(Integer.parseInt(given));
    }

    /** Runs the watch until a signal ends it, so that the terminal is restored. */
    private static void follow(Invocation invocation, Watch watch) throws IOException {
        ENDS.forEach(signal -> Signals.install(signal, watch::stop));
        if (invocation.option("--lines").isPresent()) {
            watch.inLines(invocation.out());
            return;
        }
        try (Terminal terminal = terminal()) {
            if (terminal.getType().startsWith(Terminal.TYPE_DUMB)) {
                watch.inLines(invocation.out());
            } else {
                watch.onScreen(terminal);
            }
        }
    }

    /** Opens the terminal through the system's programs instead of a native library, which would have to be unpacked. */
    private static Terminal terminal() throws IOException {
        return TerminalBuilder.builder()
                .system(true)
                .systemOutput(TerminalBuilder.SystemOutput.SysOut)
                .providers(TerminalBuilder.PROP_PROVIDER_EXEC)
                .dumb(true)
                .build();
    }
}
