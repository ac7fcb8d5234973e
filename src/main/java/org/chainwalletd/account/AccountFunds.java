package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.Optional;

/**
 * What an address of ours has, in wei.
 *
 * @param balance that the quorum agrees on at one block: the settled one for a swap, otherwise the newest
 * @param committed value and highest fee of our transactions that are not mined
 * @param reservePerSwap 120,000 gas × 4 × (2 × base fee + tip): what one open swap may still need
 * @param reserved that for all open swaps, with the locks that those executed at this moment are about to make
 * @param claimsAhead claims that swaps before the one that asks may send, and have not
 * @param obstacle why nothing at all is sent from it: its nonces are not explained, it has code, the chain has no transactions of type 2
 */
public record AccountFunds(
        BigInteger balance,
        BigInteger committed,
        BigInteger reservePerSwap,
        BigInteger reserved,
        int claimsAhead,
        Optional<SendRefusal> obstacle) {
    private static final BigInteger TRANSACTIONS_PER_SWAP = BigInteger.valueOf(4);

    /** What one transaction of a swap may take for gas: 120,000 gas × (2 × base fee + tip). */
    public BigInteger perTransaction() {
        return reservePerSwap.divide(TRANSACTIONS_PER_SWAP);
    }

    /** What is left for a claim of the one that asks. */
    public BigInteger leftForClaim() {
        return balance.subtract(committed).subtract(perTransaction().multiply(BigInteger.valueOf(claimsAhead)));
    }

    /** What may be spent without taking from an open swap; never negative. */
    public BigInteger spendable() {
        return balance.subtract(committed).subtract(reserved).max(BigInteger.ZERO);
    }
}
