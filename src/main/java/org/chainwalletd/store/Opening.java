package org.chainwalletd.store;

import java.util.Optional;
import org.chainwalletd.chain.Hash256;

/** What became of a spend that was to be opened, or opened again. Whatever is not {@link Opened} has written nothing. */
public sealed interface Opening {
    /** Whether {@code intent} is in the store now: opened, or written before by a call that could not say so. */
    default boolean isThere(Intent intent) {
        return false;
    }

    private static boolean isSame(Intent one, Intent other) {
        return one.txId().equals(other.txId()) && one.token().equals(other.token());
    }

    /**
     * Durable, with its token, its reservations and its use of the allowance.
     *
     * @param replaced whether another spend had the same transaction, and was refused
     */
    record Opened(boolean replaced) implements Opening {
        @Override
        public boolean isThere(Intent intent) {
            return true;
        }
    }

    /**
     * @param by the spend that the token stands for
     */
    record TokenTaken(Intent by) implements Opening {
        @Override
        public boolean isThere(Intent intent) {
            return isSame(by, intent);
        }
    }

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
    record SameTransaction(Intent there) implements Opening {
        @Override
        public boolean isThere(Intent intent) {
            return isSame(there, intent);
        }
    }

    /**
     * A spend that was to be opened again is no longer in the state that the caller knew.
     *
     * @param found where it is now; empty when it has been forgotten
     */
    record Moved(Optional<IntentState> found) implements Opening {}
}
