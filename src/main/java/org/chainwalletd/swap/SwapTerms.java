package org.chainwalletd.swap;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.pool.Direction;

/**
 * What both sides of a swap must do, bound once and never changed. The hash lock is SHA-256 of a secret of 32 bytes that only we know.
 *
 * @param amountIn decimal in whole coins, as it was asked
 * @param amountOut decimal in whole coins, as the pool wrote it; says the same as {@code amountOutUnits}
 * @param ours our keys, on both chains
 * @param poolChainKey who may claim our lock in a sell; empty in a buy
 * @param poolEvmAddress who may claim our lock in a buy; empty in a sell
 * @param timeout of our own lock, unsigned: a height in a sell, Unix seconds in a buy
 * @param depth of the lock on the chain, ours in a sell and the pool's in a buy, in blocks
 * @param expiresAt Unix seconds; nothing is locked from then on
 */
public record SwapTerms(
        Direction direction,
        Hash256 hashLock,
        String amountIn,
        String amountOut,
        BigInteger amountInUnits,
        BigInteger amountOutUnits,
        EvmAddress contract,
        Ours ours,
        Optional<PublicKey> poolChainKey,
        Optional<EvmAddress> poolEvmAddress,
        long timeout,
        long depth,
        long expiresAt,
        long feeBps,
        Optional<String> networkFeeNative) {

    /** @param address of {@code key} */
    public record Ours(Address address, PublicKey key, EvmAddress evm) {}
}
