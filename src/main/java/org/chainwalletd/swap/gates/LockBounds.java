package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.swap.pool.Direction;

/**
 * Required depth of a lock on the chain, and bounds for the duration of our own lock. A lock that ends before both depths, the pool's window and
 * the margin have passed can only end in a refund.
 *
 * @param shortest inclusive, in blocks (sell) or seconds (buy) from now
 * @param longest inclusive
 */
public record LockBounds(long shortest, long longest) {
    static final long LEAST_DEPTH = 30;
    /** Maximum depth. A lock that would need more is refused, because no quote is worth such a wait. */
    static final long GREATEST_DEPTH = 720;

    static final long LEAST_BLOCKS = 360;
    static final long LEAST_SECONDS = 7_200;

    /**
     * Returns the depth for a lock of {@code units} on the chain; empty when it would exceed {@value #GREATEST_DEPTH}.
     *
     * @param reward of one block: reversing a lock costs an attacker the rewards of that many blocks
     */
    public static OptionalLong depth(SwapLimits limits, BigInteger units, Amount reward) {
        if (limits.chainConfirmations().isPresent()) {
            return limits.chainConfirmations();
        }
        BigInteger twice = units.shiftLeft(1);
        BigInteger[] blocks = twice.divideAndRemainder(reward.toBigInteger());
        BigInteger needed = blocks[1].signum() == 0 ? blocks[0] : blocks[0].add(BigInteger.ONE);
        if (needed.compareTo(BigInteger.valueOf(GREATEST_DEPTH)) > 0) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(LEAST_DEPTH, needed.longValueExact()));
    }

    /** @param depth of the lock on the chain, ours or the pool's */
    public static LockBounds of(SwapLimits limits, Direction direction, long depth) {
        long waits = Math.addExact(SwapLimits.POOL_WINDOW_SECONDS, limits.finalitySeconds());
        if (direction.isSell()) {
            long blocks = ceil(Math.addExact(waits, limits.margins().secs()));
            return new LockBounds(
                    Math.max(LEAST_BLOCKS, Math.addExact(depth, blocks)),
                    limits.longest().blocks());
        }
        long chain =
                Math.multiplyExact(Math.addExact(depth, limits.margins().blocks()), SwapLimits.CHAIN_BLOCK_SECONDS);
        return new LockBounds(
                Math.max(LEAST_SECONDS, Math.addExact(waits, chain)),
                limits.longest().secs());
    }

    private static long ceil(long seconds) {
        return -Math.floorDiv(-seconds, SwapLimits.CHAIN_BLOCK_SECONDS);
    }

    public boolean admits(BigInteger left) {
        return left.compareTo(BigInteger.valueOf(shortest)) >= 0 && left.compareTo(BigInteger.valueOf(longest)) <= 0;
    }
}
