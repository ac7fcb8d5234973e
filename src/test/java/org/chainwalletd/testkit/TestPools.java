package org.chainwalletd.testkit;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Pools for blocking code in tests, of the same size as the daemon's: tasks start in the order of their submission. */
public final class TestPools {
    public static final int THREADS = 16;
    private static final int LONGEST_QUEUE = 1_024;

    private TestPools() {}

    public static Executor of(String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(LONGEST_QUEUE), work -> {
                    Thread thread = new Thread(work, name);
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
