package org.chainwalletd.store;

import java.util.Optional;
import org.chainwalletd.chain.Hash256;

/** What became of a spend that was to be opened, or opened again. Whatever is not {@link Opened} has written nothing. */
public sealed interface Opening {
    /** Durable, with its token, its reservations and its use of the allowance. */
    record Opened() implements Opening {}

    /**
     * @param by the spend that the token stands for
     */
    record TokenTaken(Intent by) implements Opening {}

    /**
     * @param coin the first of its inputs that is reserved already
     * @param by the transaction that holds it
     */
    record CoinTaken(Coin coin, Hash256 by) implements Opening {}

    /**
     * Two payments never share a transaction.
     *
     * @param there the other spend with this transaction
     */
    record SameTransaction(Intent there) implements Opening {}

    /**
     * A spend that was to be opened again is no longer in the state that the caller knew.
     *
     * @param found where it is now; empty when it has been forgotten
     */
    record Moved(Optional<IntentState> found) implements Opening {}
}
