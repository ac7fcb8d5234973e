package org.chainwalletd.store;

import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/** What became of a spend that was to be opened, or opened again. Whatever is not {@link Opened} has written nothing. */
public sealed interface Opening {
    /** Whether {@code intent} is in the store now: opened, or written before by a call that could not say so. */
    default boolean isThere(Intent intent) {
        return false;
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
     * @param by the transaction that the token stands for
     */
    record TokenTaken(Hash256 by) implements Opening {
        @Override
        public boolean isThere(Intent intent) {
            return by.equals(intent.txId());
        }
    }

    /**
     * @param coin the first of its inputs that is reserved already, or one that was spent long ago
     * @param by the transaction that holds it, or has spent it
     */
    record CoinTaken(Coin coin, Hash256 by) implements Opening {}

    /**
     * A cap does not allow it, see {@link AllowanceStore}.
     *
     * @param scope {@code per_tx} or {@code per_period}
     * @param spent of {@code limit} within the last period; zero of the cap per transaction
     * @param tokenName whose cap it is; empty for a cap of the operator, which holds for all
     */
    record CapExceeded(
            String scope,
            Amount limit,
            Amount spent,
            Amount requested,
            Amount remaining,
            long periodSeconds,
            Optional<String> tokenName)
            implements Opening {
        /** A cap of the operator. */
        public CapExceeded(
                String scope, Amount limit, Amount spent, Amount requested, Amount remaining, long periodSeconds) {
            this(scope, limit, spent, requested, remaining, periodSeconds, Optional.empty());
        }
    }

    /**
     * Two payments never share a transaction.
     *
     * @param there the other spend with this transaction
     */
    record SameTransaction(Intent there) implements Opening {
        @Override
        public boolean isThere(Intent intent) {
            return there.txId().equals(intent.txId()) && there.token().equals(intent.token());
        }
    }

    /** A payout that it was to carry is not queued any more, or its token has ended, or the queue is paused. */
    record PayoutsMoved() implements Opening {}

    /**
     * A spend that was to be opened again is no longer in the state that the caller knew.
     *
     * @param found where it is now; empty when it has been forgotten
     */
    record Moved(Optional<IntentState> found) implements Opening {}
}
