package org.chainwalletd.swap.engine;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.gates.SwapRow;

/** The journal's table of one life: each write is judged before it is done, and named by what it says. */
public record WatchedJournal(SwapStore table, Life life, DurableJournal durable, SwapTruth truth) implements SwapStore {
    @Override
    public CompletionStage<Optional<SwapEntry>> add(SwapEntry entry) {
        return life.write(List.of("QUOTE"), () -> table.add(entry));
    }

    @Override
    public CompletionStage<Boolean> replace(SwapEntry entry) {
        SwapRow next = durable.opened(entry.content());
        SwapRow before = durable.row(entry.id()).orElseThrow();
        return life.write(JournalStep.between(before, next), () -> {
            truth.writes(before, next);
            return table.replace(entry);
        });
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
