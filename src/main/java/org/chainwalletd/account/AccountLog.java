package org.chainwalletd.account;

import java.util.List;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * An event that a contract left.
 *
 * @param topics up to four words of 32 bytes, the event's signature first
 * @param index of the event in its block
 */
public record AccountLog(
        EvmAddress address,
        List<Hash256> topics,
        Bytes data,
        long blockNumber,
        Hash256 blockHash,
        Hash256 transaction,
        long index) {
    public AccountLog {
        topics = List.copyOf(topics);
    }
}
