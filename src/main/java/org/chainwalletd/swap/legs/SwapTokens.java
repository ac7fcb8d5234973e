package org.chainwalletd.swap.legs;

import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.spend.SealedClaims;

/**
 * Names of the transactions of a swap on the chain: the same for the same act of the same swap, in every life of the daemon. No caller can use
 * one, since tokens of callers are printable ASCII. By the name of a claim the store knows that its bytes are to be sealed.
 */
public final class SwapTokens {
    private static final String SWAP = SealedClaims.SWAP;

    private SwapTokens() {}

    static String lock(String swap) {
        return SWAP + swap + "\u00b7lock";
    }

    /** Of what is spent instead of the lock. */
    public static String instead(String swap) {
        return SWAP + swap + "\u00b7instead";
    }

    /** @param version 1 for the first send */
    static String claim(String swap, Outpoint lock, int version) {
        return SWAP + swap + "\u00b7claim\u00b7" + lock + "\u00b7" + version;
    }

    /** @param version 1 for the first send */
    static String takeBack(String swap, Outpoint lock, int version) {
        return SWAP + swap + "\u00b7reclaim\u00b7" + lock + "\u00b7" + version;
    }
}
