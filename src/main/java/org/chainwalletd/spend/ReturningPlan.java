package org.chainwalletd.spend;

import java.util.List;
import java.util.OptionalInt;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.store.Coin;

/**
 * Takes one coin that was chosen beforehand to the address that signs for it. The money comes to a key of this daemon, so nothing of it counts
 * against the allowance, and made twice it is one act.
 */
public interface ReturningPlan extends SpendPlan {
    @Override
    default boolean isPayout() {
        return false;
    }

    @Override
    default Amount leaving() {
        return Amount.ZERO;
    }

    @Override
    default Amount leaving(Draft draft) {
        return Amount.ZERO;
    }

    /** Why it is not spent while another spend of this daemon has it. */
    static SpendException held(Coin coin) {
        return new SpendException(new SpendRefusal.InFlightExhausted(
                new SpendRefusal.Shortage(coin.value(), Amount.ZERO, 0, coin.value(), 1, false, false)));
    }

    /** @param fee less than the coin is worth */
    default Draft draft(Coin coin, Amount fee, TxShape shape, long height) {
        Transaction unsigned = Transaction.unsigned(
                List.of(coin.outpoint()),
                List.of(TxOutput.toAddress(from(), coin.value().minus(fee))));
        return new Draft(unsigned, List.of(coin), fee, OptionalInt.empty(), shape, height, false, 1);
    }
}
