package org.chainwalletd.devnet.pool;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import org.chainwalletd.evm.EvmAddress;

/**
 * Configuration of a pool.
 *
 * @param bind where its REST interface listens; port 0: any free port
 * @param words names of the assets in the interface
 * @param interval how often it looks at both chains; zero: only on request
 */
public record PoolConfig(
        InetSocketAddress bind,
        Words words,
        Account account,
        Price price,
        Depths depths,
        Locks locks,
        Duration interval,
        InstantSource clock) {
    /** Names of the assets: the brand of the chain, of the account chain, and of its native asset. */
    public record Words(String chain, String evm, String nativeAsset) {
        public static final Words DEFAULT = new Words("chain", "evm", "native");

        String sell() {
            return chain + "_to_" + nativeAsset;
        }

        String buy() {
            return nativeAsset + "_to_" + chain;
        }
    }

    /**
     * The account chain.
     *
     * @param rpc its JSON-RPC
     * @param contract the hash time lock on it
     */
    public record Account(URI rpc, EvmAddress contract) {}

    /**
     * @param mid whole native coins for one whole coin of the chain
     * @param feeBps of the output, hundredths of a percent
     */
    public record Price(BigDecimal mid, int feeBps) {}

    /** Blocks that a user's lock must have on either chain, its own block counted. */
    public record Depths(long chain, long evm) {}

    /**
     * Durations of locks.
     *
     * @param userBlocks a seller's on the chain, in blocks from the quote
     * @param userSecs a buyer's in the contract, in seconds from the quote
     * @param poolSecs the pool's in the contract, in seconds from its making
     * @param poolBlocks the pool's on the chain, in blocks from its making
     */
    public record Locks(long userBlocks, long userSecs, long poolSecs, long poolBlocks) {}

    /**
     * On a free port, one native coin for twenty of the chain's, 30 hundredths of a percent, one block on either side, and times that leave
     * the user's margins and the pool's own: a user's lock lasts eight hours, a pool's about four.
     */
    public static PoolConfig development(URI evmRpc, EvmAddress contract) {
        return new PoolConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Words.DEFAULT,
                new Account(evmRpc, contract),
                new Price(new BigDecimal("0.05"), 30),
                new Depths(1, 1),
                new Locks(2_880, 28_800, 14_400, 1_440),
                Duration.ZERO,
                InstantSource.system());
    }

    public PoolConfig withInterval(Duration newInterval) {
        return new PoolConfig(bind, words, account, price, depths, locks, newInterval, clock);
    }

    public PoolConfig withClock(InstantSource newClock) {
        return new PoolConfig(bind, words, account, price, depths, locks, interval, newClock);
    }

    /** Returns this configuration with other durations of locks, in the order and units of {@link Locks}. */
    public PoolConfig withLocks(long userBlocks, long userSecs, long poolSecs, long poolBlocks) {
        Locks others = new Locks(userBlocks, userSecs, poolSecs, poolBlocks);
        return new PoolConfig(bind, words, account, price, depths, others, interval, clock);
    }
}
