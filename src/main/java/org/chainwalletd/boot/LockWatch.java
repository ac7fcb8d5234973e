package org.chainwalletd.boot;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.chainwalletd.store.DatadirLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every second whether the datadir is still this process's alone, and lets the process end when it is not: two daemons on one datadir
 * would each believe that it knows all keys, coins and tokens.
 */
final class LockWatch {
    private static final Logger LOG = LoggerFactory.getLogger(LockWatch.class);
    private static final Duration EVERY = Duration.ofSeconds(1);

    private LockWatch() {}

    /** @param disk where the file is looked at */
    static Cancellable start(ActorSystem<Guardian.Command> system, DatadirLock lock, Executor disk) {
        return Adapter.toClassic(system)
                .scheduler()
                .scheduleWithFixedDelay(
                        EVERY,
                        EVERY,
                        () -> disk.execute(() -> look(system, lock)),
                        Adapter.toClassic(system).dispatcher());
    }

    private static void look(ActorSystem<Guardian.Command> system, DatadirLock lock) {
        try {
            lock.check();
        } catch (IOException e) {
            LOG.error("{}", e.getMessage());
            system.tell(new Guardian.ThreadEnded("the lock on the datadir"));
        }
    }
}
