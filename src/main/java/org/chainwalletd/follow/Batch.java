package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.Done;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.store.books.BlockRow;

/** Accepted blocks that wait for their commit. A full batch delays the reading of further blocks; blocks already handed over are still added. */
final class Batch {
    /** A batch is full, at a block boundary, when its blocks have this many inputs and outputs: each writes at most a row or two. */
    private static final int MOST_ROWS = 2_000;

    private List<Bookkeeping.Entry> entries = new ArrayList<>();
    private int rows;
    private final List<CompletableFuture<Done>> held = new ArrayList<>();

    void add(Bookkeeping.Entry entry) {
        entries.add(entry);
        rows += rowsOf(entry.block());
    }

    /** @param taken completed at once while the batch is not full, otherwise when the batch is taken */
    void admit(CompletableFuture<Done> taken) {
        if (isFull()) {
            held.add(taken);
        } else {
            taken.complete(Done.getInstance());
        }
    }

    private static int rowsOf(ChainBlock block) {
        int rows = 1;
        for (ChainTransaction transaction : block.transactions()) {
            rows += transaction
                    .decoded()
                    .map(tx -> tx.inputs().size() + tx.outputs().size())
                    .orElse(0);
        }
        return rows;
    }

    /** Returns the last block of the batch. */
    Optional<BlockRow> last() {
        return entries.isEmpty()
                ? Optional.empty()
                : Optional.of(entries.get(entries.size() - 1).row());
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    boolean isFull() {
        return rows >= MOST_ROWS;
    }

    List<Bookkeeping.Entry> take() {
        List<Bookkeeping.Entry> taken = entries;
        entries = new ArrayList<>();
        rows = 0;
        held.forEach(one -> one.complete(Done.getInstance()));
        held.clear();
        return taken;
    }
}
