package org.chainwalletd.testkit.evm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/** Blocks, transactions, receipts and log entries as JSON, member by member as {@code anvil} 1.7.1 prints them. */
final class EvmJson {
    static final JsonMapper MAPPER = new JsonMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private EvmJson() {}

    static String hex(long number) {
        return "0x" + Long.toHexString(number);
    }

    static String hex(BigInteger number) {
        return "0x" + number.toString(16);
    }

    static String hex(Hash256 hash) {
        return "0x" + hash.hex();
    }

    static String hex(Bytes bytes) {
        return "0x" + HexFormat.of().formatHex(bytes.toArray());
    }

    static String hex(EvmAddress address) {
        return address.toString().toLowerCase(Locale.ROOT);
    }

    static ObjectNode block(EvmBlock block, BigInteger chainId, boolean whole) {
        ObjectNode json = NODES.objectNode()
                .put("hash", hex(block.hash()))
                .put("parentHash", hex(block.parent()))
                .put("sha3Uncles", hex(EvmBlock.NO_UNCLES))
                .put("miner", "0x" + "00".repeat(EvmAddress.LENGTH))
                .put("stateRoot", hex(block.stateRoot()))
                .put("transactionsRoot", hex(block.transactionsRoot()))
                .put("receiptsRoot", hex(block.receiptsRoot()))
                .put("logsBloom", hex(block.bloom()))
                .put("difficulty", "0x0")
                .put("number", hex(block.number()))
                .put("gasLimit", hex(EvmBlock.GAS_LIMIT))
                .put("gasUsed", hex(block.gasUsed()))
                .put("timestamp", hex(block.time()))
                .put("extraData", "0x")
                .put("mixHash", hex(block.mix()))
                .put("nonce", "0x0000000000000000")
                .put("baseFeePerGas", hex(block.baseFee()))
                .put("withdrawalsRoot", hex(EvmBlock.EMPTY_ROOT))
                .put("blobGasUsed", "0x0")
                .put("excessBlobGas", "0x0")
                .put("parentBeaconBlockRoot", hex(Hash256.ZERO))
                .put("requestsHash", hex(EvmBlock.NO_REQUESTS))
                .put("totalDifficulty", "0x0")
                .put("size", "0x267");
        json.putArray("uncles");
        ArrayNode transactions = json.putArray("transactions");
        for (EvmReceipt receipt : block.receipts()) {
            if (whole) {
                transactions.add(transaction(receipt.tx(), chainId, Optional.of(block)));
            } else {
                transactions.add(hex(receipt.tx().hash()));
            }
        }
        json.putArray("withdrawals");
        return json;
    }

    /** Returns a transaction as JSON; for one in the mempool, the three members about its block are null. */
    static ObjectNode transaction(SignedTransaction tx, BigInteger chainId, Optional<EvmBlock> block) {
        Optional<EvmReceipt> receipt = block.flatMap(in -> receiptOf(in, tx.hash()));
        ObjectNode json = NODES.objectNode()
                .put("type", "0x2")
                .put("chainId", hex(chainId))
                .put("nonce", hex(tx.nonce()))
                .put("gas", hex(tx.gas()))
                .put("maxFeePerGas", hex(tx.maxFee()))
                .put("maxPriorityFeePerGas", hex(tx.maxPriorityFee()))
                .put("to", tx.to().map(EvmJson::hex).orElse(null))
                .put("value", hex(tx.value()));
        json.putArray("accessList");
        json.put("input", hex(tx.data()))
                .put("r", hex(tx.r()))
                .put("s", hex(tx.s()))
                .put("yParity", hex(tx.yParity()))
                .put("v", hex(tx.yParity()))
                .put("hash", hex(tx.hash()))
                .put("blockHash", block.map(in -> hex(in.hash())).orElse(null))
                .put("blockNumber", block.map(in -> hex(in.number())).orElse(null))
                .put("transactionIndex", receipt.map(in -> hex(in.index())).orElse(null))
                .put("from", hex(tx.from()))
                .put("gasPrice", hex(receipt.map(EvmReceipt::gasPrice).orElse(tx.maxFee())));
        block.ifPresent(in -> json.put("blockTimestamp", hex(in.time())));
        return json;
    }

    static Optional<EvmReceipt> receiptOf(EvmBlock block, Hash256 hash) {
        return block.receipts().stream()
                .filter(receipt -> receipt.tx().hash().equals(hash))
                .findFirst();
    }

    static ObjectNode receipt(EvmReceipt receipt, EvmBlock block) {
        ObjectNode json = NODES.objectNode()
                .put("type", "0x2")
                .put("status", receipt.succeeded() ? "0x1" : "0x0")
                .put("cumulativeGasUsed", hex(receipt.cumulativeGas()));
        ArrayNode logs = json.putArray("logs");
        for (int i = 0; i < receipt.events().size(); i++) {
            logs.add(log(receipt, i, block));
        }
        return json.put("logsBloom", hex(receipt.bloom()))
                .put("transactionHash", hex(receipt.tx().hash()))
                .put("transactionIndex", hex(receipt.index()))
                .put("blockHash", hex(block.hash()))
                .put("blockNumber", hex(block.number()))
                .put("gasUsed", hex(receipt.gasUsed()))
                .put("effectiveGasPrice", hex(receipt.gasPrice()))
                .put("blobGasPrice", "0x1")
                .put("from", hex(receipt.tx().from()))
                .put("to", receipt.tx().to().map(EvmJson::hex).orElse(null))
                .put("contractAddress", receipt.made().map(EvmJson::hex).orElse(null))
                .put("blockTimestamp", block.time());
    }

    /** Returns log entry {@code index} of a receipt as JSON. */
    static ObjectNode log(EvmReceipt receipt, int index, EvmBlock block) {
        TimeLock.Event event = receipt.events().get(index);
        ObjectNode json = NODES.objectNode().put("address", hex(event.address()));
        ArrayNode topics = json.putArray("topics");
        event.topics().forEach(topic -> topics.add(hex(topic)));
        return json.put("data", hex(event.data()))
                .put("blockHash", hex(block.hash()))
                .put("blockNumber", hex(block.number()))
                .put("blockTimestamp", hex(block.time()))
                .put("transactionHash", hex(receipt.tx().hash()))
                .put("transactionIndex", hex(receipt.index()))
                .put("logIndex", hex(receipt.firstLog() + index))
                .put("removed", false);
    }

    static Bytes bytes(JsonNode node, String what) {
        String text = node == null ? null : node.textValue();
        if (text == null || !text.startsWith("0x")) {
            throw new EvmRefusal(EvmRefusal.BAD_PARAMS, "invalid " + what);
        }
        try {
            return Bytes.parse(text.substring(2));
        } catch (IllegalArgumentException e) {
            throw new EvmRefusal(EvmRefusal.BAD_PARAMS, "invalid " + what);
        }
    }

    static Hash256 hash(JsonNode node) {
        Bytes bytes = bytes(node, "hash");
        if (bytes.length() != Hash256.LENGTH) {
            throw new EvmRefusal(EvmRefusal.BAD_PARAMS, "invalid string length");
        }
        return Hash256.of(bytes.toArray());
    }

    static EvmAddress address(JsonNode node) {
        Bytes bytes = bytes(node, "address");
        if (bytes.length() != EvmAddress.LENGTH) {
            throw new EvmRefusal(EvmRefusal.BAD_PARAMS, "invalid string length");
        }
        return EvmAddress.of(bytes.toArray());
    }

    /** Parses a quantity: {@code 0x} and digits without leading zeros, or a JSON number. */
    static BigInteger quantity(JsonNode node) {
        if (node != null && node.isIntegralNumber()) {
            return node.bigIntegerValue();
        }
        String text = node == null ? null : node.textValue();
        if (text == null || !text.matches("0x[0-9a-fA-F]{1,64}")) {
            throw new EvmRefusal(EvmRefusal.BAD_PARAMS, "hex string without 0x prefix");
        }
        return new BigInteger(text.substring(2), 16);
    }
}
