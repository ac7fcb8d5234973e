package org.chainwalletd.swap;

/**
 * When a lock of ours can be taken back. The two legs differ by one: on the chain a reclaim needs a height above the timeout, in the contract
 * a refund is due at the deadline (chain protocol, appendix E.3). The contract's clock is the time of blocks, never this machine's.
 */
public final class RefundDue {
    private RefundDue() {}

    /** @param tipHeight of the followed tip; both unsigned */
    public static boolean onTheChain(long tipHeight, long timeout) {
        return Long.compareUnsigned(tipHeight, timeout) > 0;
    }

    /** @param blockTime of the newest block of the account chain; both in Unix seconds, unsigned */
    public static boolean inTheContract(long blockTime, long deadline) {
        return Long.compareUnsigned(blockTime, deadline) >= 0;
    }

    /** By the terms of a swap, with whichever clock its own lock has. */
    static boolean of(SwapTerms terms, long tipHeight, long blockTime) {
        return terms.direction().isSell()
                ? onTheChain(tipHeight, terms.timeout())
                : inTheContract(blockTime, terms.timeout());
    }
}
