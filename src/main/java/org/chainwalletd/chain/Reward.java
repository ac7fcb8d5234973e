package org.chainwalletd.chain;

import java.math.BigInteger;

/** Block reward, whose decaying part falls smoothly and halves every 6,307,200 blocks (chain protocol, section 9.4). */
public final class Reward {
    private static final long HALVING_BLOCKS = 6_307_200;
    private static final int STEP_BLOCKS = 1_540;
    private static final int STEPS = 4_096;
    private static final BigInteger STEP_FACTOR = new BigInteger("18443622869203936790");
    private static final BigInteger FLOOR = BigInteger.valueOf(100_000_000);
    private static final BigInteger DECAYING = BigInteger.valueOf(9_900_000_000L);
    private static final BigInteger ONE = BigInteger.ONE.shiftLeft(64);

    /** Unsigned 64-bit fractions of 2^64 for entries 1 … 4,096; entry 0 is 2^64 itself, which does not fit. */
    private static final long[] TABLE = table();

    private Reward() {}

    /**
     * Returns the reward of the block at {@code height}, without fees.
     *
     * @param height unsigned
     */
    public static Amount at(long height) {
        long halvings = Long.divideUnsigned(height, HALVING_BLOCKS);
        if (halvings >= 128) {
            return Amount.of(FLOOR);
        }
        long rest = Long.remainderUnsigned(height, HALVING_BLOCKS);
        int step = (int) (rest / STEP_BLOCKS);
        BigInteger from = entry(step);
        BigInteger fall = from.subtract(entry(step + 1))
                .multiply(BigInteger.valueOf(rest % STEP_BLOCKS))
                .divide(BigInteger.valueOf(STEP_BLOCKS));
        BigInteger fraction = from.subtract(fall);
        return Amount.of(FLOOR.add(DECAYING.multiply(fraction).shiftRight(64 + (int) halvings)));
    }

    private static BigInteger entry(int index) {
        return index == 0 ? ONE : U64.toBigInteger(TABLE[index]);
    }

    private static long[] table() {
        long[] table = new long[STEPS + 1];
        BigInteger value = ONE;
        for (int i = 1; i <= STEPS; i++) {
            value = value.multiply(STEP_FACTOR).shiftRight(64);
            table[i] = value.longValue();
        }
        return table;
    }
}
