package org.chainwalletd.account.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.chainwalletd.account.endpoints.Question.Size;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/**
 * Queries of the account chain. Answers are typed, bounded in size, checked for shape and against the query: a block queried by hash has that
 * hash, a receipt and a transaction have the queried hash, logs match the queried range, address and topics. Nothing else is verified; use
 * {@link AccountChain#agreed} for facts to rely on. Amounts and fees are in wei.
 *
 * <p>All methods block until the endpoint answers or the call times out; call them on a pool for blocking code. All throw {@link
 * AccountException}.
 */
public abstract class AccountReads {
    /** EIP-170 allows 24,576 bytes; some chains twice as many. */
    private static final int LONGEST_CODE = 65_536;

    private static final int LONGEST_RETURN = 4_096;
    private static final int FEE_BLOCKS = 10;
    private static final int MEDIAN = 50;

    /** Asks an endpoint that the subclass chooses. */
    abstract <T> T ask(Question<T> question);

    /** {@code eth_chainId}. */
    public BigInteger chainId() {
        return ask(new Question<>("eth_chainId", Question.noParams(), Size.SMALL, Quantities::number));
    }

    /** {@code eth_getBlockByHash}, {@code eth_getBlockByNumber}; empty when there is no such block, as for a tag that is not reached yet. */
    public Optional<AccountBlock> block(BlockRef at) {
        return ask(blockQuestion(at, false, Size.HEAD, result -> ChainAnswers.block(result, at)));
    }

    /**
     * Returns the transactions of a block whose recipient is {@code to}, in block order; empty if there is no such block. The hashes are not
     * verified.
     */
    public Optional<List<AccountTransaction>> transactionsTo(EvmAddress to, BlockRef at) {
        return ask(blockQuestion(at, true, Size.WIDE, result -> ChainAnswers.transactionsTo(to, result, at)));
    }

    private static <T> Question<T> blockQuestion(BlockRef at, boolean whole, Size size, Question.Reader<T> reader) {
        ArrayNode params = Question.noParams();
        if (at instanceof BlockRef.ByHash byHash) {
            return new Question<>(
                    "eth_getBlockByHash",
                    params.add(Quantities.text(byHash.hash())).add(whole),
                    size,
                    reader);
        }
        return new Question<>(
                "eth_getBlockByNumber", params.add(Question.where(at)).add(whole), size, reader);
    }

    /** {@code eth_getBalance}, in wei. */
    public BigInteger balance(EvmAddress address, BlockRef at) {
        return ask(new Question<>("eth_getBalance", Question.paramsOf(address, at), Size.SMALL, Quantities::number));
    }

    /** {@code eth_getCode}; empty bytes for an account without code. */
    public Bytes code(EvmAddress address, BlockRef at) {
        return ask(new Question<>(
                "eth_getCode",
                Question.paramsOf(address, at),
                Size.HEAD,
                result -> ChainAnswers.bytes(result, LONGEST_CODE)));
    }

    /** {@code eth_getStorageAt}: one word of 32 bytes; zero when nothing was written there. */
    public Hash256 storage(EvmAddress address, Hash256 slot, BlockRef at) {
        ArrayNode params = Question.noParams()
                .add(Quantities.text(address))
                .add(Quantities.text(slot))
                .add(Question.where(at));
        return ask(new Question<>("eth_getStorageAt", params, Size.SMALL, ChainAnswers::word));
    }

    /** {@code eth_getTransactionCount}: number of transactions of the address on the chain, which is its next nonce (u64). */
    public long transactionCount(EvmAddress address, BlockRef at) {
        return ask(new Question<>(
                "eth_getTransactionCount", Question.paramsOf(address, at), Size.SMALL, Quantities::count));
    }

    /** {@code eth_call} without a sender. Never with a secret in {@code data}: the endpoint sees it. */
    public Bytes call(EvmAddress to, Bytes data, BlockRef at) {
        return call(to, data, at, returned -> returned);
    }

    private <T> T call(EvmAddress to, Bytes data, BlockRef at, Function<Bytes, T> reader) {
        ArrayNode params = Question.noParams();
        params.addObject().put("to", Quantities.text(to)).put("data", Quantities.text(data));
        params.add(Question.where(at));
        return ask(new Question<>(
                "eth_call", params, Size.SMALL, result -> reader.apply(ChainAnswers.bytes(result, LONGEST_RETURN))));
    }

    /** {@code getSwap} of the swap contract; a state {@code NONE} for an unknown hash lock. */
    public SwapContract.Swap swap(EvmAddress contract, Hash256 hashLock, BlockRef at) {
        return call(contract, SwapContract.getSwap(hashLock), at, SwapContract::swap);
    }

    /** {@code eth_getLogs} over at most {@link LogQuery#MOST_BLOCKS} blocks, in the order of the chain. */
    public List<AccountLog> logs(LogQuery query) {
        ArrayNode params = Question.noParams();
        ObjectNode filter = params.addObject();
        filter.put("address", Quantities.text(query.address()));
        filter.put("fromBlock", Quantities.text(query.from()));
        filter.put("toBlock", Quantities.text(query.to()));
        ArrayNode topics = filter.putArray("topics");
        query.topics().forEach(topic -> topics.add(topic.map(Quantities::text).orElse(null)));
        return ask(new Question<>(
                "eth_getLogs", params, Size.WIDE, result -> List.copyOf(ChainAnswers.logs(result, query))));
    }

    /** {@code eth_getTransactionReceipt}; empty while it is in no block that the endpoint knows. */
    public Optional<AccountReceipt> receipt(Hash256 transaction) {
        return ask(new Question<>(
                "eth_getTransactionReceipt",
                Question.noParams().add(Quantities.text(transaction)),
                Size.HEAD,
                result -> ChainAnswers.receipt(result, transaction)));
    }

    /**
     * Median tip of recent blocks' transactions, in wei per gas and at least 1: from {@code eth_feeHistory}, or {@code eth_maxPriorityFeePerGas} if
     * that contains none. The base fee is in the block's header.
     */
    public BigInteger tip() {
        ArrayNode params = Question.noParams().add(Quantities.text(FEE_BLOCKS)).add(BlockRef.Tag.LATEST.word());
        params.addArray().add(MEDIAN);
        Question<Optional<BigInteger>> history =
                new Question<>("eth_feeHistory", params, Size.SMALL, ChainAnswers::medianTip);
        try {
            return ask(history).orElseGet(this::advisedTip);
        } catch (AccountException.Refused e) {
            return advisedTip();
        }
    }

    /** Returns the tip that the endpoint suggests, in wei per gas, for when recent blocks show none. */
    private BigInteger advisedTip() {
        BigInteger tip = GasPrice.USUAL_TIP;
        try {
            tip = ask(new Question<>("eth_maxPriorityFeePerGas", Question.noParams(), Size.SMALL, Quantities::number));
        } catch (AccountException e) {
            // Falls back to the usual tip when the endpoint suggests none.
        }
        return tip.max(BigInteger.ONE);
    }

    /** {@code eth_estimateGas}. Never with a secret in {@code data}: the endpoint sees it. */
    public long estimateGas(EvmAddress from, EvmAddress to, BigInteger value, Bytes data) {
        ArrayNode params = Question.noParams();
        params.addObject()
                .put("from", Quantities.text(from))
                .put("to", Quantities.text(to))
                .put("value", Quantities.text(value))
                .put("data", Quantities.text(data));
        return ask(new Question<>("eth_estimateGas", params, Size.SMALL, Quantities::count));
    }

    /**
     * Block header.
     *
     * @param timestamp Unix seconds
     * @param baseFee in wei per gas; empty on a chain without type 2 transactions
     */
    public record AccountBlock(
            long number, Hash256 hash, Hash256 parent, long timestamp, Optional<BigInteger> baseFee, long gasLimit) {}

    /**
     * Event log of a contract.
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

    /** Transaction of a block. */
    public record AccountTransaction(Hash256 hash, Bytes input) {}

    /**
     * Filter of event logs.
     *
     * @param topics by position, empty for any
     * @param from first block
     * @param to last block, included
     */
    public record LogQuery(EvmAddress address, List<Optional<Hash256>> topics, long from, long to) {
        /** Greatest range, in blocks, that public endpoints serve per call. */
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
     * @param effectiveGasPrice price paid, in wei per gas
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

    /** Reads the results of calls. All methods throw {@link IllegalArgumentException} for a result that does not answer the call. */
    static final class ChainAnswers {
        private static final int MOST_TOPICS = 4;
        private static final int WORD = 32;

        private ChainAnswers() {}

        static Optional<AccountBlock> block(JsonNode result, BlockRef asked) {
            if (result.isNull()) {
                return Optional.empty();
            }
            AccountBlock block = new AccountBlock(
                    Quantities.count(member(result, "number")),
                    Quantities.hash(member(result, "hash")),
                    Quantities.hash(member(result, "parentHash")),
                    Quantities.count(member(result, "timestamp")),
                    optional(result, "baseFeePerGas").map(Quantities::number),
                    Quantities.count(member(result, "gasLimit")));
            if (asked instanceof BlockRef.ByHash byHash && !block.hash().equals(byHash.hash())) {
                throw new IllegalArgumentException("another block than the one asked for");
            }
            if (asked instanceof BlockRef.ByNumber byNumber && block.number() != byNumber.number()) {
                throw new IllegalArgumentException("a block of another height");
            }
            return Optional.of(block);
        }

        static Optional<List<AccountTransaction>> transactionsTo(EvmAddress to, JsonNode result, BlockRef asked) {
            Optional<AccountBlock> block = block(result, asked);
            if (block.isEmpty()) {
                return Optional.empty();
            }
            List<AccountTransaction> found = new ArrayList<>();
            for (JsonNode item : array(member(result, "transactions"))) {
                // Other transactions may be of types with members unknown to this code.
                Optional<EvmAddress> recipient = optional(item, "to").map(Quantities::address);
                if (recipient.equals(Optional.of(to))) {
                    found.add(new AccountTransaction(
                            Quantities.hash(member(item, "hash")), Quantities.bytes(member(item, "input"))));
                }
            }
            return Optional.of(List.copyOf(found));
        }

        static Optional<AccountReceipt> receipt(JsonNode result, Hash256 asked) {
            if (result.isNull() || optional(result, "blockHash").isEmpty()) {
                return Optional.empty();
            }
            if (!Quantities.hash(member(result, "transactionHash")).equals(asked)) {
                throw new IllegalArgumentException("the receipt of another transaction");
            }
            long status = Quantities.count(member(result, "status"));
            if (status > 1) {
                throw new IllegalArgumentException("no status of a receipt: " + status);
            }
            return Optional.of(new AccountReceipt(
                    asked,
                    Quantities.count(member(result, "blockNumber")),
                    Quantities.hash(member(result, "blockHash")),
                    status == 1,
                    Quantities.count(member(result, "gasUsed")),
                    optional(result, "effectiveGasPrice")
                            .map(Quantities::number)
                            .orElse(BigInteger.ZERO),
                    logs(member(result, "logs"))));
        }

        static List<AccountLog> logs(JsonNode result, LogQuery asked) {
            List<AccountLog> logs = logs(result);
            for (AccountLog log : logs) {
                boolean inRange = log.blockNumber() >= asked.from() && log.blockNumber() <= asked.to();
                if (!inRange || !log.address().equals(asked.address()) || !fits(log.topics(), asked.topics())) {
                    throw new IllegalArgumentException("an event that was not asked for");
                }
            }
            return logs;
        }

        private static boolean fits(List<Hash256> topics, List<Optional<Hash256>> asked) {
            for (int i = 0; i < asked.size(); i++) {
                Optional<Hash256> wanted = asked.get(i);
                if (i >= topics.size() || wanted.isPresent() && !wanted.get().equals(topics.get(i))) {
                    return false;
                }
            }
            return true;
        }

        private static List<AccountLog> logs(JsonNode items) {
            List<AccountLog> logs = new ArrayList<>();
            for (JsonNode item : array(items)) {
                if (!item.path("removed").asBoolean(false)) {
                    logs.add(log(item));
                }
            }
            return logs;
        }

        private static AccountLog log(JsonNode item) {
            List<Hash256> topics = new ArrayList<>();
            for (JsonNode topic : array(member(item, "topics"))) {
                topics.add(Quantities.hash(topic));
            }
            if (topics.size() > MOST_TOPICS) {
                throw new IllegalArgumentException("an event with " + topics.size() + " topics");
            }
            return new AccountLog(
                    Quantities.address(member(item, "address")),
                    topics,
                    Quantities.bytes(member(item, "data")),
                    Quantities.count(member(item, "blockNumber")),
                    Quantities.hash(member(item, "blockHash")),
                    Quantities.hash(member(item, "transactionHash")),
                    Quantities.count(member(item, "logIndex")));
        }

        /** Reads a storage word; some endpoints omit its leading zeros. */
        static Hash256 word(JsonNode result) {
            byte[] number = Quantities.number(result).toByteArray();
            byte[] word = new byte[WORD];
            int length = Math.min(number.length, WORD);
            System.arraycopy(number, number.length - length, word, WORD - length, length);
            return Hash256.of(word);
        }

        /** Returns the median of the nonzero tips in an answer to {@code eth_feeHistory}, which has the median tip of each block. */
        static Optional<BigInteger> medianTip(JsonNode result) {
            List<BigInteger> tips = new ArrayList<>();
            optional(result, "reward")
                    .ifPresent(reward -> array(reward)
                            .forEach(ofBlock -> array(ofBlock).forEach(item -> tips.add(Quantities.number(item)))));
            tips.removeIf(tip -> tip.signum() == 0);
            return GasPrice.lowerMedian(tips);
        }

        private static JsonNode member(JsonNode object, String name) {
            JsonNode value = object.path(name);
            if (value.isMissingNode() || value.isNull()) {
                throw new IllegalArgumentException("no member " + name);
            }
            return value;
        }

        private static Optional<JsonNode> optional(JsonNode object, String name) {
            JsonNode value = object.path(name);
            return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(value);
        }

        private static JsonNode array(JsonNode value) {
            if (!value.isArray()) {
                throw new IllegalArgumentException("no array: " + Quantities.beginning(value));
            }
            return value;
        }

        /** Reads at most {@code longest} bytes. */
        static Bytes bytes(JsonNode result, int longest) {
            Bytes bytes = Quantities.bytes(result);
            if (bytes.length() > longest) {
                throw new IllegalArgumentException(bytes.length() + " bytes, at most " + longest);
            }
            return bytes;
        }
    }
}
