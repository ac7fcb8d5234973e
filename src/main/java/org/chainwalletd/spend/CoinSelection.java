package org.chainwalletd.spend;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.U64;
import org.chainwalletd.store.Coin;

/**
 * Which coins pay. Pure.
 *
 * <p>The cost of a transaction grows with the square of its inputs and does not depend on which coins they are, so the fewest inputs win,
 * and the largest coins give the fewest. Equal values are ordered by outpoint. The fee follows from the number of inputs and from whether
 * there is change, both tried exactly: there is nothing to converge.
 */
final class CoinSelection {
    private CoinSelection() {}

    /** What came out. */
    sealed interface Result {}

    /**
     * @param change empty when what is left would be dust; it is then part of {@code fee}
     * @param shape of the finished transaction
     */
    record Selected(List<Coin> inputs, Amount fee, Optional<Amount> change, TxShape shape) implements Result {}

    /**
     * @param needed amount plus the fee of a transaction that spends all the coins there are
     * @param tooManyInputs the coins would suffice, but no transaction can carry so many
     */
    record Short(Amount needed, boolean tooManyInputs) implements Result {}

    /**
     * @param coins no duplicates, largest first, equal ones by outpoint; read no further than needed
     * @param wanted sum of the outputs
     * @param outputs shape of the transaction without inputs and change
     * @throws ArithmeticException when amount plus fee, or the sum of the inputs, is above 2^64-1
     */
    static Result select(Iterable<Coin> coins, Amount wanted, TxShape outputs, FeeChoice fee) {
        List<Coin> taken = new ArrayList<>();
        BigInteger total = BigInteger.ZERO;
        BigInteger target = wanted.toBigInteger();
        for (Coin coin : coins) {
            taken.add(coin);
            total = total.add(coin.value().toBigInteger());
            if (total.compareTo(target) < 0) {
                continue;
            }
            TxShape shape = outputs.plusPlainInputs(taken.size());
            if (!shape.fitsLimits()) {
                return new Short(wanted.plus(fee.feeOf(shape)), true);
            }
            BigInteger left = total.subtract(target);
            if (left.compareTo(fee.feeOf(shape).toBigInteger()) >= 0) {
                U64.fromBigInteger(total);
                return finish(taken, Amount.of(left), shape, wanted, fee);
            }
        }
        return new Short(wanted.plus(fee.feeOf(outputs.plusPlainInputs(Math.max(1, taken.size())))), false);
    }

    private static Result finish(List<Coin> inputs, Amount left, TxShape shape, Amount wanted, FeeChoice fee) {
        TxShape withChange = shape.plusPlainOutputs(1);
        BigInteger leastForChange =
                fee.feeOf(withChange).toBigInteger().add(ChainProfile.DUST_THRESHOLD.toBigInteger());
        if (left.toBigInteger().compareTo(leastForChange) < 0) {
            return new Selected(List.copyOf(inputs), left, Optional.empty(), shape);
        }
        if (!withChange.fitsLimits()) {
            return new Short(wanted.plus(fee.feeOf(withChange)), true);
        }
        Amount paid = fee.feeOf(withChange);
        return new Selected(List.copyOf(inputs), paid, Optional.of(left.minus(paid)), withChange);
    }
}
