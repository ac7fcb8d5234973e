package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.pool.Direction;

/**
 * Binding terms of a swap, immutable. The hash lock is SHA-256 of a secret of 32 bytes that only we know.
 *
 * @param given as requested
 * @param received as the pool wrote it
 * @param account chain and contract of the account leg
 * @param timeout of our own lock, unsigned: a height in a sell, Unix seconds in a buy
 * @param depth of the lock on the chain, ours in a sell and the pool's in a buy, in blocks
 */
public record SwapTerms(
        Direction direction,
        Hash256 hashLock,
        Sum given,
        Sum received,
        AccountLeg account,
        Ours ours,
        Theirs theirs,
        long timeout,
        long depth,
        Offer offer) {

    /**
     * Amount of either chain's coin.
     *
     * @param decimal in whole coins; equal to {@code units}
     */
    public record Sum(String decimal, BigInteger units) {}

    /** @param chainId empty in rows of releases that did not store it, which means the configured chain */
    public record AccountLeg(Optional<BigInteger> chainId, EvmAddress contract) {
        public AccountLeg(BigInteger chainId, EvmAddress contract) {
            this(Optional.of(chainId), contract);
        }

        public boolean isOn(BigInteger configured) {
            return chainId.isEmpty() || chainId.get().equals(configured);
        }
    }

    /**
     * Our keys, on both chains.
     *
     * @param address of {@code key}
     */
    public record Ours(Address address, PublicKey key, EvmAddress evm) {}

    /**
     * Recipient that may claim our lock.
     *
     * @param key of the pool on the chain, in a sell; empty in a buy
     * @param evm address of the pool on the account chain, in a buy; empty in a sell
     */
    public record Theirs(Optional<PublicKey> key, Optional<EvmAddress> evm) {
        public static Theirs onTheChain(PublicKey key) {
            return new Theirs(Optional.of(key), Optional.empty());
        }

        public static Theirs inTheContract(EvmAddress evm) {
            return new Theirs(Optional.empty(), Optional.of(evm));
        }
    }

    /**
     * Expiry of the quote and the pool's fees.
     *
     * @param expiresAt Unix seconds; nothing is locked from then on
     */
    public record Offer(long expiresAt, long feeBps, Optional<String> networkFeeNative) {}
}
