package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.OptionalLong;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * The operator's limits (swap.md, section 2).
 *
 * @param contract the only contract that money is locked in
 * @param quorum endpoints that must agree before a secret is revealed
 * @param chainConfirmations depth of a lock on the chain; if empty, derived from the amount
 * @param longest maximum duration of our lock, from now
 * @param margins time that must be left on the pool's lock when the secret is revealed
 * @param development whether this is a development profile, where tests produce blocks on demand, so block ages are not checked
 */
public record SwapLimits(
        Contract contract,
        int quorum,
        Finality finality,
        OptionalLong chainConfirmations,
        Span longest,
        Span margins,
        Price price,
        boolean development) {

    /** @param codeHash Keccak-256 of the contract's code */
    public record Contract(BigInteger chainId, EvmAddress address, Hash256 codeHash) {}

    /**
     * Duration by the clock of a lock's own chain.
     *
     * @param blocks of a lock on the chain
     * @param secs of a lock in the contract
     */
    public record Span(long blocks, long secs) {}

    /**
     * Maximum cost of a quote, in hundredths of a percent.
     *
     * @param maxFeeBps fee plus network fee, relative to the output
     * @param maxImpactBps shortfall of the output against the pool's own price
     */
    public record Price(long maxFeeBps, long maxImpactBps) {}

    /** Maximum time between our lock reaching its depth and the pool's lock being mined. */
    public static final long POOL_WINDOW_SECONDS = 1_800;
    /** Minimum time until a quote's expiry that still allows executing it. */
    public static final long MIN_QUOTE_SECONDS = 20;

    public static final long MAX_QUOTE_SECONDS = 900;

    static final long CHAIN_BLOCK_SECONDS = 10;
    static final long EVM_BLOCK_SECONDS = 12;
    static final long FINALIZED_SECONDS = 1_200;
    static final long SAFE_SECONDS = 600;

    /** Maximum age of the account chain's newest block when the secret is revealed, in seconds. */
    static final long MAX_EVM_BLOCK_AGE = 60;

    /** Maximum age of the followed tip when our lock is sent or the secret is revealed, in seconds. */
    public static final long MAX_CHAIN_BLOCK_AGE = 600;
    /** Factor over the expected time beyond which blocks count as possibly mined only for us. */
    static final long SLOWEST_PACE = 3;

    /** Returns the seconds that a lock in the contract needs to become settled, with allowance for missed slots. */
    public long finalitySeconds() {
        if (finality instanceof Finality.Depth depth) {
            return Math.multiplyExact(depth.blocks(), EVM_BLOCK_SECONDS);
        }
        return ((Finality.Tagged) finality).tag() == BlockRef.Tag.SAFE ? SAFE_SECONDS : FINALIZED_SECONDS;
    }
}
