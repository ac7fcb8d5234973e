package org.chainwalletd.account.endpoints;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/**
 * Questions to the account chain. Answers are typed, bounded in size and checked for shape, and for what the question itself says: a block
 * asked for by hash has that hash, a receipt and a transaction are of the hash that was asked for, logs lie in the range and carry the
 * address and topics asked for. Nothing else in them is proven: who needs truth asks {@link AccountChain#agreed}. Amounts and fees are in
 * wei.
 *
 * <p>Each blocks until the endpoint has answered, or the time of a call is over; for threads of a pool that was made for such code. All throw
 * {@link AccountException}.
 */
public interface AccountReads {
    /** {@code eth_chainId}. */
    BigInteger chainId();

    /** {@code eth_getBlockByHash}, {@code eth_getBlockByNumber}; empty when there is no such block, as for a tag that is not reached yet. */
    Optional<AccountBlock> block(BlockRef at);

    /**
     * The transactions of a block that go to {@code to} directly, in their order; empty when there is no such block. The hash of each is the
     * endpoint's word.
     */
    Optional<List<AccountTransaction>> transactionsTo(EvmAddress to, BlockRef at);

    /** {@code eth_getBalance}, in wei. */
    BigInteger balance(EvmAddress address, BlockRef at);

    /** {@code eth_getCode}; empty bytes for an account without code. */
    Bytes code(EvmAddress address, BlockRef at);

    /** {@code eth_getStorageAt}: one word of 32 bytes; zero when nothing was written there. */
    Hash256 storage(EvmAddress address, Hash256 slot, BlockRef at);

    /** {@code eth_getTransactionCount}: how many transactions of the address the chain has, which is its next nonce (u64). */
    long transactionCount(EvmAddress address, BlockRef at);

    /** {@code eth_call} without a sender. Never with a secret in {@code data}: the endpoint sees it. */
    Bytes call(EvmAddress to, Bytes data, BlockRef at);

    /** {@code getSwap} of the swap contract; a state {@code NONE} for an unknown hash lock. */
    SwapContract.Swap swap(EvmAddress contract, Hash256 hashLock, BlockRef at);

    /** {@code eth_getLogs} over at most {@link LogQuery#MOST_BLOCKS} blocks, in the order of the chain. */
    List<AccountLog> logs(LogQuery query);

    /** {@code eth_getTransactionReceipt}; empty while it is in no block that the endpoint knows. */
    Optional<AccountReceipt> receipt(Hash256 transaction);

    /**
     * Tip of recent blocks' transactions, their median, in wei per gas and at least 1: {@code eth_feeHistory}, or where that shows none {@code
     * eth_maxPriorityFeePerGas}. The base fee is in the block's header.
     */
    BigInteger tip();

    /** {@code eth_estimateGas}. Never with a secret in {@code data}: the endpoint sees it. */
    long estimateGas(EvmAddress from, EvmAddress to, BigInteger value, Bytes data);

    /**
     * Head of a block.
     *
     * @param timestamp Unix seconds
     * @param baseFee in wei per gas; empty on a chain that does not know transactions of type 2
     */
    record AccountBlock(
            long number, Hash256 hash, Hash256 parent, long timestamp, Optional<BigInteger> baseFee, long gasLimit) {}

    /**
     * An event that a contract left.
     *
     * @param topics up to four words of 32 bytes, the event's signature first
     * @param index of the event in its block
     */
    record AccountLog(
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

    /** Transaction of a block. */
    record AccountTransaction(Hash256 hash, Bytes input) {}

    /**
     * Which events are wanted.
     *
     * @param topics by position, empty for any
     * @param from first block
     * @param to last block, included
     */
    record LogQuery(EvmAddress address, List<Optional<Hash256>> topics, long from, long to) {
        /** Most blocks that public endpoints serve at a time. */
        public static final long MOST_BLOCKS = 1_000;

        public LogQuery {
            topics = List.copyOf(topics);
            if (from < 0 || to < from || to - from >= MOST_BLOCKS) {
                throw new IllegalArgumentException(
                        "a range of 1 to " + MOST_BLOCKS + " blocks, not from " + from + " to " + to);
            }
        }
    }

    /**
     * Receipt: outcome of a transaction in a block.
     *
     * @param succeeded false: it was reverted, and only its fee was paid
     * @param effectiveGasPrice wei per gas that was paid
     */
    record AccountReceipt(
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
}
