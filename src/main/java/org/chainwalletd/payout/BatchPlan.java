package org.chainwalletd.payout;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.Drawing;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.PaymentPlan;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.TokenBinding;

/**
 * Plan of a batch: pays as many of the offered payouts from one address as its free coins, the caps and the limits of a transaction allow,
 * with change back to the address split into several coins. The payouts are chosen together with the coins, at the moment when these are
 * held.
 */
final class BatchPlan implements SpendPlan {
    /** Maximum number of outputs of a batch while few payouts wait, or many coins are free. */
    static final int USUAL_OUTPUTS = 250;

    static final int MAX_OUTPUTS = 2_000;
    /** Minimum value of a change coin; a smaller one is not worth its own fee. */
    private static final Amount MIN_CHANGE = Amount.of(10_000);
    /** Maximum number of inputs of one batch: the cost of each further input grows with the batch. */
    private static final int MAX_INPUTS = 100;

    private static final int RANDOM_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * Payout that the batch may carry.
     *
     * @param number number of the payout in the queue
     * @param overdue whether it has waited for coins so long that coins are kept for it
     */
    record Offer(long number, Order order, boolean overdue) {}

    /**
     * Rules for one batch.
     *
     * @param most maximum amount that may leave the address with it; empty without a cap
     * @param usableCoins target number of coins of the address
     * @param backlog number of waiting payouts
     * @param submissions number of transactions that the nodes accept now
     * @param owner name of the token that submitted its payouts; empty: a classic one
     */
    record Rules(
            FeeChoice fee,
            Optional<Amount> most,
            int usableCoins,
            int backlog,
            int submissions,
            Optional<String> owner) {
        Rules capped(Optional<Amount> cap) {
            Optional<Amount> smaller = most.filter(own -> cap.isEmpty() || own.isLessThan(cap.get()))
                    .or(() -> cap);
            return new Rules(fee, smaller, usableCoins, backlog, submissions, owner);
        }
    }

    /** Source of the coins of an address that a batch may spend: confirmed coins that the books have read from bytes. */
    @FunctionalInterface
    interface CoinSource {
        /** Lists the coins; fails with {@link NotCoveredException} when the books do not cover the address. */
        CompletionStage<Coins> of(Address address);
    }

    /**
     * Coins that a batch may spend.
     *
     * @param all number of all coins of the address, including those that may not be spent yet
     */
    record Coins(List<NodeClient.Utxo> usable, int all, long tipHeight) {}

    /** Signals that the books do not cover the address, so its coins are not known for certain. */
    static final class NotCoveredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotCoveredException(Address address) {
            super("the books do not cover " + address + " yet", null, false, false);
        }
    }

    /** Reason why an offered payout is not part of the batch. */
    enum Skipped {
        COINS,
        ALLOWANCE
    }

    private record Chosen(Draft draft, List<Long> numbers) {}

    private final Address from;
    private final List<Offer> offers;
    private final CoinSource source;
    private final TokenBinding token;
    private volatile Rules rules;
    private volatile int allCoins;
    private volatile Optional<Chosen> chosen = Optional.empty();
    /** Reasons for the payouts that were left out, by their numbers. */
    private volatile Map<Long, Skipped> skipped = Map.of();

    private volatile OptionalLong keepsFor = OptionalLong.empty();

    BatchPlan(Address from, List<Offer> offers, CoinSource source, Rules rules) {
        this.from = from;
        this.offers = List.copyOf(offers);
        this.source = source;
        this.rules = rules;
        byte[] random = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(random);
        String name = StandIns.PAYOUT_BATCH + "-" + HexFormat.of().formatHex(random);
        this.token = new TokenBinding(TokenBinding.ofDaemon(name), Hash256.sha256(random));
    }

    /** Lowers the amount that may leave, before the payouts are chosen. */
    void cap(Optional<Amount> most) {
        rules = rules.capped(most);
    }

    Map<Long, Skipped> skipped() {
        return skipped;
    }

    /** Number of the overdue payout because of which no batch was made: the address keeps its confirmed coins for it. */
    OptionalLong keepsFor() {
        return keepsFor;
    }

    @Override
    public String kind() {
        return StandIns.PAYOUT_BATCH;
    }

    @Override
    public Address from() {
        return from;
    }

    @Override
    public Optional<TokenBinding> token() {
        return Optional.of(token);
    }

    @Override
    public void check() {
        // Each payout was checked when it was submitted.
    }

    @Override
    public Amount leaving() {
        return Amount.ZERO;
    }

    @Override
    public boolean hasAlternatives() {
        return true;
    }

    @Override
    public CompletionStage<Candidates> gather(NodeClient node, Executor executor) {
        return source.of(from)
                .thenApplyAsync(
                        coins -> {
                            allCoins = coins.all();
                            List<NodeClient.Utxo> ascending = new ArrayList<>(coins.usable());
                            ascending.sort(Comparator.comparing(NodeClient.Utxo::value)
                                    .thenComparing(NodeClient.Utxo::outpoint));
                            return Candidates.proven(ascending, coins.tipHeight());
                        },
                        executor);
    }

    /** Coins in ascending order, with the sums of the largest ones. */
    private record CoinSums(List<Coin> ascending, Amount[] largest) {
        static CoinSums of(List<Coin> ascending) {
            int most = Math.min(MAX_INPUTS, ascending.size());
            Amount[] sums = new Amount[most + 1];
            sums[0] = Amount.ZERO;
            for (int i = 0; i < most; i++) {
                sums[i + 1] = sums[i].plusOrMax(
                        ascending.get(ascending.size() - 1 - i).value());
            }
            return new CoinSums(List.copyOf(ascending), sums);
        }

        /** Number of the largest coins that pay a sum plus the fee of a transaction of this shape. */
        OptionalInt coinsFor(Amount sum, TxShape outputs, FeeChoice fee) {
            for (int count = 1; count < largest.length; count++) {
                TxShape shape = outputs.plusPlainInputs(count);
                if (!shape.fitsLimits()) {
                    return OptionalInt.empty();
                }
                if (!largest[count].isLessThan(sum.plusOrMax(fee.feeOf(shape)))) {
                    return OptionalInt.of(count);
                }
            }
            return OptionalInt.empty();
        }

        /**
         * Selects the smallest single coin that suffices and whose remainder, if it is too small for change, does not raise the fee above
         * the cap; otherwise the fewest coins.
         *
         * @param changed shape of the outputs with one change coin
         */
        List<Coin> pay(Amount sum, TxShape outputs, TxShape changed, FeeChoice fee, Optional<Amount> mostFee) {
            Amount single = sum.plusOrMax(fee.feeOf(outputs.plusPlainInputs(1)));
            Amount withChange =
                    sum.plusOrMax(fee.feeOf(changed.plusPlainInputs(1))).plusOrMax(ChainProfile.DUST_THRESHOLD);
            Optional<Coin> smallest = ascending.stream()
                    .filter(coin -> !coin.value().isLessThan(single))
                    .filter(coin -> !coin.value().isLessThan(withChange)
                            || mostFee.filter(
                                            most -> most.isLessThan(coin.value().minus(sum)))
                                    .isEmpty())
                    .findFirst();
            if (smallest.isPresent()) {
                return List.of(smallest.get());
            }
            int count = coinsFor(sum, outputs, fee).orElseThrow();
            List<Coin> largestFirst = new ArrayList<>(ascending.subList(ascending.size() - count, ascending.size()));
            Collections.reverse(largestFirst);
            return largestFirst;
        }
    }

    /** Returns the highest fee that the cap permits; empty without a cap. */
    private static Optional<Amount> mostFee(Rules rules, Amount leaving) {
        return rules.most().map(cap -> cap.isLessThan(leaving) ? Amount.ZERO : cap.minus(leaving));
    }

    private static TxShape withChange(TxShape outputs, int count, Drawing drawing) {
        TxShape shape = outputs.plusPlainOutputs(count);
        return drawing.marks() ? shape.plusDatum(Drawing.MARK_LENGTH) : shape;
    }

    @Override
    public Draft choose(Candidates candidates, Holdings holdings) {
        Rules now = rules;
        List<Coin> free = PaymentPlan.freeCoins(candidates, holdings);
        List<Coin> all = PaymentPlan.freeCoins(candidates, holdings.withoutReservations());
        if (free.isEmpty()) {
            throw shortage(Amount.ZERO, free, all);
        }
        CoinSums freeSums = CoinSums.of(free);
        CoinSums allSums = CoinSums.of(all);
        Map<Long, Skipped> left = new HashMap<>();
        List<Offer> carried = new ArrayList<>();
        TxShape shape = TxShape.EMPTY;
        Amount sum = Amount.ZERO;
        // Payouts from the address to itself do not leave it.
        Amount own = Amount.ZERO;
        int full = full(now, free.size());
        for (Offer offer : offers) {
            if (carried.size() >= full) {
                break;
            }
            TxOutput output = offer.order().output();
            TxShape with = shape.plusOutput(output);
            Amount total = sum.plusOrMax(offer.order().amount());
            OptionalInt coins = freeSums.coinsFor(total, with, now.fee());
            if (coins.isEmpty()) {
                left.put(offer.number(), Skipped.COINS);
                TxShape alone = TxShape.EMPTY.plusOutput(output);
                if (offer.overdue()
                        && freeSums.coinsFor(offer.order().amount(), alone, now.fee())
                                .isEmpty()
                        && allSums.coinsFor(offer.order().amount(), alone, now.fee())
                                .isPresent()) {
                    keepsFor = OptionalLong.of(offer.number());
                    // The payout waits for coins that are still reserved: until they are free, no other payout may
                    // take the address's coins.
                    skipped = Map.copyOf(left);
                    throw shortage(offer.order().amount(), free, all);
                }
                continue;
            }
            Amount ownWith =
                    offer.order().to().equals(from) ? own.plus(offer.order().amount()) : own;
            Amount leaves = total.minus(ownWith)
                    .plusOrMax(
                            now.fee().feeOf(withChange(with.plusPlainInputs(coins.getAsInt()), 1, holdings.drawing())));
            if (now.most().filter(cap -> cap.isLessThan(leaves)).isPresent()) {
                left.put(offer.number(), Skipped.ALLOWANCE);
                continue;
            }
            carried.add(offer);
            shape = with;
            sum = total;
            own = ownWith;
        }
        if (carried.isEmpty()) {
            skipped = Map.copyOf(left);
            throw left.containsValue(Skipped.COINS)
                    ? shortage(offers.get(0).order().amount(), free, all)
                    : allowanceUsedUp();
        }
        Draft draft = draft(now, candidates, holdings.drawing(), carried, freeSums, free.size());
        while (exceedsCap(now, draft)) {
            // A remainder that is too small for change raises the fee.
            left.put(carried.remove(carried.size() - 1).number(), Skipped.ALLOWANCE);
            if (carried.isEmpty()) {
                skipped = Map.copyOf(left);
                throw allowanceUsedUp();
            }
            draft = draft(now, candidates, holdings.drawing(), carried, freeSums, free.size());
        }
        skipped = Map.copyOf(left);
        chosen = Optional.of(
                new Chosen(draft, carried.stream().map(Offer::number).toList()));
        return draft;
    }

    private boolean exceedsCap(Rules rules, Draft draft) {
        return rules.most().filter(cap -> cap.isLessThan(leaving(draft))).isPresent();
    }

    private static SpendException allowanceUsedUp() {
        return new SpendException(new SpendRefusal.BuildFailed("the allowance is used up"));
    }

    private static int full(Rules rules, int freeCoins) {
        int batches = Math.max(1, Math.min(freeCoins, rules.submissions()));
        int shared = (rules.backlog() + batches - 1) / batches;
        return Math.min(MAX_OUTPUTS, Math.max(USUAL_OUTPUTS, shared));
    }

    private static SpendException shortage(Amount needed, List<Coin> free, List<Coin> all) {
        List<Coin> held = new ArrayList<>(all);
        held.removeAll(new HashSet<>(free));
        return new SpendException(new SpendRefusal.Shortage(needed, free, held, false, false).refusal(!held.isEmpty()));
    }

    private Draft draft(
            Rules now, Candidates candidates, Drawing drawing, List<Offer> carried, CoinSums freeSums, int freeCoins) {
        List<TxOutput> outputs = new ArrayList<>();
        Amount sum = Amount.ZERO;
        Amount leaving = Amount.ZERO;
        Amount largest = MIN_CHANGE;
        for (Offer offer : carried) {
            outputs.add(offer.order().output());
            sum = sum.plus(offer.order().amount());
            if (!offer.order().to().equals(from)) {
                leaving = leaving.plus(offer.order().amount());
            }
            largest = largest.isLessThan(offer.order().amount()) ? offer.order().amount() : largest;
        }
        Optional<Amount> mostFee = mostFee(now, leaving);
        TxShape paying = TxShape.ofOutputs(outputs);
        List<Coin> inputs = freeSums.pay(sum, paying, withChange(paying, 1, drawing), now.fee(), mostFee);
        Amount rest = inputs.stream()
                .map(Coin::value)
                .reduce(Amount.ZERO, Amount::plusOrMax)
                .minus(sum);
        int wanted = Math.max(1, now.usableCoins() - Math.max(0, allCoins - inputs.size()));
        List<TxOutput> change = change(now, drawing, outputs, inputs.size(), rest, wanted, largest, mostFee);
        OptionalInt changeIndex = change.isEmpty() ? OptionalInt.empty() : OptionalInt.of(outputs.size());
        outputs.addAll(change);
        Amount fee = rest.minus(sum(change));
        return new Draft(
                Transaction.unsigned(inputs.stream().map(Coin::outpoint).toList(), outputs),
                inputs,
                fee,
                changeIndex,
                TxShape.ofOutputs(outputs).plusPlainInputs(inputs.size()),
                candidates.tipHeight(),
                freeCoins > inputs.size(),
                1);
    }

    private static Amount sum(List<TxOutput> outputs) {
        Amount sum = Amount.ZERO;
        for (TxOutput output : outputs) {
            sum = sum.plus(output.value());
        }
        return sum;
    }

    /**
     * Builds the change, split into as many coins as are wanted and worth their fee; none when the remainder is dust.
     *
     * @param rest remainder of the inputs, including the fee
     * @param least minimum value of each coin when there are several
     * @param mostFee highest fee at which the remainder is split into several coins
     */
    private List<TxOutput> change(
            Rules now,
            Drawing drawing,
            List<TxOutput> outputs,
            int inputs,
            Amount rest,
            int wanted,
            Amount least,
            Optional<Amount> mostFee) {
        TxShape base = TxShape.ofOutputs(outputs).plusPlainInputs(inputs);
        for (int count = Math.min(wanted, MAX_OUTPUTS); count >= 1; count--) {
            TxShape shape = withChange(base, count, drawing);
            Amount fee = now.fee().feeOf(shape);
            boolean feeTooHigh =
                    count > 1 && mostFee.filter(most -> most.isLessThan(fee)).isPresent();
            if (!shape.fitsLimits() || rest.isLessThan(fee) || feeTooHigh) {
                continue;
            }
            long left = rest.minus(fee).bits();
            Amount each = Amount.ofUnsigned(Long.divideUnsigned(left, count));
            if (each.isLessThan(count == 1 ? ChainProfile.DUST_THRESHOLD : least)) {
                continue;
            }
            List<TxOutput> change = new ArrayList<>(count);
            long first = left - each.bits() * (count - 1);
            TxOutput one = TxOutput.toAddress(from, Amount.ofUnsigned(first));
            change.add(drawing.marks() ? one.withDatum(drawing.mark()) : one);
            for (int i = 1; i < count; i++) {
                change.add(TxOutput.toAddress(from, each));
            }
            return change;
        }
        return List.of();
    }

    @Override
    public Amount leaving(Draft draft) {
        Amount leaving = draft.fee();
        for (TxOutput output : draft.unsigned().outputs()) {
            if (!output.address().equals(Optional.of(from))) {
                leaving = leaving.plusOrMax(output.value());
            }
        }
        return leaving;
    }

    @Override
    public Intent.Details details() {
        return new Intent.Details(
                Optional.of(rules.owner().orElse(PayoutStore.CLASSIC)), Optional.empty(), Optional.empty());
    }

    @Override
    public List<Long> carries(Draft draft) {
        return chosen.filter(last -> last.draft() == draft)
                .map(Chosen::numbers)
                .orElseThrow(() -> new IllegalStateException("this is not the latest draft of the batch"));
    }
}
