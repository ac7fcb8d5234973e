package org.chainwalletd.testkit.evm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/** JSON-RPC methods of one endpoint, over the common ledger. Errors are {@link EvmRefusal}. */
final class EvmRpc {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final BigInteger TIP = BigInteger.valueOf(1_000_000_000);
    private static final int MOST_BLOCKS_OF_FEES = 1_024;

    private final EvmLedger ledger;
    private final EvmDevAccounts accounts;
    private volatile int behind;

    EvmRpc(EvmLedger ledger, EvmDevAccounts accounts) {
        this.ledger = ledger;
        this.accounts = accounts;
    }

    /** Sets how many blocks this endpoint lags behind the chain. */
    void behind(int blocks) {
        behind = blocks;
    }

    JsonNode call(String method, JsonNode params) {
        return switch (method) {
            case "eth_chainId" -> text(EvmJson.hex(ledger.chainId()));
            case "net_version" -> text(ledger.chainId().toString());
            case "web3_clientVersion" -> text("testkit/v1");
            case "eth_blockNumber" -> text(EvmJson.hex(head().number()));
            case "eth_getBlockByNumber" ->
                block(find(params.get(0)), params.path(1).asBoolean());
            case "eth_getBlockByHash" ->
                block(ledger.block(EvmJson.hash(params.get(0))), params.path(1).asBoolean());
            case "eth_getTransactionCount" -> text(EvmJson.hex(nonce(EvmJson.address(params.get(0)), params.get(1))));
            case "eth_getBalance" ->
                text(EvmJson.hex(at(params.get(1)).world().balance(EvmJson.address(params.get(0)))));
            case "eth_getCode" -> text(EvmJson.hex(at(params.get(1)).world().code(EvmJson.address(params.get(0)))));
            case "eth_getStorageAt" -> storage(params);
            case "eth_call" -> eth(params.path(0), at(params.get(1)));
            case "eth_estimateGas" -> estimate(params.path(0), at(params.get(1)));
            case "eth_getLogs" -> logs(params.path(0));
            case "eth_feeHistory" -> fees(params);
            case "eth_gasPrice" -> text(EvmJson.hex(ledger.baseFee().add(TIP)));
            case "eth_maxPriorityFeePerGas" -> text(EvmJson.hex(TIP));
            case "eth_sendRawTransaction" ->
                text(EvmJson.hex(ledger.submit(EvmJson.bytes(params.get(0), "transaction"))));
            case "eth_getTransactionByHash" -> transaction(EvmJson.hash(params.get(0)));
            case "eth_getTransactionReceipt" -> receipt(EvmJson.hash(params.get(0)));
            default -> development(method, params);
        };
    }

    /** Executes methods that only development chains have. */
    private JsonNode development(String method, JsonNode params) {
        switch (method) {
            case "eth_accounts":
                ArrayNode addresses = NODES.arrayNode();
                accounts.addresses().forEach(address -> addresses.add(EvmJson.hex(address)));
                return addresses;
            case "eth_sendTransaction":
                return text(EvmJson.hex(accounts.send(ledger, params.path(0))));
            case "evm_mine":
                ledger.mine();
                return text("0x0");
            case "evm_setNextBlockTimestamp":
                ledger.nextTime(EvmJson.quantity(params.get(0)).longValueExact());
                return NODES.nullNode();
            default:
                throw new EvmRefusal(EvmRefusal.NO_METHOD, "Method not found");
        }
    }

    private EvmBlock head() {
        long number = Math.max(0, ledger.head().number() - behind);
        return ledger.block(number).orElseGet(ledger::head);
    }

    /** Returns the block of a parameter; empty if there is none. */
    private Optional<EvmBlock> find(JsonNode parameter) {
        String tag = parameter == null || parameter.isNull() ? "latest" : parameter.asText();
        return switch (tag) {
            case "latest" -> Optional.of(head());
            case "pending" -> Optional.of(behind > 0 ? head() : ledger.pending());
            case "safe" -> Optional.of(older(ledger.safe()));
            case "finalized" -> Optional.of(older(ledger.finalized()));
            case "earliest" -> ledger.block(0);
            default -> {
                BigInteger number = EvmJson.quantity(parameter);
                yield number.bitLength() > 62 || number.longValue() > head().number()
                        ? Optional.empty()
                        : ledger.block(number.longValue());
            }
        };
    }

    private EvmBlock older(EvmBlock block) {
        EvmBlock head = head();
        return block.number() > head.number() ? head : block;
    }

    /** Returns the block at which a call is executed (EIP-1898). */
    private EvmBlock at(JsonNode parameter) {
        if (parameter != null && parameter.isObject() && parameter.has("blockHash")) {
            EvmBlock block = ledger.block(EvmJson.hash(parameter.get("blockHash")))
                    .orElseThrow(() -> new EvmRefusal(EvmRefusal.NOT_FOUND, "Resource not found"));
            if (parameter.path("requireCanonical").asBoolean() && !ledger.isCanonical(block)) {
                throw new EvmRefusal(EvmRefusal.SERVER, "hash is not currently canonical");
            }
            return block;
        }
        JsonNode number = parameter != null && parameter.isObject() ? parameter.get("blockNumber") : parameter;
        return find(number)
                .orElseThrow(() -> new EvmRefusal(
                        EvmRefusal.BAD_PARAMS,
                        "BlockOutOfRangeError: block height is " + head().number() + " but requested was "
                                + EvmJson.quantity(number)));
    }

    private JsonNode block(Optional<EvmBlock> block, boolean whole) {
        return block.filter(found -> found.number() <= head().number() + 1)
                .<JsonNode>map(found -> EvmJson.block(found, ledger.chainId(), whole))
                .orElse(NODES.nullNode());
    }

    private long nonce(EvmAddress address, JsonNode parameter) {
        boolean pending = parameter != null && parameter.asText().equals("pending");
        return pending && behind == 0
                ? ledger.nextNonce(address)
                : at(parameter).world().nonce(address);
    }

    /** Returns zero: the only contract of this chain uses no slot that is queried by name. */
    private JsonNode storage(JsonNode params) {
        EvmJson.address(params.get(0));
        EvmJson.quantity(params.get(1));
        at(params.get(2));
        return text(EvmJson.hex(Hash256.ZERO));
    }

    private JsonNode eth(JsonNode call, EvmBlock block) {
        TimeLock.Outcome outcome = outcome(call, block);
        if (outcome instanceof TimeLock.Reverted reverted) {
            throw new EvmRefusal(reverted);
        }
        return text(EvmJson.hex(((TimeLock.Returned) outcome).data()));
    }

    private JsonNode estimate(JsonNode call, EvmBlock block) {
        TimeLock.Outcome outcome = outcome(call, block);
        if (outcome instanceof TimeLock.Reverted reverted) {
            throw new EvmRefusal(reverted);
        }
        Bytes data = data(call);
        return text(EvmJson.hex(EvmExecution.intrinsicGas(data, !has(call, "to")) + outcome.gas()));
    }

    private static TimeLock.Outcome outcome(JsonNode call, EvmBlock block) {
        EvmAddress from =
                has(call, "from") ? EvmJson.address(call.get("from")) : EvmAddress.of(new byte[EvmAddress.LENGTH]);
        Optional<EvmAddress> to = has(call, "to") ? Optional.of(EvmJson.address(call.get("to"))) : Optional.empty();
        BigInteger value = has(call, "value") ? EvmJson.quantity(call.get("value")) : BigInteger.ZERO;
        EvmAddress made = EvmExecution.contractAddress(from, block.world().nonce(from));
        return EvmExecution.call(block.world().copy(), from, to, made, value, data(call), block.time());
    }

    private static Bytes data(JsonNode call) {
        String name = has(call, "input") ? "input" : "data";
        return has(call, name) ? EvmJson.bytes(call.get(name), name) : Bytes.EMPTY;
    }

    private static boolean has(JsonNode call, String name) {
        return call.hasNonNull(name);
    }

    private JsonNode logs(JsonNode filter) {
        List<EvmBlock> blocks = new ArrayList<>();
        if (has(filter, "blockHash")) {
            blocks.add(ledger.block(EvmJson.hash(filter.get("blockHash")))
                    .orElseThrow(() -> new EvmRefusal(EvmRefusal.SERVER, "unknown block")));
        } else {
            EvmBlock from = at(filter.get("fromBlock"));
            EvmBlock to = find(filter.get("toBlock")).orElseGet(this::head);
            for (long number = from.number(); number <= to.number(); number++) {
                ledger.block(number).ifPresent(blocks::add);
            }
        }
        ArrayNode found = NODES.arrayNode();
        for (EvmBlock block : blocks) {
            for (EvmReceipt receipt : block.receipts()) {
                for (int i = 0; i < receipt.events().size(); i++) {
                    if (fits(receipt.events().get(i), filter)) {
                        found.add(EvmJson.log(receipt, i, block));
                    }
                }
            }
        }
        return found;
    }

    private static boolean fits(TimeLock.Event event, JsonNode filter) {
        if (has(filter, "address") && !names(filter.get("address"), EvmJson.hex(event.address()))) {
            return false;
        }
        JsonNode topics = filter.path("topics");
        for (int i = 0; i < topics.size(); i++) {
            boolean any = topics.get(i).isNull();
            if (!any
                    && (i >= event.topics().size()
                            || !names(topics.get(i), EvmJson.hex(event.topics().get(i))))) {
                return false;
            }
        }
        return true;
    }

    /** Whether {@code wanted} is the text, or an array that contains it. */
    private static boolean names(JsonNode wanted, String text) {
        if (wanted.isArray()) {
            for (JsonNode one : wanted) {
                if (one.asText().equalsIgnoreCase(text)) {
                    return true;
                }
            }
            return false;
        }
        return wanted.asText().equalsIgnoreCase(text);
    }

    private JsonNode fees(JsonNode params) {
        int count = EvmJson.quantity(params.get(0))
                .min(BigInteger.valueOf(MOST_BLOCKS_OF_FEES))
                .intValue();
        EvmBlock newest = at(params.get(1));
        long oldest = Math.max(0, newest.number() - count + 1);
        JsonNode percentiles = params.path(2);
        ObjectNode json = NODES.objectNode();
        ArrayNode base = json.putArray("baseFeePerGas");
        ArrayNode ratio = json.putArray("gasUsedRatio");
        ArrayNode blobBase = json.putArray("baseFeePerBlobGas");
        ArrayNode blobRatio = json.putArray("blobGasUsedRatio");
        json.put("oldestBlock", EvmJson.hex(oldest));
        ArrayNode reward = json.putArray("reward");
        for (long number = oldest; number <= newest.number(); number++) {
            EvmBlock block =
                    number == newest.number() ? newest : ledger.block(number).orElseThrow();
            base.add(EvmJson.hex(block.baseFee()));
            ratio.add((double) block.gasUsed() / EvmBlock.GAS_LIMIT);
            blobBase.add("0x1");
            blobRatio.add(0.0);
            if (!percentiles.isEmpty()) {
                reward.add(tips(block, percentiles));
            }
        }
        base.add(EvmJson.hex(ledger.baseFee()));
        blobBase.add("0x1");
        return json;
    }

    /** Computes percentiles by number of transactions, not weighted by gas. */
    private static ArrayNode tips(EvmBlock block, JsonNode percentiles) {
        List<BigInteger> tips = block.receipts().stream()
                .map(receipt -> receipt.gasPrice().subtract(block.baseFee()))
                .sorted()
                .toList();
        ArrayNode row = NODES.arrayNode();
        for (JsonNode percentile : percentiles) {
            int place = (int) Math.min(tips.size() - 1L, (long) (percentile.asDouble() * tips.size() / 100));
            row.add(EvmJson.hex(tips.isEmpty() ? BigInteger.ZERO : tips.get(place)));
        }
        return row;
    }

    private JsonNode transaction(Hash256 hash) {
        Optional<EvmBlock> block = ledger.including(hash, head().number());
        Optional<SignedTransaction> tx = block.flatMap(in -> EvmJson.receiptOf(in, hash))
                .map(EvmReceipt::tx)
                .or(() -> ledger.waiting(hash));
        return tx.<JsonNode>map(found -> EvmJson.transaction(found, ledger.chainId(), block))
                .orElse(NODES.nullNode());
    }

    private JsonNode receipt(Hash256 hash) {
        return ledger.including(hash, head().number())
                .<JsonNode>map(
                        block -> EvmJson.receipt(EvmJson.receiptOf(block, hash).orElseThrow(), block))
                .orElse(NODES.nullNode());
    }

    private static JsonNode text(String text) {
        return NODES.textNode(text);
    }
}
