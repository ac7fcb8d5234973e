package org.chainwalletd.anvil;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.pool.Anvil;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.evm.EvmCaller;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tests' own chain answers in the shapes of a real one: the same members, of the same kinds, and the same gas. */
@Tag("long")
class ShapesIT {
    private static final Hash256 HASH = Hash256.sha256(new byte[32]);

    private Anvil anvil;
    private EvmDevnet own;
    private EvmCaller real;
    private EvmCaller ours;
    private String contract;

    @BeforeEach
    void start() throws IOException {
        anvil = RealAnvil.start(Duration.ZERO);
        own = EvmDevnet.start();
        real = new EvmCaller(anvil.uri());
        ours = new EvmCaller(own.uri());
        String deployer = real.call("eth_accounts").get(0).asText();
        String code;
        try (InputStream in = ShapesIT.class.getResourceAsStream("/org/chainwalletd/devnet/pool/HashTimeLock.json")) {
            code = new JsonMapper().readTree(in).get("bytecode").asText();
        }
        JsonNode deployed =
                real.call("eth_sendTransaction", Map.of("from", deployer, "data", "0x" + code, "gas", "0x100000"));
        real.call("evm_mine");
        contract = real.call("eth_getTransactionReceipt", deployed)
                .get("contractAddress")
                .asText();
    }

    @AfterEach
    void stop() {
        own.close();
        anvil.close();
    }

    @Test
    void accounts_contract_and_code_are_the_same() {
        assertThat(ours.call("eth_accounts")).isEqualTo(real.call("eth_accounts"));
        assertThat(own.contract().toString()).isEqualToIgnoringCase(contract);
        assertThat(ours.call("eth_getCode", contract, "latest"))
                .isEqualTo(real.call("eth_getCode", contract, "latest"));
        for (String method : List.of("eth_chainId", "net_version", "eth_blockNumber", "eth_maxPriorityFeePerGas")) {
            assertThat(ours.call(method)).as(method).isEqualTo(real.call(method));
        }
    }

    @Test
    void a_lock_looks_the_same_from_every_side() {
        JsonNode realLock = lock(real);
        JsonNode ownLock = lock(ours);
        assertSameShape("eth_getTransactionByHash", realLock, ownLock);
        real.call("evm_mine");
        ours.call("evm_mine");
        assertSameShape("eth_getTransactionByHash", realLock, ownLock);
        assertSameShape("eth_getTransactionReceipt", realLock, ownLock);
        assertThat(ours.call("eth_getTransactionReceipt", ownLock).get("gasUsed"))
                .isEqualTo(real.call("eth_getTransactionReceipt", realLock).get("gasUsed"));
        assertThat(ours.call("eth_getTransactionReceipt", ownLock).get("logsBloom"))
                .isEqualTo(real.call("eth_getTransactionReceipt", realLock).get("logsBloom"));
        for (Object tag : List.of("latest", "pending", "safe", "finalized", "earliest", "0x1")) {
            assertSameShape("eth_getBlockByNumber", tag, tag, false);
            assertSameShape("eth_getBlockByNumber", tag, tag, true);
            assertThat(ours.call("eth_getBlockByNumber", tag, false).get("number"))
                    .as("number of %s", tag)
                    .isEqualTo(real.call("eth_getBlockByNumber", tag, false).get("number"));
        }
        Map<String, Object> filter = Map.of("fromBlock", "0x0", "toBlock", "latest", "address", contract);
        assertSameShape("eth_getLogs", filter, filter);
        Map<String, String> call = Map.of("to", contract, "data", "0x" + SwapContract.getSwap(HASH));
        assertThat(ours.call("eth_call", call, "latest")).isEqualTo(real.call("eth_call", call, "latest"));
        assertSameShape("eth_feeHistory", "0x4", "0x4", "latest", List.of(10, 50));
        assertThat(ours.call("eth_getBlockByNumber", "0x99", false))
                .isEqualTo(real.call("eth_getBlockByNumber", "0x99", false));
    }

    @Test
    void refusals_have_the_same_codes_and_texts() {
        String from = real.call("eth_accounts").get(1).asText();
        Map<String, String> early = Map.of("from", from, "to", contract, "data", "0x" + SwapContract.refund(HASH));
        assertSameRefusal("eth_estimateGas", early);
        assertSameRefusal("eth_call", early, "latest");
        assertSameRefusal("eth_call", Map.of("to", contract, "data", "0xdeadbeef"), "latest");
        assertSameRefusal("eth_call", early, Map.of("blockHash", "0x" + "11".repeat(32)));
        assertSameRefusal("eth_call", early, "0x99");
        assertSameRefusal("eth_sendRawTransaction", "0x02");
        assertSameRefusal("eth_unknown");
        assertSameRefusal("eth_getLogs", Map.of("blockHash", "0x" + "11".repeat(32)));
    }

    private JsonNode lock(EvmCaller chain) {
        String from = chain.call("eth_accounts").get(1).asText();
        EvmAddress to = EvmAddress.parse(chain.call("eth_accounts").get(2).asText());
        return chain.call(
                "eth_sendTransaction",
                Map.of(
                        "from",
                        from,
                        "to",
                        contract,
                        "gas",
                        "0x30000",
                        "value",
                        "0x" + BigInteger.TEN.pow(18).toString(16),
                        "data",
                        "0x" + SwapContract.lock(HASH, to, 4_000_000_000L)));
    }

    private void assertSameRefusal(String method, Object... params) {
        EvmCaller.Refused wanted = catchThrowableOfType(EvmCaller.Refused.class, () -> real.call(method, params));
        assertThatThrownBy(() -> ours.call(method, params))
                .as(method)
                .isInstanceOf(EvmCaller.Refused.class)
                .hasFieldOrPropertyWithValue("code", wanted.code());
    }

    private void assertSameShape(String method, Object realFirst, Object ownFirst, Object... more) {
        Object[] realParams =
                Stream.concat(Stream.of(realFirst), Arrays.stream(more)).toArray();
        Object[] ownParams =
                Stream.concat(Stream.of(ownFirst), Arrays.stream(more)).toArray();
        assertThat(shape(ours.call(method, ownParams))).as(method).isEqualTo(shape(real.call(method, realParams)));
    }

    /** The tree with the kind of each leaf in its place; arrays by the kinds of elements they have. */
    private static Object shape(JsonNode node) {
        if (node.isObject()) {
            Map<String, Object> members = new TreeMap<>();
            node.properties().forEach(member -> members.put(member.getKey(), shape(member.getValue())));
            return members;
        }
        if (node.isArray()) {
            TreeSet<String> kinds = new TreeSet<>();
            node.forEach(each -> kinds.add(String.valueOf(shape(each))));
            return List.copyOf(kinds);
        }
        if (node.isTextual()) {
            String text = node.textValue();
            if (!text.startsWith("0x")) {
                return "text";
            }
            int length = text.length();
            // r and s are quantities of about a word.
            return length < 42 ? "quantity" : length > 56 && length <= 66 ? "word" : "data of " + length;
        }
        return node.getNodeType().toString();
    }
}
