package org.chainwalletd.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.chainwalletd.boot.Daemon;
import org.chainwalletd.boot.Passphrase;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.config.Configuration;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Version;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.observe.LogSetup;

/** Runs the daemon until it is told to stop. */
final class ServeCommand implements Command {
    private static final Duration STOPPING = Duration.ofSeconds(20);

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
        CountDownLatch stop = new CountDownLatch(1);
        CompletableFuture<Integer> exitCode = new CompletableFuture<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopInOrder(stop, exitCode), "stop"));
        int code = ExitCode.FAILED;
        try {
            code = serve(invocation, configuration, passphrase, stop);
        } finally {
            exitCode.complete(code);
        }
        return code;
    }

    private static int serve(
            Invocation invocation, Configuration configuration, SecretBytes passphrase, CountDownLatch stop) {
        configuration.warnings().forEach(warning -> invocation.streams().err().println("warning: " + warning));
        try (Daemon daemon = Daemon.start(configuration.settings(), passphrase, invocation.out()::println)) {
            daemon.listenForHangUp();
            announce(daemon, configuration, invocation.out());
            boolean gaveUp = waitForEnd(daemon, stop);
            return gaveUp ? ExitCode.FAILED : ExitCode.OK;
        }
    }

    private static void announce(Daemon daemon, Configuration configuration, PrintStream out) {
        out.println(Program.NAME + " " + Version.number() + " ready on " + daemon.uri() + " (datadir "
                + configuration.settings().datadir() + ")");
        out.flush();
    }

    private static boolean waitForEnd(Daemon daemon, CountDownLatch stop) {
        try {
            while (!stop.await(1, TimeUnit.SECONDS)) {
                if (daemon.gaveUp().toCompletableFuture().isDone()) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /**
     * The shutdown hook: lets the main thread stop everything in order, then ends the process with its exit code, which the JVM would
     * otherwise replace by 143 after SIGTERM.
     */
    private static void stopInOrder(CountDownLatch stop, CompletableFuture<Integer> exitCode) {
        stop.countDown();
        int code = ExitCode.FAILED;
        try {
            code = exitCode.get(STOPPING.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            System.err.println(Program.NAME + ": did not stop in order within " + STOPPING.toSeconds() + " s");
        }
        Runtime.getRuntime().halt(code);
    }
}
