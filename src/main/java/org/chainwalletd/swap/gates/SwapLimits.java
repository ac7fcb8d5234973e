package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.OptionalLong;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * The operator's bounds (swap.md, section 2).
 *
 * @param contract the one contract that money is locked in
 * @param quorum endpoints that must agree before a secret leaves
 * @param chainConfirmations depth of a lock on the chain; empty: by the amount
 * @param longest upper bound of our lock, from now
 * @param margins left on the pool's lock when the secret leaves
 * @param development a development profile: blocks come when a test wants them, so nothing is judged by how old they are
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

    /** @param codeHash Keccak-256 of its code */
    public record Contract(BigInteger chainId, EvmAddress address, Hash256 codeHash) {}

    /**
     * A time by the clock of a lock's own chain.
     *
     * @param blocks of a lock on the chain
     * @param secs of a lock in the contract
     */
    public record Span(long blocks, long secs) {}

    /**
     * Most that a quote may cost, in hundredths of a percent.
     *
     * @param maxFeeBps fee and network fee over the output
     * @param maxImpactBps how far the output may be below the pool's own price
     */
    public record Price(long maxFeeBps, long maxImpactBps) {}

    /** The pool's lock must be mined within this of ours reaching its depth. */
    public static final long POOL_WINDOW_SECONDS = 1_800;
    /** A quote that ends sooner cannot be executed any more. */
    public static final long MIN_QUOTE_SECONDS = 20;

    public static final long MAX_QUOTE_SECONDS = 900;

    static final long CHAIN_BLOCK_SECONDS = 10;
    static final long EVM_BLOCK_SECONDS = 12;
    static final long FINALIZED_SECONDS = 1_200;
    static final long SAFE_SECONDS = 600;

    /** Greatest age of the newest block of either chain when the secret is revealed, in seconds. */
    static final long MAX_EVM_BLOCK_AGE = 60;

    public static final long MAX_CHAIN_BLOCK_AGE = 600;
    /** Blocks that took longer than this many times their expected time may be somebody's own. */
    static final long SLOWEST_PACE = 3;

    /** The seconds that a lock in the contract needs to become settled, with room for slots that are missed. */
    public long finalitySeconds() {
        if (finality instanceof Finality.Depth depth) {
            return Math.multiplyExact(depth.blocks(), EVM_BLOCK_SECONDS);
        }
        return ((Finality.Tagged) finality).tag() == BlockRef.Tag.SAFE ? SAFE_SECONDS : FINALIZED_SECONDS;
    }
}
