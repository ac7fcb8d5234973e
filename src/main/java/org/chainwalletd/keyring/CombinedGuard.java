package org.chainwalletd.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Several reasons to keep a key, asked at the same time. Of several objections the first one in the given order is told. */
public final class CombinedGuard implements DeletionGuard {
    private final List<DeletionGuard> guards;
    private final Executor executor;

    public CombinedGuard(List<DeletionGuard> guards, Executor executor) {
        this.guards = List.copyOf(guards);
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        CompletionStage<Optional<String>> all = CompletableFuture.completedFuture(Optional.empty());
        for (DeletionGuard guard : guards) {
            all = all.thenCombineAsync(
                    asked(guard, entry), (objection, next) -> objection.isPresent() ? objection : next, executor);
        }
        return all;
    }

    private static CompletionStage<Optional<String>> asked(DeletionGuard guard, KeyEntry entry) {
        try {
            return guard.objection(entry);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
