package org.chainwalletd.http.door;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.chainwalletd.rpc.ClientPresence;

/**
 * Runs work that takes longer than a step of a stream, such as a part of a batch, round robin by client address, so that no address waits for
 * the whole queue of another. The queues are unbounded: the callers must bound the work they add. Thread-safe.
 */
public final class FairExecutor {
    private final Executor threads;
    private final int atOnce;
    /** Queue of each address that has work, the next address first. */
    private final Map<String, LinkedHashSet<Piece>> queues = new LinkedHashMap<>();

    private int taking;

    /** @param atOnce pieces that run at a time */
    public FairExecutor(Executor threads, int atOnce) {
        this.threads = threads;
        this.atOnce = atOnce;
    }

    /** Work that waits for its turn, or is dropped. */
    private final class Piece {
        private final String address;
        private final Runnable work;
        private final Runnable dropped;
        private ClientPresence.Registration whenLeft = () -> {};
        /** Whether the work has started or was dropped. Guarded by the executor, like the queues. */
        private boolean over;

        Piece(String address, Runnable work, Runnable dropped) {
            this.address = address;
            this.work = work;
            this.dropped = dropped;
        }

        /** Drops the work unless it has started: a spend in progress must not end because its client disconnected. */
        void drop() {
            synchronized (FairExecutor.this) {
                if (over) {
                    return;
                }
                over = true;
                LinkedHashSet<Piece> queue = queues.get(address);
                if (queue != null && queue.remove(this) && queue.isEmpty()) {
                    queues.remove(address);
                }
            }
            dropped.run();
        }

        void run() {
            whenLeft.cancel();
            work.run();
        }
    }

    /** Returns an executor for the work of one address; the work is done even if the client leaves. */
    public Executor of(String address) {
        return work -> add(new Piece(address, work, () -> {}));
    }

    /**
     * Adds work that is dropped, and no longer referenced, when its client disconnects before the work's turn.
     *
     * @param dropped runs instead of dropped work, on the thread that reports the disconnect, or on the caller's when the client has already left
     */
    public void whileThere(String address, ClientPresence client, Runnable work, Runnable dropped) {
        Piece piece = new Piece(address, work, dropped);
        // Registers before the work can start, since starting it removes the registration.
        piece.whenLeft = client.whenLeft(piece::drop);
        add(piece);
    }

    /** Returns the number of queued pieces of an address. */
    synchronized int waiting(String address) {
        LinkedHashSet<Piece> queue = queues.get(address);
        return queue == null ? 0 : queue.size();
    }

    private void add(Piece piece) {
        synchronized (this) {
            if (piece.over) {
                return;
            }
            queues.computeIfAbsent(piece.address, unknown -> new LinkedHashSet<>())
                    .add(piece);
            if (taking == atOnce) {
                return;
            }
            taking++;
        }
        threads.execute(this::takeTurn);
    }

    private void takeTurn() {
        Optional<Piece> piece = take();
        if (piece.isEmpty()) {
            return;
        }
        try {
            piece.get().run();
        } finally {
            // Submits the next turn anew, so that other work of these threads can run in between.
            threads.execute(this::takeTurn);
        }
    }

    private synchronized Optional<Piece> take() {
        if (queues.isEmpty()) {
            taking--;
            return Optional.empty();
        }
        String address = queues.keySet().iterator().next();
        LinkedHashSet<Piece> queue = queues.remove(address);
        Iterator<Piece> pieces = queue.iterator();
        Piece piece = pieces.next();
        pieces.remove();
        piece.over = true;
        if (!queue.isEmpty()) {
            queues.put(address, queue);
        }
        return Optional.of(piece);
    }
}
