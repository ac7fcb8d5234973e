package org.chainwalletd.spend.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.TokenBinding;

/**
 * Pays given outputs from the coins of one address, with change back to it: transfers and HTLC locks.
 *
 * @param outputs in order, without change
 * @param permission result of {@link #mayBegin}
 */
public record PaymentPlan(
        String kind,
        Address from,
        List<TxOutput> outputs,
        FeeChoice fee,
        Amount maxFee,
        Optional<TokenBinding> token,
        BooleanSupplier permission)
        implements SpendPlan {
    public static final String TRANSFER = "transfer";

    private static final Comparator<NodeClient.Utxo> LARGEST_FIRST = (a, b) -> {
        int byValue = b.value().compareTo(a.value());
        return byValue != 0 ? byValue : a.outpoint().compareTo(b.outpoint());
    };

    public PaymentPlan {
        outputs = List.copyOf(outputs);
    }

    /** Creates a payment that may be made at any time. */
    public PaymentPlan(
            String kind,
            Address from,
            List<TxOutput> outputs,
            FeeChoice fee,
            Amount maxFee,
            Optional<TokenBinding> token) {
        this(kind, from, outputs, fee, maxFee, token, () -> true);
    }

    /** Returns the same payment under another kind, sent only as long as its owner wants it. */
    public PaymentPlan ofOwner(String other, BooleanSupplier wanted) {
        return new PaymentPlan(other, from, outputs, fee, maxFee, token, wanted);
    }

    @Override
    public boolean mayBegin() {
        return permission.getAsBoolean();
    }

    @Override
    public boolean hasAlternatives() {
        return true;
    }

    @Override
    public Optional<SpendPlan> insteadOf(Intent lost, boolean lostForGood) {
        if (!kind.equals(TRANSFER) || token.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(lostForGood ? this : new RebuiltPlan(this, lost));
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

    @Override
    public Amount knownFee() {
        return fee instanceof FeeChoice.Fixed fixed ? fixed.fee() : Amount.ZERO;
    }

    /** Sum of the outputs that are not paid to {@link #from} itself, plus the fee if it is fixed and thus already known. */
    @Override
    public Amount leaving() {
        return outgoing().plusOrMax(knownFee());
    }

    @Override
    public Amount leaving(Draft draft) {
        return outgoing().plusOrMax(draft.fee());
    }

    private Amount outgoing() {
        return sum(outputs.stream()
                .filter(output -> !output.address().equals(Optional.of(from)))
                .toList());
    }

    /** Lists the coins and sorts them here, not in the actor that selects, so that the actor examines no more coins than it takes. */
    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        return largestFirst(node, from, executor);
    }

    static CompletionStage<Candidates> largestFirst(NodeClient node, Address from, Executor executor) {
        return node.addressUtxos(from)
                .thenApplyAsync(
                        listing -> {
                            List<NodeClient.Utxo> sorted = new ArrayList<>(listing.utxos());
                            sorted.sort(LARGEST_FIRST);
                            return Candidates.listed(sorted, listing);
                        },
                        executor);
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        try {
            Amount wanted = sum(outputs);
            TxShape shape = TxShape.ofOutputs(outputs);
            FreeCoins free = new FreeCoins(candidates, holdings);
            boolean marked = holdings.drawing().marks();
            CoinSelection.Result result = CoinSelection.select(() -> free, wanted, shape, fee, marked);
            if (result instanceof CoinSelection.Short tooLittle) {
                throw shortage(
                        tooLittle.needed(),
                        tooLittle.tooManyInputs(),
                        candidates,
                        holdings,
                        all -> CoinSelection.select(all, wanted, shape, fee, marked) instanceof CoinSelection.Selected);
            }
            CoinSelection.Selected selected = (CoinSelection.Selected) result;
            if (maxFee.isLessThan(selected.fee())) {
                throw new SpendException(new SpendRefusal.FeeTooHigh(selected.fee(), maxFee));
            }
            boolean spare = free.hasNext();
            CoinSelection.Drawn drawn = CoinSelection.draw(selected, free, holdings.drawing());
            return build(drawn, change(drawn, holdings.drawing()), candidates.tipHeight(), spare);
        } catch (ArithmeticException e) {
            throw new SpendException(new SpendRefusal.BuildFailed("amount plus fee is above 2^64-1"));
        }
    }

    /** Coins of a listing that may be selected, in its order, each once. */
    private static final class FreeCoins implements Iterator<Coin> {
        private final Iterator<NodeClient.Utxo> listed;
        private final long tip;
        private final Holdings holdings;
        private final Set<Outpoint> seen = new HashSet<>();
        private Coin next;

        private FreeCoins(Candidates candidates, Holdings holdings) {
            this.listed = candidates.utxos().iterator();
            this.tip = candidates.tipHeight();
            this.holdings = holdings;
        }

        @Override
        public boolean hasNext() {
            while (next == null && listed.hasNext()) {
                NodeClient.Utxo utxo = listed.next();
                boolean free = !holdings.reserved().test(utxo.outpoint())
                        && !holdings.excluded().contains(utxo.outpoint())
                        && !immature(utxo, tip, holdings.coinbaseMaturity())
                        && seen.add(utxo.outpoint());
                next = free ? new Coin(utxo.outpoint(), utxo.value()) : null;
            }
            return next != null;
        }

        @Override
        public Coin next() {
            if (!hasNext()) {
                throw new NoSuchElementException("no more coins");
            }
            Coin coin = next;
            next = null;
            return coin;
        }
    }

    private static boolean immature(NodeClient.Utxo utxo, long tip, int maturity) {
        return utxo.coinbase() && maturity > 0 && !Network.isMature(utxo.height(), tip, maturity);
    }

    /** Refusal for a lack of coins, which depends on whether they would suffice together with those that this daemon has reserved. */
    static SpendException shortage(
            Amount needed,
            boolean tooManyInputs,
            Candidates candidates,
            Holdings holdings,
            Predicate<List<Coin>> suffice) {
        List<Coin> free = freeCoins(candidates, holdings);
        List<Coin> all = freeCoins(candidates, holdings.withoutReservations());
        List<Coin> reserved = all.stream()
                .filter(coin -> holdings.reserved().test(coin.outpoint()))
                .toList();
        return new SpendException(
                new SpendRefusal.Shortage(needed, free, reserved, candidates.truncated(), tooManyInputs)
                        .refusal(!reserved.isEmpty() && suffice.test(all)));
    }

    /** Coins that may be selected, in the order of the candidates. */
    public static List<Coin> freeCoins(Candidates candidates, Holdings holdings) {
        List<Coin> free = new ArrayList<>();
        new FreeCoins(candidates, holdings).forEachRemaining(free::add);
        return free;
    }

    static List<Coin> largestFirst(List<Coin> coins) {
        return coins.stream()
                .sorted(Comparator.comparing(Coin::value).reversed().thenComparing(Coin::outpoint))
                .toList();
    }

    private Optional<TxOutput> change(CoinSelection.Drawn drawn, Drawing drawing) {
        return drawn.selected()
                .change()
                .map(value -> TxOutput.toAddress(from, value))
                .map(change -> drawing.marks() ? change.withDatum(drawing.mark()) : change);
    }

    private Draft build(CoinSelection.Drawn drawn, Optional<TxOutput> change, long tipHeight, boolean spare) {
        CoinSelection.Selected selected = drawn.selected();
        List<TxOutput> all = new ArrayList<>(outputs);
        change.ifPresent(all::add);
        return new Draft(
                Transaction.unsigned(
                        selected.inputs().stream().map(Coin::outpoint).toList(), all),
                selected.inputs(),
                selected.fee(),
                change.isPresent() ? OptionalInt.of(outputs.size()) : OptionalInt.empty(),
                selected.shape(),
                tipHeight,
                spare,
                drawn.ways());
    }
}
