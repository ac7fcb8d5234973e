package org.chainwalletd.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.keyring.store.KeyEntry;

/**
 * Says why a key must not be deleted yet. Whoever still needs keys brings one of these, and {@link #all} asks them all. Asked
 * after the passphrase was proved; {@code force} goes past it.
 */
@FunctionalInterface
public interface DeletionGuard {
    /**
     * Several as one, asked at the same time. Of several objections the first one in the given order is told.
     *
     * @param executor for putting the answers together: any pool of the daemon
     */
    static DeletionGuard all(List<DeletionGuard> guards, Executor executor) {
        return entry -> {
            CompletionStage<Optional<String>> all = CompletableFuture.completedFuture(Optional.empty());
            for (DeletionGuard guard : guards) {
                all = all.thenCombineAsync(
                        asked(guard, entry), (objection, next) -> objection.isPresent() ? objection : next, executor);
            }
            return all;
        };
    }

    private static CompletionStage<Optional<String>> asked(DeletionGuard guard, KeyEntry entry) {
        try {
            return guard.objection(entry);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The reason in words for the caller, or empty. A failed stage is a reason too: what cannot be checked is not deleted. */
    CompletionStage<Optional<String>> objection(KeyEntry entry);
}
