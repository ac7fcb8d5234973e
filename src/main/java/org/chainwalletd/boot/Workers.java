package org.chainwalletd.boot;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.chainwalletd.swap.legs.BothLegs;

/**
 * Thread pools for work that must not run on an actor's thread, one per kind of work, with their queue lengths as metrics.
 *
 * <p>The queues are bounded at admission: while one is {@linkplain #full() full}, new calls are refused and may be repeated later. Work of an
 * accepted call is never rejected, because money may have moved by then; each call adds few tasks at a time, and concurrent calls are bounded
 * too.
 */
final class Workers {
    /** Threads of the keyring: more than the maximum number of concurrent exports; they mostly wait. */
    private static final int KEYRING_THREADS = 24;

    /** Threads for keys in a database: several, so that their writes share a commit. */
    private static final int KEY_ROW_THREADS = 4;

    private static final int BLOCKING_THREADS = 16;
    private static final int MAX_BLOCKING_QUEUE = 1_024;

    private final List<ThreadPoolExecutor> pools = new ArrayList<>();
    private final List<ThreadPoolExecutor> blocking = new ArrayList<>();
    private final MeterRegistry meters;
    private final Executor crypto;
    private final Executor argon2;
    private final Executor disk;
    private final Executor keyring;
    private final Executor upstream;
    private final Executor answers;
    private final int maxQueue;
    private final Executor background;
    private final BothLegs.Threads swaps;
    private final Executor watchtower;
    private final Executor journals;

    /**
     * @param argon2Threads number of threads for key derivation; each takes 64 MiB while it computes
     * @param maxQueue queue length of a pool from which new calls are refused
     */
    Workers(int cores, int argon2Threads, int maxQueue, MeterRegistry meters) {
        this.meters = meters;
        this.maxQueue = maxQueue;
        this.crypto = pool("crypto", cores);
        this.argon2 = pool("argon2", argon2Threads);
        this.disk = pool("disk", 2);
        this.keyring = pool("keyring", KEYRING_THREADS);
        this.upstream = pool("upstream", cores);
        this.answers = new AnswerPool(pool("answers", cores, AnswerPool.Worker::new));
        this.background = pool("background", 1, Workers::lowestPriority);
        this.swaps = new BothLegs.Threads(
                blocking("swap-chain"),
                blocking("swap-contract"),
                blocking("swap-chain-redeem"),
                blocking("swap-contract-redeem"));
        this.watchtower = blocking("swap-watchtower");
        this.journals = pool("journals", BLOCKING_THREADS);
    }

    /** Threads for signatures. */
    Executor crypto() {
        return crypto;
    }

    /** Threads for key derivation. */
    Executor argon2() {
        return argon2;
    }

    /** Threads for files. */
    Executor disk() {
        return disk;
    }

    /** Creates the threads for keys in a database, which may block for long; called once, before anything is served. */
    Executor keyRows() {
        return pool("key-rows", KEY_ROW_THREADS);
    }

    /** Threads for blocking keyring work in several steps, which mostly waits for the pools above. */
    Executor keyring() {
        return keyring;
    }

    /** Threads for parsing answers of nodes. */
    Executor upstream() {
        return upstream;
    }

    /** Thread for proof-of-work checks, one at a time, with minimum priority. */
    Executor background() {
        return background;
    }

    /** Threads for the steps of swaps, which wait for chains: checks, locks, claims and refunds. */
    BothLegs.Threads swaps() {
        return swaps;
    }

    /** Threads for rounds of the watchtower. */
    Executor watchtower() {
        return watchtower;
    }

    /** Threads for decrypting sealed rows, which wait for the key derived from their salt. */
    Executor journals() {
        return journals;
    }

    private static Thread lowestPriority(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setPriority(Thread.MIN_PRIORITY);
        return thread;
    }

    /** Threads for converting the services' answers into results of methods, and for writing these. */
    Executor answers() {
        return answers;
    }

    /** Whether the queue of any pool has reached its limit. */
    boolean full() {
        for (ThreadPoolExecutor pool : pools) {
            if (pool.getQueue().size() >= maxQueue) {
                return true;
            }
        }
        return false;
    }

    private Executor pool(String name, int threads) {
        return pool(name, threads, Thread::new);
    }

    private Executor pool(String name, int threads, BiFunction<Runnable, String, Thread> maker) {
        ThreadPoolExecutor pool = pool(name, threads, maker, new LinkedBlockingQueue<>());
        pools.add(pool);
        return pool;
    }

    /** Creates a pool for work that blocks. It rejects tasks beyond its queue; such work is retried later, and no call is refused for it. */
    Executor blocking(String name) {
        ThreadPoolExecutor pool =
                pool(name, BLOCKING_THREADS, Thread::new, new LinkedBlockingQueue<>(MAX_BLOCKING_QUEUE));
        blocking.add(pool);
        return pool;
    }

    private ThreadPoolExecutor pool(
            String name, int threads, BiFunction<Runnable, String, Thread> maker, BlockingQueue<Runnable> queue) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, 30, TimeUnit.SECONDS, queue, work -> {
            Thread thread = maker.apply(work, "walletd-" + name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        pool.allowCoreThreadTimeOut(true);
        Gauge.builder("walletd.worker.queue", pool, p -> p.getQueue().size())
                .tag("pool", name)
                .description("Tasks that wait for a thread")
                .register(meters);
        return pool;
    }

    /** Lets accepted work finish for up to {@code timeout}, then drops tasks that have not started: no caller has been told that they are done. */
    void close(Duration timeout) {
        blocking.forEach(ThreadPoolExecutor::shutdownNow);
        pools.forEach(ThreadPoolExecutor::shutdown);
        long end = System.nanoTime() + timeout.toNanos();
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

    /**
     * Runs the rest of a call once its services have answered. A task submitted from a thread of this pool runs directly on it: the steps
     * between the last stage and the socket are small, and a thread switch costs more than most of them.
     */
    private static final class AnswerPool implements Executor {
        /** Maximum nesting of tasks on one thread: enough for the steps of any call, and a limit for those of a batch. */
        private static final int MAX_NESTED = 8;

        private final Executor threads;

        /** @param threads executor that runs its tasks on {@link Worker}s */
        AnswerPool(Executor threads) {
            this.threads = threads;
        }

        /** Thread of the pool. */
        static final class Worker extends Thread {
            private int nested;

            Worker(Runnable work, String name) {
                super(work, name);
            }
        }

        @Override
        public void execute(Runnable work) {
            if (Thread.currentThread() instanceof Worker worker && worker.nested < MAX_NESTED) {
                worker.nested++;
                try {
                    work.run();
                } finally {
                    worker.nested--;
                }
            } else {
                threads.execute(work);
            }
        }
    }
}
