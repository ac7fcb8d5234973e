package org.chainwalletd.swap.gates;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Pattern;
import org.chainwalletd.swap.pool.Direction;

/** Conversion of amounts between decimal text in whole coins and integers in base units. Only exact conversions succeed. */
public final class Units {
    /** Decimals of the chain's coin. */
    public static final int CHAIN_DECIMALS = 8;
    /** Decimals of the account chain's native asset. */
    public static final int NATIVE_DECIMALS = 18;

    /** Decimal without sign, exponent and group separators; at most 39 digits before the point, more than any amount needs. */
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,39}(\\.[0-9]{1,18})?");

    private static final Pattern INTEGER = Pattern.compile("0|[1-9][0-9]{0,77}");

    private Units() {}

    public static int decimalsIn(Direction direction) {
        return direction.isSell() ? CHAIN_DECIMALS : NATIVE_DECIMALS;
    }

    public static int decimalsOut(Direction direction) {
        return direction.isSell() ? NATIVE_DECIMALS : CHAIN_DECIMALS;
    }

    /** Returns the value of a plain decimal; empty for any other text. */
    public static Optional<BigDecimal> decimal(String text) {
        return DECIMAL.matcher(text).matches() ? Optional.of(new BigDecimal(text)) : Optional.empty();
    }

    /** Converts a plain decimal into base units; empty for any other text, or when the result is not an integer. */
    public static Optional<BigInteger> parse(String text, int decimals) {
        return decimal(text)
                .map(value -> value.movePointRight(decimals).stripTrailingZeros())
                .filter(units -> units.scale() <= 0)
                .map(BigDecimal::toBigIntegerExact);
    }

    /** Parses a plain integer without leading zeros, below 10^78; empty for any other text. */
    static Optional<BigInteger> integer(String text) {
        return INTEGER.matcher(text).matches() ? Optional.of(new BigInteger(text)) : Optional.empty();
    }

    static BigDecimal whole(BigInteger units, int decimals) {
        return new BigDecimal(units, decimals);
    }
}
