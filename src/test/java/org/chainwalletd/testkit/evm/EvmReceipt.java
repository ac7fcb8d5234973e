package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.evm.EvmAddress;

/**
 * Outcome of a transaction in its block.
 *
 * @param index position in the block
 * @param cumulativeGas gas of this and all earlier transactions of the block
 * @param firstLog number of log entries before its first one in the block
 * @param made the contract that it created
 */
public record EvmReceipt(
        SignedTransaction tx,
        int index,
        boolean succeeded,
        long gasUsed,
        long cumulativeGas,
        BigInteger gasPrice,
        int firstLog,
        List<TimeLock.Event> events,
        Optional<EvmAddress> made) {
    Bytes bloom() {
        byte[] bloom = new byte[256];
        for (TimeLock.Event event : events) {
            mark(bloom, event.address().toArray());
            for (Hash256 topic : event.topics()) {
                mark(bloom, topic.toArray());
            }
        }
        return Bytes.wrap(bloom);
    }

    private static void mark(byte[] bloom, byte[] content) {
        byte[] hash = Keccak256.of(content);
        for (int i = 0; i < 6; i += 2) {
            int bit = ((hash[i] & 0xff) << 8 | hash[i + 1] & 0xff) & 2047;
            bloom[bloom.length - 1 - bit / 8] |= (byte) (1 << bit % 8);
        }
    }
}
