package org.chainwalletd.swap.pool;

import java.util.Optional;

/**
 * A quote as the pool wrote it (swap.md, section 3): of the right types and lengths, and otherwise unbelieved. Amounts are texts as they
 * came; what they are worth is for who binds the quote.
 *
 * @param expiresAt Unix seconds
 * @param feeBps of the output, in hundredths of a percent
 * @param networkFeeNative decimal, in whole native coins
 * @param evm what we are to lock in a buy
 * @param chain what we are to lock in a sell
 */
public record PoolQuote(
        String swapId,
        String amountIn,
        String amountOut,
        String amountInUnits,
        String amountOutUnits,
        long expiresAt,
        long feeBps,
        Optional<String> networkFeeNative,
        Optional<String> htlcContract,
        Optional<EvmLock> evm,
        Optional<ChainLock> chain) {

    /** @param timeoutSec Unix seconds, unsigned */
    public record EvmLock(String htlcContract, String recipient, long timeoutSec) {}

    /** @param timeoutHeight unsigned */
    public record ChainLock(String receiverPubkey, long timeoutHeight) {}
}
