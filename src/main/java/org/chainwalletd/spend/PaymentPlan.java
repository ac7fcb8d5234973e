package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.TokenBinding;

/**
 * Pays given outputs from the coins of one address, change back to it: transfers and HTLC locks.
 *
 * @param outputs in order, without change
 */
public record PaymentPlan(
        String kind, Address from, List<TxOutput> outputs, FeeChoice fee, Amount maxFee, Optional<TokenBinding> token)
        implements SpendPlan {
    public PaymentPlan {
        outputs = List.copyOf(outputs);
    }

    @Override
    public void check() {
        for (TxOutput output : outputs) {
            if (output.value().isLessThan(ChainProfile.DUST_THRESHOLD)) {
                throw new SpendException(new SpendRefusal.DustOutput(output.value(), ChainProfile.DUST_THRESHOLD));
            }
        }
        sum(outputs);
    }

    private static Amount sum(List<TxOutput> outputs) {
        try {
            Amount sum = Amount.ZERO;
            for (TxOutput output : outputs) {
                sum = sum.plus(output.value());
            }
            return sum;
        } catch (ArithmeticException e) {
            throw new SpendException(new SpendRefusal.BuildFailed("the sum of the outputs is above 2^64-1"));
        }
    }

    /** Outputs to {@link #from} itself do not leave. An explicit fee is known already. */
    @Override
    public Amount leaving() {
        Amount out = outgoing();
        Amount least = fee instanceof FeeChoice.Fixed fixed ? fixed.fee() : Amount.ZERO;
        return saturatedSum(out, least);
    }

    @Override
    public Amount leaving(Draft draft) {
        return saturatedSum(outgoing(), draft.fee());
    }

    private Amount outgoing() {
        return sum(outputs.stream()
                .filter(output -> !output.address().equals(Optional.of(from)))
                .toList());
    }

    private static Amount saturatedSum(Amount a, Amount b) {
        return Amount.MAX.minus(a).isLessThan(b) ? Amount.MAX : a.plus(b);
    }

    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        return node.addressUtxos(from)
                .thenApplyAsync(
                        listing -> new Candidates(listing.utxos(), listing.truncated(), listing.tipHeight()), executor);
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        List<Coin> free = new ArrayList<>();
        List<Coin> reserved = new ArrayList<>();
        Set<Outpoint> seen = new HashSet<>();
        for (NodeClient.Utxo utxo : candidates.utxos()) {
            if (!seen.add(utxo.outpoint())
                    || holdings.excluded().contains(utxo.outpoint())
                    || immature(utxo, candidates.tipHeight(), holdings.coinbaseMaturity())) {
                continue;
            }
            Coin coin = new Coin(utxo.outpoint(), utxo.value());
            (holdings.reserved().contains(utxo.outpoint()) ? reserved : free).add(coin);
        }
        try {
            return draft(candidates, free, reserved);
        } catch (ArithmeticException e) {
            throw new SpendException(new SpendRefusal.BuildFailed("amount plus fee is above 2^64-1"));
        }
    }

    /** Spendable in the next block when {@code tip + 1 - height >= maturity} (chain protocol, section 8.2). */
    private static boolean immature(NodeClient.Utxo utxo, long tip, int maturity) {
        return utxo.coinbase()
                && maturity > 0
                && (Long.compareUnsigned(utxo.height(), tip) > 0
                        || Long.compareUnsigned(tip - utxo.height(), maturity - 1L) < 0);
    }

    private Draft draft(Candidates candidates, List<Coin> free, List<Coin> reserved) {
        Amount wanted = sum(outputs);
        TxShape shape = TxShape.ofOutputs(outputs);
        CoinSelection.Result result = CoinSelection.select(free, wanted, shape, fee);
        if (result instanceof CoinSelection.Short tooLittle) {
            List<Coin> all = new ArrayList<>(free);
            all.addAll(reserved);
            boolean reservedWouldDo = !reserved.isEmpty()
                    && CoinSelection.select(all, wanted, shape, fee) instanceof CoinSelection.Selected;
            SpendRefusal.Shortage shortage = new SpendRefusal.Shortage(
                    tooLittle.needed(),
                    value(free),
                    free.size(),
                    value(reserved),
                    reserved.size(),
                    candidates.truncated(),
                    tooLittle.tooManyInputs());
            throw new SpendException(
                    reservedWouldDo
                            ? new SpendRefusal.InFlightExhausted(shortage)
                            : new SpendRefusal.InsufficientBalance(shortage));
        }
        CoinSelection.Selected selected = (CoinSelection.Selected) result;
        if (maxFee.isLessThan(selected.fee())) {
            throw new SpendException(new SpendRefusal.FeeTooHigh(selected.fee(), maxFee));
        }
        return build(selected, candidates.tipHeight(), selected.inputs().size() < free.size());
    }

    private static Amount value(List<Coin> coins) {
        Amount sum = Amount.ZERO;
        for (Coin coin : coins) {
            sum = saturatedSum(sum, coin.value());
        }
        return sum;
    }

    private Draft build(CoinSelection.Selected selected, long tipHeight, boolean spare) {
        List<TxOutput> all = new ArrayList<>(outputs);
        selected.change().ifPresent(change -> all.add(TxOutput.toAddress(from, change)));
        return new Draft(
                Transaction.unsigned(
                        selected.inputs().stream().map(Coin::outpoint).toList(), all),
                selected.inputs(),
                selected.fee(),
                selected.change().isPresent() ? OptionalInt.of(outputs.size()) : OptionalInt.empty(),
                selected.shape(),
                tipHeight,
                spare);
    }

    /** All inputs belong to one key and sign the same message: one signature does for all. */
    @Override
    public List<Witness> witnesses(Draft draft, Signer.Signature signature) {
        return Collections.nCopies(draft.inputs().size(), Witness.plain(signature.publicKey(), signature.bytes()));
    }
}
