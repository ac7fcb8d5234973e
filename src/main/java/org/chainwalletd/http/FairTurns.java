package org.chainwalletd.http;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Work that takes longer than a step of a stream, such as a part of a batch: one piece of each address's work after the other, so that nobody's
 * waits behind all of somebody else's. Who adds work bounds it. Safe for threads.
 */
final class FairTurns {
    private final Executor threads;
    private final int atOnce;
    private final Map<String, Deque<Runnable>> rows = new HashMap<>();
    /** Addresses that have work, the next one first. */
    private final Deque<String> next = new ArrayDeque<>();

    private int taking;

    /** @param atOnce pieces that run at a time */
    FairTurns(Executor threads, int atOnce) {
        this.threads = threads;
        this.atOnce = atOnce;
    }

    /** For the work of one address. */
    Executor of(String address) {
        return work -> add(address, work);
    }

    /** Pieces of an address that wait for their turn. */
    synchronized int waiting(String address) {
        Deque<Runnable> row = rows.get(address);
        return row == null ? 0 : row.size();
    }

    private void add(String address, Runnable work) {
        synchronized (this) {
            Deque<Runnable> row = rows.computeIfAbsent(address, unknown -> new ArrayDeque<>());
            if (row.isEmpty()) {
                next.add(address);
            }
            row.add(work);
            if (taking == atOnce) {
                return;
            }
            taking++;
        }
        threads.execute(this::takeTurn);
    }

    private void takeTurn() {
        Optional<Runnable> work = take();
        if (work.isEmpty()) {
            return;
        }
        try {
            work.get().run();
        } finally {
            // Others of these threads' work comes in between.
            threads.execute(this::takeTurn);
        }
    }

    private synchronized Optional<Runnable> take() {
        String address = next.poll();
        if (address == null) {
            taking--;
            return Optional.empty();
        }
        Deque<Runnable> row = rows.get(address);
        Runnable work = row.remove();
        if (row.isEmpty()) {
            rows.remove(address);
        } else {
            next.add(address);
        }
        return Optional.of(work);
    }
}
