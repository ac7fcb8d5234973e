package org.chainwalletd.rpc.method.swap;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Pattern;

/** Amounts of the account chain's native asset as people write them: whole coins with at most 18 decimals. */
final class WeiAmounts {
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,60}(\\.[0-9]{1,18})?");
    private static final int DECIMALS = 18;

    private WeiAmounts() {}

    /**
     * In wei.
     *
     * @throws IllegalArgumentException for what is none, zero, or more than there can be
     */
    static BigInteger parse(String text) {
        if (!DECIMAL.matcher(text).matches()) {
            throw new IllegalArgumentException("must be a decimal number with at most 18 decimals, or max");
        }
        BigInteger wei = new BigDecimal(text).movePointRight(DECIMALS).toBigIntegerExact();
        if (wei.signum() == 0 || wei.bitLength() > 256) {
            throw new IllegalArgumentException("must be more than zero and at most 256 bits of wei");
        }
        return wei;
    }
}
