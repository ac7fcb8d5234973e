package org.chainwalletd.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.keyring.store.KeyEntry;

/**
 * Check that can object to the deletion of a key. Each part of the daemon that still needs keys supplies one; {@link #all} combines them.
 * Called after the passphrase was verified; {@code force} bypasses it.
 */
@FunctionalInterface
public interface DeletionGuard {
    /**
     * Combines several guards, which are asked in parallel. Of several objections the first in list order is returned.
     *
     * @param executor combines the answers; any pool of the daemon
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

    /**
     * Returns the reason to show to the caller, or empty. A failed stage also prevents the deletion: a key that cannot be checked is not
     * deleted.
     */
    CompletionStage<Optional<String>> objection(KeyEntry entry);
}
