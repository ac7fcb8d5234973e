package org.chainwalletd.swap;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SwapEntry;
import org.chainwalletd.store.SwapStore;

/** A journal's table that takes no writes while its disk is full. */
record FullDisk(SwapStore table, BooleanSupplier isFull) implements SwapStore {
    private <T> CompletionStage<T> write(Supplier<CompletionStage<T>> work) {
        return isFull.getAsBoolean()
                ? CompletableFuture.failedFuture(
                        new StoreException(StoreException.Reason.UNAVAILABLE, "the disk is full", null))
                : work.get();
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> add(SwapEntry entry) {
        return write(() -> table.add(entry));
    }

    @Override
    public CompletionStage<Boolean> replace(SwapEntry entry) {
        return write(() -> table.replace(entry));
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> find(String id) {
        return table.find(id);
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> ofHashLock(Hash256 hashLock) {
        return table.ofHashLock(hashLock);
    }

    @Override
    public CompletionStage<List<SwapEntry>> watched() {
        return table.watched();
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> newest() {
        return table.newest();
    }

    @Override
    public CompletionStage<List<SwapEntry>> page(Optional<String> status, long below, int limit) {
        return table.page(status, below, limit);
    }

    @Override
    public CompletionStage<Integer> remove(String status, long updatedBefore) {
        return table.remove(status, updatedBefore);
    }
}
