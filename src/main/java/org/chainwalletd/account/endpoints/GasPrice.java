package org.chainwalletd.account.endpoints;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/**
 * The two fee fields of a transaction of type 2, in wei per gas.
 *
 * @param tip at most {@code maxFee}
 */
public record GasPrice(BigInteger tip, BigInteger maxFee) {
    /** Upper bound of a tip that endpoints suggest: 100 gwei, or four times the base fee if that is more. */
    private static final BigInteger LARGEST_TIP = BigInteger.valueOf(100_000_000_000L);

    /** Tip paid when no endpoint suggests one: 1 gwei. */
    static final BigInteger USUAL_TIP = BigInteger.valueOf(1_000_000_000L);

    private static final BigInteger FOUR = BigInteger.valueOf(4);
    private static final BigInteger EIGHT = BigInteger.valueOf(8);

    public GasPrice {
        if (tip.compareTo(maxFee) > 0) {
            throw new IllegalArgumentException("a tip above the whole fee");
        }
    }

    /**
     * Creates a price with both fields limited to {@code most}.
     *
     * @param most maximum price in wei per gas, positive
     */
    public static GasPrice bounded(BigInteger tip, BigInteger maxFee, BigInteger most) {
        BigInteger fee = maxFee.min(most);
        return new GasPrice(tip.min(fee), fee);
    }

    /** Returns the gas price for a transaction that should be mined soon. */
    public static GasPrice of(FeeMarket market) {
        return new GasPrice(market.tip(), market.comfortable());
    }

    /**
     * @param baseFee of the newest block; empty on a chain without base fees
     * @param tips suggested by endpoints, in wei per gas
     */
    public static FeeMarket market(Optional<BigInteger> baseFee, List<BigInteger> tips) {
        BigInteger burnt = baseFee.orElse(BigInteger.ZERO);
        return new FeeMarket(burnt, firstTip(tips, burnt));
    }

    /**
     * Returns the lower median of the suggested tips, within bounds: tips are paid in full, so a dishonest endpoint may cost time but no
     * money.
     */
    public static BigInteger firstTip(List<BigInteger> named, BigInteger baseFee) {
        BigInteger most = LARGEST_TIP.max(baseFee.multiply(FOUR));
        return lowerMedian(named).orElse(USUAL_TIP).min(most);
    }

    static Optional<BigInteger> lowerMedian(List<BigInteger> values) {
        return values.stream()
                .sorted()
                .skip(Math.max(0, (values.size() - 1) / 2))
                .findFirst();
    }

    /**
     * Returns the price of a replacement transaction: both fields at least an eighth higher, because nodes reject a smaller increase, or the
     * market's price if that is higher. Empty if {@code most} is too low for this.
     *
     * @param most maximum price in wei per gas
     */
    public Optional<GasPrice> raised(FeeMarket market, BigInteger most) {
        GasPrice wanted = of(market);
        BigInteger leastFee = eighthMore(maxFee);
        if (leastFee.compareTo(most) > 0) {
            return Optional.empty();
        }
        BigInteger fee = wanted.maxFee().max(leastFee).min(most);
        BigInteger leastTip = eighthMore(tip);
        return leastTip.compareTo(fee) > 0
                ? Optional.empty()
                : Optional.of(new GasPrice(wanted.tip().max(leastTip).min(fee), fee));
    }

    /** Returns the lowest price at which a mempool replaces a transaction at this price: an eighth more in both fields. */
    public GasPrice atLeastAfter() {
        return new GasPrice(eighthMore(tip), eighthMore(maxFee));
    }

    /** Returns the market's price, limited to {@code most}; empty when no block would include a transaction at that price now. */
    public static Optional<GasPrice> within(FeeMarket market, BigInteger most) {
        GasPrice wanted = of(market);
        BigInteger fee = wanted.maxFee().min(most);
        return fee.compareTo(market.baseFee()) > 0
                ? Optional.of(new GasPrice(wanted.tip().min(fee), fee))
                : Optional.empty();
    }

    public static BigInteger eighthMore(BigInteger value) {
        return value.add(value.add(EIGHT).subtract(BigInteger.ONE).divide(EIGHT))
                .max(value.add(BigInteger.ONE));
    }

    public BigInteger cost(long gasLimit) {
        return maxFee.multiply(BigInteger.valueOf(gasLimit));
    }

    /**
     * Price of gas in the next block, in wei per gas.
     *
     * @param baseFee burnt part, from the block header; zero on a chain without base fees
     * @param tip paid on top of the base fee, at least one wei
     */
    public record FeeMarket(BigInteger baseFee, BigInteger tip) {
        private static final BigInteger TWO = BigInteger.valueOf(2);

        /** {@code 2 × base fee + tip}: still enough after six blocks that are all full. */
        public BigInteger comfortable() {
            return baseFee.multiply(TWO).add(tip);
        }
    }
}
