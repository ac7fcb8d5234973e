package org.chainwalletd.http.door;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.chainwalletd.rpc.ClientPresence;

/**
 * Runs work that takes longer than a step of a stream, such as a part of a batch, round robin by client address: nobody's work waits behind all of
 * somebody else's. Unbounded: whoever adds work bounds it. Thread-safe.
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
        /** Whether it has begun or was dropped. Guarded by the executor, like the queues. */
        private boolean over;

        Piece(String address, Runnable work, Runnable dropped) {
            this.address = address;
            this.work = work;
            this.dropped = dropped;
        }

        /** Leaves alone work that has begun: a spend never ends because its client left. */
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
     * Adds work that nobody needs any more when its client leaves before its turn: nothing of it is kept then.
     *
     * @param dropped runs in place of the work then, on the thread that tells of the client, or on this one when it has left already
     */
    public void whileThere(String address, ClientPresence client, Runnable work, Runnable dropped) {
        Piece piece = new Piece(address, work, dropped);
        // Registers before its turn can come, which takes the registration back.
        piece.whenLeft = client.whenLeft(piece::drop);
        add(piece);
    }

    /** Pieces of an address that wait for their turn. */
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
            // Others of these threads' work comes in between.
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
