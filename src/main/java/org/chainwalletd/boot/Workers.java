package org.chainwalletd.boot;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads for work that must not run on an actor's thread, one bounded pool for each kind, with the length of its queue as a metric.
 */
final class Workers {
    private final List<ThreadPoolExecutor> pools = new ArrayList<>();
    private final MeterRegistry meters;
    private final Executor crypto;
    private final Executor argon2;
    private final Executor disk;
    private final Executor upstream;

    /**
     * @param argon2Threads 64 MiB each while it computes
     */
    Workers(int cores, int argon2Threads, MeterRegistry meters) {
        this.meters = meters;
        this.crypto = pool("crypto", cores);
        this.argon2 = pool("argon2", argon2Threads);
        this.disk = pool("disk", 2);
        this.upstream = pool("upstream", cores);
    }

    /** Signatures. */
    Executor crypto() {
        return crypto;
    }

    /** Key stretching. */
    Executor argon2() {
        return argon2;
    }

    /** Files. */
    Executor disk() {
        return disk;
    }

    /** Reading what nodes answer. */
    Executor upstream() {
        return upstream;
    }

    private Executor pool(String name, int threads) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(threads, threads, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "walletd-" + name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        pools.add(pool);
        Gauge.builder("walletd.worker.queue", pool, p -> p.getQueue().size())
                .tag("pool", name)
                .description("Tasks that wait for a thread")
                .register(meters);
        return pool;
    }

    /**
     * Lets accepted work end for as long as {@code patience} allows, then drops what has not begun: nobody was told that it is done.
     */
    void close(Duration patience) {
        pools.forEach(ThreadPoolExecutor::shutdown);
        long end = System.nanoTime() + patience.toNanos();
        try {
            for (ThreadPoolExecutor pool : pools) {
                if (!pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    pool.getQueue().clear();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
