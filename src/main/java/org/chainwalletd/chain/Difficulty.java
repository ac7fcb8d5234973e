package org.chainwalletd.chain;

import java.math.BigInteger;

/** Adjustment of the difficulty target (chain protocol, section 9.5). */
public final class Difficulty {
    /** Number of blocks between two adjustments, and over which the elapsed time is measured. */
    public static final int WINDOW = 4_320;
    /** The largest possible target: every hash except one is below it. */
    public static final Hash256 EASIEST = Hash256.parse("ff".repeat(32));

    private static final BigInteger LONGEST = BigInteger.valueOf(172_760);
    private static final BigInteger SHORTEST = BigInteger.valueOf(10_797);
    private static final BigInteger EXPECTED = BigInteger.valueOf(43_190);
    private static final BigInteger ALL_ONES = BigInteger.ONE.shiftLeft(256).subtract(BigInteger.ONE);
    private static final BigInteger TEST_CAP = BigInteger.ONE.shiftLeft(252);

    private Difficulty() {}

    /** Tests whether the block at this height gets an adjusted target instead of its parent's. */
    public static boolean adjustsAt(long height) {
        return height != 0 && Long.remainderUnsigned(height, WINDOW) == 0;
    }

    /**
     * Returns the target of a block at a height where {@link #adjustsAt} holds.
     *
     * @param old target of the parent
     * @param firstTime timestamp of the block 4,320 below, unsigned
     * @param lastTime timestamp of the parent, unsigned; may be less than {@code firstTime}
     */
    public static Hash256 adjust(Network network, Hash256 old, long firstTime, long lastTime) {
        BigInteger elapsed = U64.toBigInteger(lastTime)
                .subtract(U64.toBigInteger(firstTime))
                .max(SHORTEST)
                .min(LONGEST);
        BigInteger target = new BigInteger(1, old.unsafe())
                .multiply(elapsed)
                .divide(EXPECTED)
                .max(BigInteger.ONE);
        return toHash(target.min(network == Network.MAINNET ? ALL_ONES : TEST_CAP));
    }

    private static Hash256 toHash(BigInteger number) {
        byte[] bytes = number.toByteArray();
        byte[] padded = new byte[Hash256.LENGTH];
        int length = Math.min(bytes.length, padded.length);
        System.arraycopy(bytes, bytes.length - length, padded, padded.length - length, length);
        return Hash256.wrap(padded);
    }
}
