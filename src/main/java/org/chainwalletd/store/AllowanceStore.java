package org.chainwalletd.store;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/** What was spent of the allowance. Uses are written together with their intent, see {@link IntentStore#open}. */
public interface AllowanceStore {
    /**
     * @param at milliseconds since 1970
     */
    record Use(Hash256 txId, Amount amount, long at) {}

    /** All uses at or after {@code since}, oldest first. Blocks; for the start. */
    List<Use> usesSince(long since);

    /** Removes uses before {@code before}. */
    CompletionStage<Void> forgetUses(long before);
}
