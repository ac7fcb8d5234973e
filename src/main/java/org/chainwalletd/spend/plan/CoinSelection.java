package org.chainwalletd.spend.plan;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.U64;
import org.chainwalletd.store.Coin;

/**
 * Selects the coins that pay. Pure.
 *
 * <p>The cost of a transaction grows with the square of the number of its inputs and does not depend on which coins they are, so the fewest
 * inputs are best, and taking the largest coins gives the fewest. Equal values are ordered by outpoint. The fee follows from the number of
 * inputs and from whether there is change; both cases are computed exactly, so no iteration is needed. Among selections of equal cost one
 * is drawn, see {@link Drawing}.
 */
final class CoinSelection {
    /**
     * Maximum number of coins beyond the selected ones that are considered for another selection: a few already make it unlikely that two
     * daemons draw the same.
     */
    private static final int MAX_ALTERNATIVES = 31;

    /** Number of equally good transactions at which counting stops. */
    static final int MANY_WAYS = 1_000_000;

    private CoinSelection() {}

    /** Result of a selection. */
    sealed interface Result {}

    /**
     * @param change value of the change; empty when the rest would be dust and is therefore part of {@code fee}
     * @param shape shape of the finished transaction
     */
    record Selected(List<Coin> inputs, Amount fee, Optional<Amount> change, TxShape shape) implements Result {}

    /**
     * @param needed amount plus the fee of a transaction that spends all available coins
     * @param tooManyInputs whether the coins would suffice, but no transaction can have so many inputs
     */
    record Short(Amount needed, boolean tooManyInputs) implements Result {}

    /**
     * Selects the fewest coins that pay the outputs and the fee.
     *
     * @param coins no duplicates, largest first, equal ones by outpoint, optionally preceded by coins to be taken first; read no further
     *     than needed
     * @param wanted sum of the outputs
     * @param outputs shape of the transaction without inputs and change
     * @param marked whether change carries a mark, see {@link Drawing#marks}
     * @throws ArithmeticException when amount plus fee, or the sum of the inputs, is above 2^64-1
     */
    static Result select(Iterable<Coin> coins, Amount wanted, TxShape outputs, FeeChoice fee, boolean marked) {
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
                return finish(taken, Amount.of(left), shape, wanted, fee, marked);
            }
        }
        return new Short(wanted.plus(fee.feeOf(outputs.plusPlainInputs(Math.max(1, taken.size())))), false);
    }

    private static Result finish(
            List<Coin> inputs, Amount left, TxShape shape, Amount wanted, FeeChoice fee, boolean marked) {
        TxShape plain = shape.plusPlainOutputs(1);
        TxShape withChange = marked ? plain.plusDatum(Drawing.MARK_LENGTH) : plain;
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

    /**
     * Selection drawn from those that cost and pay the same.
     *
     * @param ways number of selections that it was drawn from, at most {@link #MANY_WAYS}; 1 when every holder of the key and the coins
     *     builds the same transaction
     */
    record Drawn(Selected selected, int ways) {}

    /**
     * Draws among the selections that are as good as {@code fewest}: replaces its smallest coin with another one, and shuffles the inputs.
     * Without change no coin can be replaced, as the fee would differ.
     *
     * @param others coins after the selected ones, in their order
     */
    static Drawn draw(Selected fewest, Iterator<Coin> others, Drawing drawing) {
        List<Coin> inputs = new ArrayList<>(fewest.inputs());
        List<Coin> last = exchangeable(fewest, others);
        Coin smallest = inputs.remove(inputs.size() - 1);
        Coin drawn = last.get(drawing.of(last.size()));
        inputs.add(drawn);
        int ways = drawing.marks() && fewest.change().isPresent() ? MANY_WAYS : last.size();
        for (int i = inputs.size() - 1; i > 0; i--) {
            Collections.swap(inputs, i, i - drawing.of(i + 1));
            ways = (int) Math.min(MANY_WAYS, (long) ways * (i + 1));
        }
        Amount less = smallest.value().minus(drawn.value());
        return new Drawn(
                new Selected(
                        List.copyOf(inputs),
                        fewest.fee(),
                        fewest.change().map(change -> change.minus(less)),
                        fewest.shape()),
                ways);
    }

    /** Returns the smallest selected coin and the coins that can replace it and still leave change. */
    private static List<Coin> exchangeable(Selected fewest, Iterator<Coin> others) {
        Coin smallest = fewest.inputs().get(fewest.inputs().size() - 1);
        List<Coin> all = new ArrayList<>(List.of(smallest));
        if (fewest.change().isPresent()) {
            Amount room = fewest.change().get().minus(ChainProfile.DUST_THRESHOLD);
            while (all.size() <= MAX_ALTERNATIVES && others.hasNext()) {
                Coin other = others.next();
                if (smallest.value().isLessThan(other.value())) {
                    // The list is not in order here: the selected coins were to be taken first, and are not replaced.
                    break;
                }
                if (room.isLessThan(smallest.value().minus(other.value()))) {
                    break;
                }
                all.add(other);
            }
        }
        return all;
    }
}
