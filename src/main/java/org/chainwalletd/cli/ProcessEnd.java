package org.chainwalletd.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.chainwalletd.stage.Signals;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Orderly end of a daemon's process, within a bounded time, with exit code 0 only if requested by a signal. A thread that dies of an
 * {@link Error} ends the process too, whoever started it, because anything waiting for it would wait forever.
 */
final class ProcessEnd implements Thread.UncaughtExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessEnd.class);

    /**
     * Times after which the process is halted.
     *
     * @param stop for an orderly stop
     * @param lost for a daemon that has lost an essential part: it does not wait for long calls
     */
    record Limits(Duration stop, Duration lost) {
        private static final Duration LEAST = Duration.ofSeconds(20);
        /** Time for everything but the drain of calls. */
        private static final Duration BEYOND_DRAIN = Duration.ofSeconds(12);

        /** @param drain time that calls in progress get when the daemon is stopped */
        static Limits of(Duration drain) {
            Duration stop = drain.plus(BEYOND_DRAIN);
            return new Limits(stop.compareTo(LEAST) > 0 ? stop : LEAST, LEAST);
        }
    }

    private final Limits limits;
    private final IntConsumer halt;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ending = new CountDownLatch(1);
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    private final List<String> deadThreads = new ArrayList<>();
    private Optional<Consumer<String>> threadDeathReceiver = Optional.empty();
    private volatile boolean requested;

    /**
     * Creates an instance without registering any handler.
     *
     * @param halt ends the process immediately with an exit code
     */
    ProcessEnd(Limits limits, IntConsumer halt) {
        this.limits = limits;
        this.halt = halt;
    }

    /**
     * Registers handlers for signals, for {@code System.exit}, and for uncaught exceptions of all threads.
     *
     * @param drain time that calls in progress get when the daemon is stopped
     */
    static ProcessEnd takeCharge(Duration drain) {
        ProcessEnd end = new ProcessEnd(Limits.of(drain), Runtime.getRuntime()::halt);
        Runtime.getRuntime().addShutdownHook(new Thread(end::stopInOrder, "stop"));
        // Created now, because the system may be out of threads when it is needed.
        Thread limit = new Thread(end::endInTime, "end-in-time");
        limit.setDaemon(true);
        limit.start();
        Thread.setDefaultUncaughtExceptionHandler(end);
        boolean terminated = Signals.install("TERM", end::onSignal);
        boolean interrupted = Signals.install("INT", end::onSignal);
        // Otherwise a signal would look like an exit by other code, and count as a failure.
        end.requested = !terminated || !interrupted;
        return end;
    }

    private void onSignal() {
        requested = true;
        System.exit(ExitCode.OK);
    }

    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        try {
            LOG.error("thread {} has ended", thread.getName(), failure);
        } finally {
            // An error in a pool thread that waits for work surfaces as IllegalMonitorStateException: the lock of the
            // queue is lost.
            if (failure instanceof Error || failure instanceof IllegalMonitorStateException) {
                ending.countDown();
                onThreadDied("thread " + thread.getName());
            }
        }
    }

    private synchronized void onThreadDied(String thread) {
        deadThreads.add(thread);
        threadDeathReceiver.ifPresent(receiver -> receiver.accept(thread));
    }

    /** Sets the receiver of threads that died of an error, including those that have already died. */
    synchronized void setThreadDeathReceiver(Consumer<String> receiver) {
        threadDeathReceiver = Optional.of(receiver);
        deadThreads.forEach(receiver);
    }

    /**
     * Waits until the daemon is to be stopped.
     *
     * @param gaveUp completes when the daemon cannot continue
     * @return the exit code
     */
    int await(CompletionStage<Void> gaveUp) {
        try {
            while (!stop.await(1, TimeUnit.SECONDS)) {
                if (gaveUp.toCompletableFuture().isDone()) {
                    ending.countDown();
                    return ExitCode.FAILED;
                }
            }
            return requested ? ExitCode.OK : ExitCode.FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        }
    }

    /** Whether the process has been asked to end. */
    boolean isAsked() {
        return stop.getCount() == 0;
    }

    /** Reports that everything is stopped. */
    void reached(int code) {
        exitCode.complete(code);
    }

    /**
     * Shutdown hook: lets the main thread stop everything in order, then halts the process with its exit code, which the JVM would otherwise
     * replace with 143 after SIGTERM.
     */
    void stopInOrder() {
        stop.countDown();
        halt.accept(codeWithin(limits.stop()));
    }

    /** Waits until an essential part is lost, then halts the process unless everything is stopped in time. */
    void endInTime() {
        try {
            ending.await();
            int code = codeWithin(limits.lost());
            if (!exitCode.isDone()) {
                halt.accept(code);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int codeWithin(Duration limit) {
        try {
            return exitCode.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            System.err.println(Lines.NAME + ": did not stop in order within " + limit.toSeconds() + " s");
        }
        return ExitCode.FAILED;
    }
}
