package org.chainwalletd.keyring;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;

/** An executor that a test can shut: it runs work at once on the caller's thread, and keeps what comes while it is shut. */
final class Gate implements Executor {
    private final Deque<Runnable> kept = new ArrayDeque<>();
    private boolean shut;
    private int passed;

    synchronized void shut() {
        shut = true;
    }

    /** Runs what was kept, in its order. */
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

    /** How much work was run. */
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
