package org.chainwalletd.boot;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.postgres.PostgresLease;
import org.chainwalletd.store.postgres.PostgresStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runner of a daemon's background work under a lease in its database. Renews the lease as long as the work responds, and gives it back when
 * {@code sent.log} cannot be written, so that a standby daemon takes over. Stops the work when the lease is lost, because another daemon runs
 * it then.
 */
final class DatabaseKeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseKeeping.class);
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);
    private static final Duration HOLDER_TIMEOUT = Duration.ofSeconds(5);
    /** Age of the lease from which no daemon is assumed to run the work: a standby daemon would have taken the lease by then. */
    private static final Duration UNATTENDED = Duration.ofSeconds(15);

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(2);
    private static final int CLOSING_SECONDS = 60;

    private final PostgresStore store;
    private final PostgresLease lease;
    private final Keeper keeper;
    private final Runnable failed;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "keeping");
        made.setDaemon(true);
        return made;
    });
    /** Confined to the thread. */
    private Optional<PostgresLease.Lease> ownLease = Optional.empty();

    private Optional<PostgresLease.Lease> lastRead = Optional.empty();
    /** Monotonic time in nanoseconds at which another daemon's lease was last seen to change. */
    private long unchanged;

    private boolean silent;
    /** Whether the work could not be started when the lease was last taken. */
    private boolean startFailed;
    /** The lease as last read; kept across failures to read it. */
    private Optional<PostgresLease.Lease> known = Optional.empty();
    /** Monotonic time in nanoseconds at which the lease was last seen taken or renewed; for readers on other threads. */
    private volatile long renewed = System.nanoTime();
    /** Number of times that the lease was taken, as far as this daemon has seen; for readers on other threads. */
    private volatile long epoch;

    private DatabaseKeeping(PostgresStore store, Keeper keeper, Runnable failed) {
        this.store = store;
        this.lease = store.lease();
        this.keeper = keeper;
        this.failed = failed;
    }

    /**
     * Starts competing for the lease. If no other daemon holds it, background work is running when this returns. Blocks.
     *
     * @param failed run when background work can be neither started nor stopped, so that the process is useless
     */
    static DatabaseKeeping start(PostgresStore store, Keeper keeper, MeterRegistry meters, Runnable failed) {
        DatabaseKeeping keeping = new DatabaseKeeping(store, keeper, failed);
        keeping.measure(meters);
        keeper.judgedBy(keeping::complaint);
        Futures.await(
                CompletableFuture.runAsync(keeping::check, keeping.thread),
                Duration.ofMinutes(2),
                "looking who does the background work");
        keeping.thread.scheduleWithFixedDelay(
                keeping::check, CHECK_INTERVAL.toMillis(), CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        return keeping;
    }

    private void measure(MeterRegistry meters) {
        Supplier<Number> runs = () -> keeper.isRunning() ? 1 : 0;
        Gauge.builder("walletd.keeper", runs)
                .description("1 while the background work runs")
                .register(meters);
        Supplier<Number> taken = () -> epoch;
        Gauge.builder("walletd.keeper.epoch", taken)
                .description("How often the lease on background work was taken, as seen here")
                .register(meters);
        Supplier<Number> age = () -> age().toMillis() / 1e3;
        Gauge.builder("walletd.keeper.age.seconds", age)
                .description("Time since any daemon was last seen to take or renew the lease on background work")
                .register(meters);
    }

    private Duration age() {
        return Duration.ofNanos(System.nanoTime() - renewed);
    }

    /** Reason for {@code /readyz}; a stopped store reports its own. */
    private Optional<String> complaint() {
        Duration age = age();
        return age.compareTo(UNATTENDED) < 0 || store.stopped().isPresent()
                ? Optional.empty()
                : Optional.of("no daemon of the database has been seen to do the background work for " + age.toSeconds()
                        + " s: no block is followed and nothing is sent again; see cluster status, and the log of each daemon"
                        + " for why it does not renew or take the lease");
    }

    /** Records the URL of this daemon for the others. */
    void tellAddress(String address) {
        thread.execute(() -> {
            try {
                lease.tellAddress(address);
            } catch (StoreException e) {
                LOG.warn("the address of this daemon could not be recorded for the other daemons: {}", e.getMessage());
            }
        });
    }

    private void check() {
        try {
            if (ownLease.isPresent()) {
                renew(ownLease.get());
            } else {
                // Stops work that could not be stopped when the lease was lost, because the database did not answer.
                keeper.stop();
                compete(lease.read());
            }
        } catch (StoreException e) {
            LOG.debug("the lease on background work cannot be read or changed: {}", e.getMessage());
            // Without an answer, an unchanged lease does not show that its holder is silent.
            lastRead = Optional.empty();
        } catch (RuntimeException | Error e) {
            // An uncaught exception would cancel the periodic check, and the work would continue without a lease.
            LOG.error("background work cannot be started or stopped", e);
            failed.run();
        }
    }

    private void renew(PostgresLease.Lease held) {
        if (!store.canLog()) {
            LOG.error("sent.log cannot be written: the lease on background work is given back");
            end(held);
            return;
        }
        boolean answers = keeper.answers(ANSWER_TIMEOUT);
        if (!answers && !silent) {
            LOG.error("background work does not answer: the lease on it is not renewed");
        }
        silent = !answers;
        if (answers && lease.renew(held)) {
            renewed = System.nanoTime();
            if (keeper.isEnded()) {
                LOG.warn("another daemon has started background work without the lease: the lease is given back");
                end(held);
            }
        } else if (answers || !lease.isHeld(held)) {
            ownLease = Optional.empty();
            lastRead = Optional.empty();
            keeper.elsewhere("");
            LOG.warn("another daemon has taken over the background work");
            keeper.stop();
        }
    }

    private void compete(PostgresLease.Lease now) {
        if (lastRead.filter(now::isUnchangedSince).isEmpty()) {
            unchanged = System.nanoTime();
        }
        lastRead = Optional.of(now);
        if (!now.free() && known.filter(now::isUnchangedSince).isEmpty()) {
            renewed = System.nanoTime();
        }
        known = lastRead;
        epoch = now.epoch();
        keeper.elsewhere(now.free() ? "" : now.address());
        boolean lapsed = System.nanoTime() - unchanged >= HOLDER_TIMEOUT.toNanos();
        if (!now.free() && !lapsed || !store.canLog()) {
            return;
        }
        PostgresLease.Lease taken = lease.take(now);
        if (lease.isMine(taken)) {
            LOG.info("took the lease on background work, epoch {}", taken.epoch());
            ownLease = Optional.of(taken);
            epoch = taken.epoch();
            begin(taken);
        } else {
            lastRead = Optional.empty();
        }
    }

    private void begin(PostgresLease.Lease taken) {
        try {
            keeper.start();
            renewed = System.nanoTime();
            startFailed = false;
        } catch (StoreException e) {
            if (!startFailed) {
                LOG.warn("background work could not be started, retrying: {}", e.getMessage());
            }
            startFailed = true;
            end(taken);
        }
    }

    private void end(PostgresLease.Lease held) {
        ownLease = Optional.empty();
        lastRead = Optional.empty();
        keeper.stop();
        lease.giveBack(held);
    }

    /** Stops the background work if it runs here, and gives back the lease so that another daemon can take over at once. Blocks. */
    @Override
    public void close() {
        thread.execute(() -> {
            try {
                ownLease.ifPresent(this::end);
            } catch (RuntimeException e) {
                LOG.warn("could not give back the lease on background work: {}", e.getMessage());
            }
            lease.close();
        });
        thread.shutdown();
        try {
            if (!thread.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("background work did not stop in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
