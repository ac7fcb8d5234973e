package org.chainwalletd.store;

import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/** Result of opening a spend, or opening it again. Only {@link Opened} has written anything. */
public sealed interface Opening {
    /** Returns whether {@code intent} is now in the store, opened by this call or by an earlier call whose answer was lost. */
    default boolean isThere(Intent intent) {
        return false;
    }

    /**
     * The spend is durable, with its token, its reservations and its use of the allowance.
     *
     * @param replaced whether it replaced a refused spend with the same transaction
     */
    record Opened(boolean replaced) implements Opening {
        @Override
        public boolean isThere(Intent intent) {
            return true;
        }
    }

    /**
     * The token is already bound.
     *
     * @param by the transaction that the token is bound to; zeros when it is bound to a payout or a sweep
     */
    record TokenTaken(Hash256 by) implements Opening {
        @Override
        public boolean isThere(Intent intent) {
            return by.equals(intent.txId());
        }
    }

    /**
     * An input is not free.
     *
     * @param coin the first input that is already reserved or was already spent
     * @param by the transaction that holds or has spent it; zeros when a running sweep is going to spend it
     */
    record CoinTaken(Coin coin, Hash256 by) implements Opening {}

    /**
     * A cap forbids the spend, see {@link AllowanceStore}.
     *
     * @param scope {@code per_tx} or {@code per_period}
     * @param spent amount used of {@code limit} within the last period; zero for the cap per transaction
     * @param tokenName name of the access token that the cap belongs to; empty for a cap of the operator, which applies to all
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
        /** Creates the result for a cap of the operator. */
        public CapExceeded(
                String scope, Amount limit, Amount spent, Amount requested, Amount remaining, long periodSeconds) {
            this(scope, limit, spent, requested, remaining, periodSeconds, Optional.empty());
        }
    }

    /**
     * Another spend has the same transaction; two payments never share one.
     *
     * @param there the other spend
     */
    record SameTransaction(Intent there) implements Opening {
        @Override
        public boolean isThere(Intent intent) {
            return there.txId().equals(intent.txId()) && there.token().equals(intent.token());
        }
    }

    /** A payout of the batch is no longer queued or its token has ended, or the queue is paused. */
    record PayoutsMoved() implements Opening {}

    /** The part of a sweep has ended without a spend. */
    record Ended() implements Opening {}

    /**
     * The spend that was to be opened again is no longer in the state that the caller knew.
     *
     * @param found its present state; empty when its row has been removed
     */
    record Moved(Optional<IntentState> found) implements Opening {}
}
