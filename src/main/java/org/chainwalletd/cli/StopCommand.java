package org.chainwalletd.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.store.files.DatadirLock;

/**
 * Command that stops the daemon of a datadir in order, like SIGTERM, and waits for its end. Requires no token: a user who may signal the
 * process may stop it.
 */
final class StopCommand implements Command {
    /** Wait beyond the time after which the daemon is halted by itself. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    /** Returns the maximum wait for the end of a daemon that gives calls in progress {@code drain} to end. */
    static Duration patience(Duration drain) {
        return ProcessEnd.Limits.of(drain).stop().plus(MARGIN);
    }

    @Override
    public String word() {
        return "stop";
    }

    @Override
    public String summary() {
        return "Stops the daemon that runs on the datadir of this machine, in order, and returns when it has ended.";
    }

    @Override
    public int run(Invocation invocation) {
        Settings settings = invocation.configurationOfDaemon().settings();
        Path datadir = settings.datadir();
        try {
            if (!DatadirLock.isHeld(datadir)) {
                return invocation.fail(ExitCode.FAILED, "no daemon is running on the datadir " + datadir);
            }
        } catch (IOException e) {
            return invocation.fail(
                    ExitCode.FAILED,
                    "cannot look at the datadir " + datadir + ": " + e.getMessage()
                            + "; run it as the user of the daemon, or name the datadir with --datadir");
        }
        Optional<ProcessHandle> daemon = DatadirLock.Holder.of(datadir).flatMap(DatadirLock.Holder::running);
        if (daemon.isEmpty()) {
            return invocation.fail(
                    ExitCode.FAILED,
                    "the datadir " + datadir
                            + " is in use by a process that has not said which one it is: another command of "
                            + "this program, or a daemon in a container; end it where it was started");
        }
        return stop(invocation, daemon.get(), datadir, patience(settings.http().drain()));
    }

    private static int stop(Invocation invocation, ProcessHandle daemon, Path datadir, Duration patience) {
        if (!daemon.destroy() && daemon.isAlive()) {
            return invocation.fail(
                    ExitCode.FAILED,
                    "the daemon (process " + daemon.pid()
                            + ") cannot be signalled: run it as the daemon's user, with sudo");
        }
        try {
            daemon.onExit().get(patience.toSeconds(), TimeUnit.SECONDS);
            invocation.out().println("stopped the daemon on " + datadir + " (process " + daemon.pid() + ")");
            return ExitCode.OK;
        } catch (TimeoutException e) {
            return invocation.fail(
                    ExitCode.FAILED,
                    "the daemon (process " + daemon.pid() + ") was told to stop and still runs after "
                            + patience.toSeconds() + " s");
        } catch (ExecutionException e) {
            return invocation.fail(ExitCode.FAILED, "cannot wait for the daemon: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return invocation.fail(ExitCode.FAILED, "interrupted; the daemon was told to stop");
        }
    }
}
