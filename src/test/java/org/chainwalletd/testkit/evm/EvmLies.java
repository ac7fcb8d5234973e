package org.chainwalletd.testkit.evm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigInteger;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/** Falsifications of one endpoint's answers. All that are active apply to each answer, in the order in which they were added. */
public final class EvmLies {
    private static final Set<String> BLOCKS = Set.of("eth_getBlockByNumber", "eth_getBlockByHash");

    /** Makes a false answer from a true one; errors are not changed. */
    @FunctionalInterface
    public interface Lie {
        JsonNode tell(String method, JsonNode params, JsonNode truth);
    }

    private final List<Lie> told = new CopyOnWriteArrayList<>();

    EvmLies() {}

    public EvmLies tell(Lie lie) {
        told.add(lie);
        return this;
    }

    /** Removes all falsifications. */
    public void stop() {
        told.clear();
    }

    JsonNode answer(String method, JsonNode params, JsonNode truth) {
        JsonNode answer = truth;
        for (Lie lie : told) {
            answer = lie.tell(method, params, answer);
        }
        return answer;
    }

    /** Reports these terms for the hash lock, at every block. */
    public EvmLies swap(Hash256 hashLock, SwapContract.Swap terms) {
        String asked = EvmJson.hex(SwapContract.getSwap(hashLock));
        return instead(
                "eth_call",
                params -> asked.equals(params.path(0).path("data").asText())
                        || asked.equals(params.path(0).path("input").asText()),
                text(EvmJson.hex(TimeLock.terms(terms))));
    }

    /** Reports {@code nonce} sent transactions of the account, at every tag. */
    public EvmLies nonce(EvmAddress address, long nonce) {
        return instead("eth_getTransactionCount", about(address), text(EvmJson.hex(nonce)));
    }

    public EvmLies balance(EvmAddress address, BigInteger wei) {
        return instead("eth_getBalance", about(address), text(EvmJson.hex(wei)));
    }

    /** Reports this base fee in blocks. */
    public EvmLies baseFee(BigInteger wei) {
        return block(json -> json.put("baseFeePerGas", EvmJson.hex(wei)));
    }

    /** Reports this tip for transactions of recent blocks. */
    public EvmLies tip(BigInteger wei) {
        return tell((method, params, truth) -> {
            if (method.equals("eth_maxPriorityFeePerGas")) {
                return text(EvmJson.hex(wei));
            }
            if (!method.equals("eth_feeHistory")) {
                return truth;
            }
            ObjectNode lie = truth.deepCopy();
            lie.putArray("reward").addArray().add(EvmJson.hex(wei));
            return lie;
        });
    }

    /** Reports this height for the newest, the safe and the final block; their other members stay. */
    public EvmLies height(long number) {
        return tell((method, params, truth) -> method.equals("eth_getBlockByNumber")
                        && truth instanceof ObjectNode block
                        && !params.path(0).asText().startsWith("0x")
                ? block.deepCopy().put("number", EvmJson.hex(number))
                : truth);
    }

    public EvmLies code(EvmAddress address, Bytes code) {
        return instead("eth_getCode", about(address), text(EvmJson.hex(code)));
    }

    public EvmLies storage(EvmAddress address, Hash256 slot, Hash256 word) {
        Predicate<JsonNode> asked = params -> about(address).test(params)
                && EvmJson.quantity(params.get(1)).equals(new BigInteger(1, slot.toArray()));
        return instead("eth_getStorageAt", asked, text(EvmJson.hex(word)));
    }

    public EvmLies chainId(long id) {
        return instead("eth_chainId", params -> true, text(EvmJson.hex(id)));
    }

    /** Reports all block times this much later (earlier if negative) than they are. */
    public EvmLies time(long seconds) {
        return block(json -> json.put(
                "timestamp", EvmJson.hex(EvmJson.quantity(json.get("timestamp")).longValue() + seconds)));
    }

    /** Reports false block hashes. */
    public EvmLies blockHash() {
        return block(json -> json.put(
                "hash",
                EvmJson.hex(Hash256.sha256(EvmJson.hash(json.get("hash")).toArray()))));
    }

    /** Changes each reported block. */
    public EvmLies block(UnaryOperator<ObjectNode> change) {
        return tell((method, params, truth) ->
                BLOCKS.contains(method) && truth.isObject() ? change.apply(truth.deepCopy()) : truth);
    }

    /** Reports no log entries. */
    public EvmLies noLogs() {
        return instead("eth_getLogs", params -> true, JsonNodeFactory.instance.arrayNode());
    }

    /** Adds an entry, as {@code eth_getLogs} prints it, to every answer about logs. */
    public EvmLies moreLogs(ObjectNode entry) {
        return tell((method, params, truth) -> method.equals("eth_getLogs") && truth instanceof ArrayNode logs
                ? logs.deepCopy().add(entry)
                : truth);
    }

    /** Reports no receipts. */
    public EvmLies noReceipts() {
        return instead("eth_getTransactionReceipt", params -> true, JsonNodeFactory.instance.nullNode());
    }

    /** Reports another outcome of a mined transaction than the real one. */
    public EvmLies receipt(Hash256 hash, boolean succeeded) {
        return tell((method, params, truth) -> method.equals("eth_getTransactionReceipt")
                        && truth instanceof ObjectNode receipt
                        && receipt.path("transactionHash").asText().equals(EvmJson.hex(hash))
                ? receipt.deepCopy().put("status", succeeded ? "0x1" : "0x0")
                : truth);
    }

    private EvmLies instead(String asked, Predicate<JsonNode> about, JsonNode lie) {
        return tell((method, params, truth) -> method.equals(asked) && about.test(params) ? lie : truth);
    }

    private static Predicate<JsonNode> about(EvmAddress address) {
        return params -> EvmJson.hex(address).equalsIgnoreCase(params.path(0).asText());
    }

    private static JsonNode text(String text) {
        return TextNode.valueOf(text);
    }
}
