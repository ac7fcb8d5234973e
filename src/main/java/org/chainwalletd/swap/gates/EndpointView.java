package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;

/**
 * What one endpoint of the account chain says of a hash lock, all of it asked at one moment. Times are Unix seconds.
 *
 * @param settledBlock hash of the newest block of the demanded finality
 * @param settledNumber its height
 * @param codeHash of the contract at that block
 * @param settled the slot at that block, asked by its hash (EIP-1898)
 * @param latest the slot at the newest block
 * @param latestTime of the newest block
 * @param lockedAt time of the block that has the pool's lock, {@link #NEVER} when the endpoint shows none
 */
public record EndpointView(
        BigInteger chainId,
        Hash256 settledBlock,
        long settledNumber,
        Hash256 codeHash,
        SwapContract.Swap settled,
        SwapContract.Swap latest,
        long latestTime,
        long lockedAt) {

    /** Later than any window. */
    public static final long NEVER = Long.MAX_VALUE;

    /** What endpoints that do not lie say alike. */
    record Story(
            BigInteger chainId, Hash256 block, long number, Hash256 codeHash, SwapContract.Swap slot, long lockedAt) {}

    Story story() {
        return new Story(chainId, settledBlock, settledNumber, codeHash, settled, lockedAt);
    }

    public EndpointView withLockAt(long time) {
        return new EndpointView(chainId, settledBlock, settledNumber, codeHash, settled, latest, latestTime, time);
    }
}
