package org.chainwalletd.swap.legs;

import java.math.BigInteger;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;

/**
 * Fee that swaps pay for taking money out of a lock on the chain. There is no way to raise a fee once a mempool has a transaction, and cheap
 * traffic can keep one of minimum fee out of blocks for long, so the first send pays well above the minimum (swap.md, section 6).
 */
public final class ChainFee {
    private static final BigInteger TIMES_MINIMUM = BigInteger.valueOf(100);
    private static final BigInteger PART_OF_VALUE = BigInteger.valueOf(10_000);

    private ChainFee() {}

    /**
     * Twice as much with each version, at most half of the value, and never so much that nothing is left to be paid.
     *
     * @param minimum of the consensus for such a transaction
     * @param value what is spent
     * @param version 1 for the first send
     */
    public static Amount of(Amount minimum, Amount value, int version) {
        BigInteger wanted = minimum.toBigInteger()
                .multiply(TIMES_MINIMUM)
                .max(value.toBigInteger().divide(PART_OF_VALUE))
                .shiftLeft(version - 1);
        BigInteger rest = value.toBigInteger().subtract(ChainProfile.DUST_THRESHOLD.toBigInteger());
        BigInteger most = value.toBigInteger().shiftRight(1).max(minimum.toBigInteger());
        return Amount.of(wanted.min(most).min(rest).max(minimum.toBigInteger()));
    }
}
