package org.chainwalletd.swap.engine;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SwapStore.SwapEntry;

/** In-memory table of a journal, which dies at a chosen write: before it, or after it and before its answer. */
public final class MemorySwaps implements SwapStore {
    private final Map<String, SwapEntry> rows;
    private int writesLeft;
    private final boolean written;
    private final boolean goesOn;
    private volatile boolean dead;
    private volatile CompletableFuture<Void> reading = CompletableFuture.completedFuture(null);

    /** @param rows survive the death */
    MemorySwaps(Map<String, SwapEntry> rows, int writesLeft, boolean written) {
        this(rows, writesLeft, written, false);
    }

    private MemorySwaps(Map<String, SwapEntry> rows, int writesLeft, boolean written, boolean goesOn) {
        this.rows = rows;
        this.writesLeft = writesLeft;
        this.written = written;
        this.goesOn = goesOn;
    }

    /** Performs one write but loses its answer, and continues. */
    static MemorySwaps losingAnswer(Map<String, SwapEntry> rows, int write) {
        return new MemorySwaps(rows, write, true, true);
    }

    static MemorySwaps immortal(Map<String, SwapEntry> rows) {
        return new MemorySwaps(rows, Integer.MAX_VALUE, true);
    }

    static Map<String, SwapEntry> rows() {
        return new ConcurrentHashMap<>();
    }

    /** Delays the answer to reads of the watched rows until then; fails them if it fails. */
    void readsAfter(CompletableFuture<Void> opened) {
        reading = opened;
    }

    boolean isDead() {
        return dead;
    }

    private static <T> CompletionStage<T> gone() {
        return CompletableFuture.failedFuture(
                new StoreException(StoreException.Reason.UNAVAILABLE, "the process has died", null));
    }

    private synchronized <T> CompletionStage<T> write(Supplier<T> work) {
        if (dead) {
            return gone();
        }
        boolean last = goesOn ? --writesLeft == 0 : --writesLeft <= 0;
        dead = last && !goesOn;
        if (!last) {
            return CompletableFuture.completedFuture(work.get());
        }
        if (written) {
            T unused = work.get();
        }
        return gone();
    }

    private <T> CompletionStage<T> read(Supplier<T> work) {
        return dead ? gone() : CompletableFuture.completedFuture(work.get());
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> add(SwapEntry entry) {
        return write(() -> rows.putIfAbsent(entry.id(), entry) == null ? Optional.of(entry) : Optional.empty());
    }

    @Override
    public CompletionStage<Boolean> replace(SwapEntry entry) {
        return write(() -> {
            SwapEntry before = rows.get(entry.id());
            boolean next = before != null && before.version() + 1 == entry.version();
            if (next) {
                rows.put(entry.id(), entry);
            }
            return next;
        });
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> find(String id) {
        return read(() -> Optional.ofNullable(rows.get(id)));
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> ofHashLock(Hash256 hashLock) {
        return read(() -> rows.values().stream()
                .filter(row -> row.hashLock().equals(hashLock))
                .findFirst());
    }

    @Override
    public CompletionStage<List<SwapEntry>> watched() {
        return reading.thenComposeAsync(opened -> read(() -> rows.values().stream()
                .filter(SwapEntry::watched)
                .sorted(Comparator.comparing(SwapEntry::id))
                .toList()));
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> newest() {
        return read(() -> rows.values().stream().findFirst());
    }

    @Override
    public CompletionStage<List<SwapEntry>> page(Optional<String> status, long below, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Integer> remove(String status, long updatedBefore) {
        throw new UnsupportedOperationException();
    }
}
