package org.chainwalletd.spend.plan;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.store.Coin;

/**
 * Moves one preselected coin to the address that signs for it. The money goes to a key of this daemon and only the fee is lost: the part of
 * it above the consensus minimum counts against the allowance. Doing it twice has the same effect as doing it once.
 */
public interface ReturningPlan extends SpendPlan {
    /** Fee in base units, not below the consensus minimum. */
    Amount fee();

    /** Highest fee that the caller allows; empty for spends that the daemon makes itself, which the caps do not refuse either. */
    Optional<Amount> maxFee();

    /** Shape of the transaction, which determines its cost. */
    TxShape shape();

    /** Refuses a fee above the caller's maximum. */
    @Override
    default void check() {
        maxFee().filter(most -> most.isLessThan(fee())).ifPresent(most -> {
            throw new SpendException(new SpendRefusal.FeeTooHigh(fee(), most));
        });
    }

    @Override
    default boolean isPayout() {
        return false;
    }

    @Override
    default boolean isCapped() {
        return maxFee().isPresent();
    }

    @Override
    default Amount leaving() {
        Amount minimum = shape().minimumFee();
        return fee().isLessThan(minimum) ? Amount.ZERO : fee().minus(minimum);
    }

    @Override
    default Amount leaving(Draft draft) {
        return leaving();
    }

    /** Refusal while another spend of this daemon holds the coin. */
    static SpendException held(Coin coin) {
        return new SpendException(
                new SpendRefusal.Shortage(coin.value(), List.of(), List.of(coin), false, false).refusal(true));
    }

    /** @param coin coin worth more than the fee */
    default Draft draft(Coin coin, long height) {
        Transaction unsigned = Transaction.unsigned(
                List.of(coin.outpoint()),
                List.of(TxOutput.toAddress(from(), coin.value().minus(fee()))));
        return new Draft(unsigned, List.of(coin), fee(), OptionalInt.empty(), shape(), height, false, 1);
    }
}
