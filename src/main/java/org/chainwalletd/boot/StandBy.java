package org.chainwalletd.boot;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.chainwalletd.store.PostgresDatabase;
import org.chainwalletd.store.PostgresTenant;
import org.chainwalletd.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waiting of a daemon while another one works on the database: until that one has ended, or nothing was heard of it for some seconds of this process's
 * own time. To take the place of one that is only slow is safe, since that one can write nothing afterwards.
 */
final class StandBy {
    private static final Logger LOG = LoggerFactory.getLogger(StandBy.class);
    private static final Duration LOOKED_AT = Duration.ofMillis(500);
    private static final Duration SILENT = Duration.ofSeconds(5);

    private StandBy() {}

    /**
     * Waits. A database that does not answer meanwhile ends the waiting in neither way.
     *
     * @param over tells that this daemon is to stop instead
     * @param console is told once for whom this daemon stands by
     * @return the daemon that has fallen silent; empty when none works on the database
     * @throws StartupException when this daemon is to stop
     */
    static Optional<PostgresTenant.Worker> await(
            PostgresTenant tenant, PostgresDatabase database, BooleanSupplier over, Consumer<String> console) {
        Optional<PostgresTenant.Worker> before = Optional.empty();
        long heard = System.nanoTime();
        long told = 0;
        while (!over.getAsBoolean()) {
            Optional<PostgresTenant.Worker> worker;
            try {
                worker = tenant.worker(database);
            } catch (StoreException e) {
                LOG.warn("standing by: {}", e.getMessage());
                // Without an answer nothing can be heard of anybody.
                before = Optional.empty();
                pause();
                continue;
            }
            if (worker.isEmpty()) {
                return worker;
            }
            if (worker.get().start() != told) {
                told = worker.get().start();
                console.accept("standing by: start " + told + " of a daemon"
                        + (worker.get().machine().isEmpty()
                                ? ""
                                : " on " + worker.get().machine())
                        + (worker.get().address().isEmpty()
                                ? ""
                                : " at " + worker.get().address())
                        + " works on the database; this one goes on when that one ends, or is silent for "
                        + SILENT.toSeconds() + " s");
            }
            if (before.filter(worker.get()::isSilentSince).isEmpty()) {
                heard = System.nanoTime();
            } else if (System.nanoTime() - heard >= SILENT.toNanos()) {
                LOG.warn("start {} of a daemon is silent: this one takes its place", told);
                return worker;
            }
            before = worker;
            pause();
        }
        throw new StartupException("told to stop while standing by");
    }

    private static void pause() {
        try {
            Thread.sleep(LOOKED_AT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartupException("interrupted while standing by");
        }
    }
}
