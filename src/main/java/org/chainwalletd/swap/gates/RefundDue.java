package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import org.chainwalletd.chain.U64;

/**
 * When a lock of ours can be taken back. The two legs differ by one: on the chain a reclaim needs a height above the timeout, in the contract
 * a refund is due at the deadline (chain protocol, appendix E.3). The contract's clock is the time of blocks; this machine's counts a
 * quarter of an hour later, for endpoints that tell none or an old one.
 */
public final class RefundDue {
    /** Seconds past the deadline from which the wall clock counts too: one old block time must not hold a refund for ever. */
    private static final BigInteger PATIENCE_SECONDS = BigInteger.valueOf(900);

    private static final BigInteger PATIENCE_BLOCKS = BigInteger.valueOf(90);

    private RefundDue() {}

    /** @param tipHeight of the followed tip; both unsigned */
    public static boolean onTheChain(long tipHeight, long timeout) {
        return Long.compareUnsigned(tipHeight, timeout) > 0;
    }

    /** @param blockTime of the newest block of the account chain; both in Unix seconds, unsigned */
    public static boolean inTheContract(long blockTime, long deadline) {
        return Long.compareUnsigned(blockTime, deadline) >= 0;
    }

    /**
     * In the contract, when no block says so: a refund that comes too early merely reverts.
     *
     * @param now Unix seconds, of this machine
     */
    public static boolean byWallClock(long now, long deadline) {
        return BigInteger.valueOf(now).subtract(PATIENCE_SECONDS).compareTo(U64.toBigInteger(deadline)) >= 0;
    }

    /** Whether it has been due on the chain for about as long. */
    static boolean byManyBlocks(long tipHeight, long timeout) {
        return U64.toBigInteger(tipHeight).subtract(PATIENCE_BLOCKS).compareTo(U64.toBigInteger(timeout)) > 0;
    }

    /** By the terms of a swap, with whichever clock its own lock has. */
    public static boolean of(SwapTerms terms, long tipHeight, long blockTime) {
        return terms.direction().isSell()
                ? onTheChain(tipHeight, terms.timeout())
                : inTheContract(blockTime, terms.timeout());
    }
}
