package org.chainwalletd.swap;

import java.math.BigInteger;
import java.util.OptionalLong;
import org.chainwalletd.account.BlockRef;
import org.chainwalletd.account.Finality;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * The operator's bounds (swap.md, section 2).
 *
 * @param contract the one contract that money is locked in
 * @param codeHash Keccak-256 of its code
 * @param quorum endpoints that must agree before a secret leaves
 * @param chainConfirmations depth of a lock on the chain; empty: by the amount
 * @param maxLockBlocks upper bound of our lock in a sell, in blocks from now
 * @param maxLockSecs upper bound of our lock in a buy, in seconds from now
 * @param evmMarginSecs left on the pool's lock in the contract when the secret leaves
 * @param chainMarginBlocks left on the pool's lock on the chain when the secret leaves
 * @param maxFeeBps fee and network fee over the output
 * @param maxImpactBps how far the output may be below the pool's own price
 * @param development a development profile: blocks come when a test wants them, so nothing is judged by how old they are
 */
public record SwapLimits(
        BigInteger evmChainId,
        EvmAddress contract,
        Hash256 codeHash,
        int quorum,
        Finality finality,
        OptionalLong chainConfirmations,
        long maxLockBlocks,
        long maxLockSecs,
        long evmMarginSecs,
        long chainMarginBlocks,
        long maxFeeBps,
        long maxImpactBps,
        boolean development) {
    public static final long DEFAULT_MAX_LOCK_BLOCKS = 4_320;
    public static final long DEFAULT_MAX_LOCK_SECS = 43_200;
    public static final long DEFAULT_EVM_MARGIN_SECS = 3_600;
    public static final long DEFAULT_CHAIN_MARGIN_BLOCKS = 360;
    public static final long DEFAULT_MAX_FEE_BPS = 100;
    public static final long DEFAULT_MAX_IMPACT_BPS = 500;
    public static final int DEFAULT_QUORUM = 2;

    /** The pool's lock must be mined within this of ours reaching its depth. */
    public static final long POOL_WINDOW_SECONDS = 1_800;
    /** A quote that ends sooner cannot be executed any more. */
    public static final long MIN_QUOTE_SECONDS = 20;

    public static final long MAX_QUOTE_SECONDS = 900;

    static final long CHAIN_BLOCK_SECONDS = 10;
    static final long EVM_BLOCK_SECONDS = 12;
    static final long FINALIZED_SECONDS = 1_200;
    static final long SAFE_SECONDS = 600;

    /** How old the newest block of either chain may be when the secret leaves. */
    static final long MAX_EVM_BLOCK_AGE = 60;

    static final long MAX_CHAIN_BLOCK_AGE = 600;
    /** Blocks that took longer than this many times their expected time may be somebody's own. */
    static final long SLOWEST_PACE = 3;

    /** What holds where the operator has named no others. */
    public static SwapLimits usual(BigInteger evmChainId, EvmAddress contract, Hash256 codeHash, Finality finality) {
        return new SwapLimits(
                evmChainId,
                contract,
                codeHash,
                DEFAULT_QUORUM,
                finality,
                OptionalLong.empty(),
                DEFAULT_MAX_LOCK_BLOCKS,
                DEFAULT_MAX_LOCK_SECS,
                DEFAULT_EVM_MARGIN_SECS,
                DEFAULT_CHAIN_MARGIN_BLOCKS,
                DEFAULT_MAX_FEE_BPS,
                DEFAULT_MAX_IMPACT_BPS,
                false);
    }

    /** With this depth on the chain, whatever the amount. */
    public SwapLimits withDepth(long chainConfirmations) {
        return with(OptionalLong.of(chainConfirmations), evmMarginSecs, chainMarginBlocks, development);
    }

    public SwapLimits withMargins(long evmSecs, long chainBlocks) {
        return with(chainConfirmations, evmSecs, chainBlocks, development);
    }

    public SwapLimits forDevelopment(boolean isDevelopment) {
        return with(chainConfirmations, evmMarginSecs, chainMarginBlocks, isDevelopment);
    }

    private SwapLimits with(OptionalLong depth, long evmSecs, long chainBlocks, boolean isDevelopment) {
        return new SwapLimits(
                evmChainId,
                contract,
                codeHash,
                quorum,
                finality,
                depth,
                maxLockBlocks,
                maxLockSecs,
                evmSecs,
                chainBlocks,
                maxFeeBps,
                maxImpactBps,
                isDevelopment);
    }

    /** The seconds that a lock in the contract needs to become settled, with room for slots that are missed. */
    long finalitySeconds() {
        if (finality instanceof Finality.Depth depth) {
            return Math.multiplyExact(depth.blocks(), EVM_BLOCK_SECONDS);
        }
        return ((Finality.Tagged) finality).tag() == BlockRef.Tag.SAFE ? SAFE_SECONDS : FINALIZED_SECONDS;
    }
}
