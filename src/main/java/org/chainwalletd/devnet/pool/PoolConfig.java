package org.chainwalletd.devnet.pool;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import org.chainwalletd.evm.EvmAddress;

/**
 * How a pool trades.
 *
 * @param bind where its REST interface listens; port 0: any free one
 * @param words names of the assets in the interface
 * @param evmRpc JSON-RPC of the account chain
 * @param contract the hash time lock on it
 * @param price whole native coins for one whole coin of the chain
 * @param feeBps of the output, hundredths of a percent
 * @param chainDepth blocks that a user's lock on the chain must have, its own block counted
 * @param evmDepth the same on the account chain
 * @param userBlocks how long a seller's lock on the chain lasts, in blocks from the quote
 * @param userSecs how long a buyer's lock in the contract lasts, in seconds from the quote
 * @param poolSecs how long the pool's lock in the contract lasts, in seconds from its making
 * @param poolBlocks how long the pool's lock on the chain lasts, in blocks from its making
 * @param interval how often it looks at both chains; zero: only when it is told to
 */
public record PoolConfig(
        InetSocketAddress bind,
        Words words,
        URI evmRpc,
        EvmAddress contract,
        BigDecimal price,
        int feeBps,
        long chainDepth,
        long evmDepth,
        long userBlocks,
        long userSecs,
        long poolSecs,
        long poolBlocks,
        Duration interval,
        InstantSource clock) {
    /** What the assets are called: the brand of the chain, of the account chain, and of its native asset. */
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
     * On a free port, one native coin for twenty of the chain's, 30 hundredths of a percent, one block on either side, and times that leave
     * the user's margins and the pool's own: a user's lock lasts eight hours, a pool's about four.
     */
    public static PoolConfig development(URI evmRpc, EvmAddress contract) {
        return new PoolConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Words.DEFAULT,
                evmRpc,
                contract,
                new BigDecimal("0.05"),
                30,
                1,
                1,
                2_880,
                28_800,
                14_400,
                1_440,
                Duration.ZERO,
                InstantSource.system());
    }

    public PoolConfig withInterval(Duration newInterval) {
        return new PoolConfig(
                bind,
                words,
                evmRpc,
                contract,
                price,
                feeBps,
                chainDepth,
                evmDepth,
                userBlocks,
                userSecs,
                poolSecs,
                poolBlocks,
                newInterval,
                clock);
    }

    public PoolConfig withClock(InstantSource newClock) {
        return new PoolConfig(
                bind,
                words,
                evmRpc,
                contract,
                price,
                feeBps,
                chainDepth,
                evmDepth,
                userBlocks,
                userSecs,
                poolSecs,
                poolBlocks,
                interval,
                newClock);
    }

    /** With other times for the locks, in the order and units of the components. */
    public PoolConfig withLocks(long newUserBlocks, long newUserSecs, long newPoolSecs, long newPoolBlocks) {
        return new PoolConfig(
                bind,
                words,
                evmRpc,
                contract,
                price,
                feeBps,
                chainDepth,
                evmDepth,
                newUserBlocks,
                newUserSecs,
                newPoolSecs,
                newPoolBlocks,
                interval,
                clock);
    }
}
