package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Says why a key must not be deleted yet. Whoever still needs keys brings one of these, and {@link CombinedGuard} asks them all. Asked
 * after the passphrase was proved; {@code force} goes past it.
 */
@FunctionalInterface
public interface DeletionGuard {
    /** The reason in words for the caller, or empty. A failed stage is a reason too: what cannot be checked is not deleted. */
    CompletionStage<Optional<String>> objection(KeyEntry entry);
}
