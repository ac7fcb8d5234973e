package org.chainwalletd.devnet.pool;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** What the pool gives for what: one price for every amount, less the fee, rounded down to the smallest unit. */
final class PoolQuotes {
    static final int CHAIN_DECIMALS = 8;
    static final int EVM_DECIMALS = 18;
    private static final BigDecimal BPS = BigDecimal.valueOf(10_000);
    private static final int LONGEST = 60;

    private final BigDecimal price;
    private final BigDecimal kept;

    PoolQuotes(PoolConfig config) {
        price = config.price().mid();
        kept = BPS.subtract(BigDecimal.valueOf(config.price().feeBps())).divide(BPS);
    }

    static int decimalsIn(boolean sell) {
        return sell ? CHAIN_DECIMALS : EVM_DECIMALS;
    }

    static int decimalsOut(boolean sell) {
        return decimalsIn(!sell);
    }

    /**
     * Whole coins in units.
     *
     * @throws IllegalArgumentException unless it is a positive decimal with no more digits than units have
     */
    static BigInteger units(String amount, int decimals) {
        if (amount.length() > LONGEST || !amount.matches("\\d+(\\.\\d+)?")) {
            throw new IllegalArgumentException("not a decimal amount");
        }
        try {
            BigInteger units = new BigDecimal(amount).movePointRight(decimals).toBigIntegerExact();
            if (units.signum() > 0) {
                return units;
            }
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("more than " + decimals + " digits after the point", e);
        }
        throw new IllegalArgumentException("an amount of nothing");
    }

    static String whole(BigInteger units, int decimals) {
        return new BigDecimal(units, decimals).stripTrailingZeros().toPlainString();
    }

    BigInteger out(boolean sell, BigInteger in) {
        BigDecimal coins = new BigDecimal(in, decimalsIn(sell)).multiply(kept);
        int decimals = decimalsOut(sell);
        BigDecimal out = sell ? coins.multiply(price) : coins.divide(price, decimals, RoundingMode.DOWN);
        return out.setScale(decimals, RoundingMode.DOWN).unscaledValue();
    }
}
