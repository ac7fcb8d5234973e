package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import org.chainwalletd.chain.Hash256;

/**
 * What became of a transaction in a block.
 *
 * @param succeeded false: it was reverted, and only its fee was paid
 * @param effectiveGasPrice wei per gas that was paid
 */
public record AccountReceipt(
        Hash256 transaction,
        long blockNumber,
        Hash256 blockHash,
        boolean succeeded,
        long gasUsed,
        BigInteger effectiveGasPrice,
        List<AccountLog> logs) {
    public AccountReceipt {
        logs = List.copyOf(logs);
    }
}
