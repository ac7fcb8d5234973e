package org.chainwalletd.keyring;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;

/** Executor that a test can close: it runs work immediately on the caller's thread, and keeps work that is submitted while it is closed. */
final class Gate implements Executor {
    private final Deque<Runnable> kept = new ArrayDeque<>();
    private boolean shut;
    private int passed;

    synchronized void shut() {
        shut = true;
    }

    /** Runs the kept work in order. */
    void open() {
        List<Runnable> due;
        synchronized (this) {
            shut = false;
            passed += kept.size();
            due = List.copyOf(kept);
            kept.clear();
        }
        due.forEach(Runnable::run);
    }

    synchronized int waiting() {
        return kept.size();
    }

    /** Returns the number of tasks that were run. */
    synchronized int passed() {
        return passed;
    }

    @Override
    public void execute(Runnable work) {
        synchronized (this) {
            if (shut) {
                kept.add(work);
                return;
            }
            passed++;
        }
        work.run();
    }
}
