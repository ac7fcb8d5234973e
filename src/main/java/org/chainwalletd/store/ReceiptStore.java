package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** What idempotency tokens stand for. They are bound together with their intent, see {@link IntentStore#open}. */
public interface ReceiptStore {
    /**
     * The spend that {@code token} stands for. A token whose spend is closed and has not changed since {@code closedBefore} has expired and
     * is not found.
     */
    CompletionStage<Optional<Intent>> find(String token, long closedBefore);

    /**
     * The {@linkplain TokenBinding#fingerprint fingerprints} of all tokens there are, expired ones too, in any order; for who keeps in memory
     * which tokens are not new.
     *
     * @param most no more than so many
     */
    CompletionStage<List<Long>> fingerprints(int most);
}
