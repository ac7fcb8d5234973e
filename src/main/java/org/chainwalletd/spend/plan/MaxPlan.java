package org.chainwalletd.spend.plan;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.TokenBinding;

/**
 * Pays to one output the maximum that one transaction can move from the free coins of an address. The fee grows faster than the number of
 * inputs and does not depend on which coins they are, so the largest coins are taken, as many as add more than they cost. There is no
 * change.
 *
 * @param maxFee highest fee, which limits the number of coins that are taken
 */
record MaxPlan(
        Address from, Address to, Optional<Bytes> datum, FeeChoice fee, Amount maxFee, Optional<TokenBinding> token)
        implements SpendPlan {
    @Override
    public String kind() {
        return PaymentPlan.TRANSFER;
    }

    @Override
    public boolean hasAlternatives() {
        return true;
    }

    /** Rebuilds the payment like one of a fixed amount: the new transaction shares a coin with the lost one. */
    @Override
    public Optional<SpendPlan> insteadOf(Intent lost, boolean lostForGood) {
        return token.isEmpty() ? Optional.empty() : Optional.of(lostForGood ? this : new RebuiltPlan(this, lost));
    }

    @Override
    public void check() {
        // The amount is known only once the coins are.
    }

    @Override
    public Amount knownFee() {
        return fee instanceof FeeChoice.Fixed fixed ? fixed.fee() : Amount.ZERO;
    }

    @Override
    public Amount leaving() {
        return knownFee();
    }

    @Override
    public Amount leaving(Draft draft) {
        Amount moved = draft.unsigned().outputs().get(0).value();
        return to.equals(from) ? draft.fee() : moved.plus(draft.fee());
    }

    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        return PaymentPlan.largestFirst(node, from, executor);
    }

    private TxOutput output(Amount value) {
        TxOutput output = TxOutput.toAddress(to, value);
        return datum.map(output::withDatum).orElse(output);
    }

    /**
     * Number of the largest coins that are taken, and the amount that they move after the fee.
     *
     * @param moved may be negative
     */
    private record Best(int count, BigInteger moved, Amount fee, TxShape shape) {}

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        try {
            List<Coin> coins = PaymentPlan.largestFirst(PaymentPlan.freeCoins(candidates, holdings));
            Optional<Best> found = best(coins);
            if (!movesMoreThanDust(found)) {
                Amount least =
                        ChainProfile.DUST_THRESHOLD.plus(fee.feeOf(outputs().plusPlainInputs(1)));
                throw PaymentPlan.shortage(
                        least,
                        false,
                        candidates,
                        holdings,
                        all -> movesMoreThanDust(best(PaymentPlan.largestFirst(all))));
            }
            Best best = found.get();
            if (maxFee.isLessThan(best.fee())) {
                throw new SpendException(new SpendRefusal.FeeTooHigh(best.fee(), maxFee));
            }
            List<Coin> inputs = List.copyOf(coins.subList(0, best.count()));
            Transaction unsigned = Transaction.unsigned(
                    inputs.stream().map(Coin::outpoint).toList(), List.of(output(Amount.of(best.moved()))));
            return new Draft(
                    unsigned,
                    inputs,
                    best.fee(),
                    OptionalInt.empty(),
                    best.shape(),
                    candidates.tipHeight(),
                    coins.size() > 1,
                    1);
        } catch (ArithmeticException e) {
            throw new SpendException(new SpendRefusal.BuildFailed("amount plus fee is above 2^64-1"));
        }
    }

    private static boolean movesMoreThanDust(Optional<Best> best) {
        return best.filter(found -> found.moved().compareTo(ChainProfile.DUST_THRESHOLD.toBigInteger()) >= 0)
                .isPresent();
    }

    /** Shape of the transaction without inputs. */
    private TxShape outputs() {
        return TxShape.ofOutputs(List.of(output(ChainProfile.DUST_THRESHOLD)));
    }

    /**
     * @param coins largest first
     * @return empty without coins; a single coin when even that costs more than {@link #maxFee}
     */
    private Optional<Best> best(List<Coin> coins) {
        TxShape outputs = outputs();
        Best best = null;
        BigInteger total = BigInteger.ZERO;
        for (int count = 1; count <= coins.size(); count++) {
            total = total.add(coins.get(count - 1).value().toBigInteger());
            TxShape shape = outputs.plusPlainInputs(count);
            if (!shape.fitsLimits() || total.bitLength() > Long.SIZE) {
                break;
            }
            Amount price = fee.feeOf(shape);
            if (best != null && maxFee.isLessThan(price)) {
                break;
            }
            BigInteger moved = total.subtract(price.toBigInteger());
            if (best == null || moved.compareTo(best.moved()) > 0) {
                best = new Best(count, moved, price, shape);
            }
        }
        return Optional.ofNullable(best);
    }
}
