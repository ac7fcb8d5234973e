package org.chainwalletd.cli;

import java.io.PrintStream;
import java.util.function.Consumer;
import org.chainwalletd.boot.Daemon;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.config.Configuration;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Version;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.observe.LogSetup;
import org.slf4j.LoggerFactory;

/** Command that runs the daemon until it is stopped. */
final class ServeCommand implements Command {
    @Override
    public String word() {
        return "serve";
    }

    @Override
    public String summary() {
        return "Runs the wallet signing daemon (also without a command's name) until SIGTERM. Needs "
                + Option.PASSPHRASE_FILE.flag() + " or the variable " + Passphrase.VARIABLE + ".";
    }

    @Override
    public int run(Invocation invocation) {
        Configuration configuration = invocation.configuration();
        LogSetup.takeUp().ifPresent(problem -> {
            throw new StartupException(problem);
        });
        SecretBytes passphrase = Passphrase.from(
                invocation.environment(), configuration.settings().keyring().passphraseFile());
        ProcessEnd end = ProcessEnd.takeCharge(configuration.settings().http().drain());
        int code = ExitCode.FAILED;
        try {
            code = serve(invocation, configuration, passphrase, end);
        } finally {
            end.reached(code);
        }
        return code;
    }

    private static int serve(
            Invocation invocation, Configuration configuration, SecretBytes passphrase, ProcessEnd end) {
        configuration.warnings().forEach(warning -> invocation.streams().err().println("warning: " + warning));
        try (Daemon daemon = Daemon.start(configuration.settings(), passphrase, printer(invocation))) {
            end.setThreadDeathReceiver(daemon::threadEnded);
            daemon.listenForHangUp();
            announce(daemon, configuration, invocation.out());
            return end.await(daemon.gaveUp());
        } catch (StartupException e) {
            if (end.isAsked()) {
                return ExitCode.OK;
            }
            throw e;
        }
    }

    private static Consumer<String> printer(Invocation invocation) {
        return line -> {
            invocation.out().println(line);
            invocation.out().flush();
        };
    }

    private static void announce(Daemon daemon, Configuration configuration, PrintStream out) {
        String ready = Lines.NAME + " " + Version.number() + " ready on " + daemon.uri() + " (datadir "
                + configuration.settings().datadir() + ")";
        out.println(ready);
        out.flush();
        LoggerFactory.getLogger(ServeCommand.class).info(ready);
    }
}
