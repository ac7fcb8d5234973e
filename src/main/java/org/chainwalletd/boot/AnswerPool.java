package org.chainwalletd.boot;

import java.util.concurrent.Executor;

/**
 * Runs what is left of a call once its services have done their part. Work that comes from one of the pool's own threads runs on it, at
 * once: the steps between the last stage and the socket are small, and each change of threads costs more than most of them.
 */
final class AnswerPool implements Executor {
    /** Deep enough for the steps of any call, and a bound for those of a batch. */
    private static final int MOST_NESTED = 8;

    private final Executor threads;

    /** @param threads hands its work to {@link Worker}s */
    AnswerPool(Executor threads) {
        this.threads = threads;
    }

    /** A thread of the pool. */
    static final class Worker extends Thread {
        private int nested;

        Worker(Runnable work, String name) {
            super(work, name);
        }
    }

    @Override
    public void execute(Runnable work) {
        if (Thread.currentThread() instanceof Worker worker && worker.nested < MOST_NESTED) {
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
