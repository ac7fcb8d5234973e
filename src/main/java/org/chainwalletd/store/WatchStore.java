package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;

/**
 * Stores watch-only addresses: their keys are elsewhere. These rows are authoritative; the books, which can be rebuilt from the chain, follow them.
 * Stages fail with {@link StoreException}.
 */
public interface WatchStore {
    /**
     * A watched address.
     *
     * @param birth height from which its history is wanted; empty when only new transactions are wanted
     */
    record WatchOnly(Address address, Optional<String> label, OptionalLong birth) {}

    /** Adds the row, or replaces the row of the same address. Durable when the stage completes. */
    CompletionStage<Void> put(WatchOnly watched);

    /** Removes the rows of these addresses, if they exist. Durable when the stage completes. */
    CompletionStage<Void> remove(List<Address> addresses);

    /** Finds the row of an address. */
    CompletionStage<Optional<WatchOnly>> find(Address address);

    /** Registers a listener for changes of these rows by other daemons, see {@link Store#whenOthersChange}. */
    void whenOthersChange(Runnable told);

    /** Lists all rows, in the order of their addresses. */
    CompletionStage<List<WatchOnly>> all();
}
