package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code get_transaction} and blocks with answers recorded from a running node (fixtures/node-rpc.json). */
class RecordedTransactionsTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String LOCK = "08870f6ec64219131fcfa9a0d482cbefc8e60809d1568f4cc21855d28f2c37cf";
    private static final String CLAIM = "724d554f7e6231ac43b706bb421e11bafbcaf580c27b99f72063fb13c0b00d03";
    private static final String PAYMENT = "9b7cd4fa19cc7332bc323f473cb6c09d71a00db8490598a7a243aad1a670f8ab";

    @TempDir
    private Path datadir;

    private final List<JsonNode> exchanges = new ArrayList<>();
    private final Map<String, String> transactions = new HashMap<>();
    private final ScriptedNode node = ScriptedNode.start();
    private ReadRig rig;

    @BeforeEach
    void start() throws IOException {
        try (InputStream in = getClass().getResourceAsStream("/fixtures/node-rpc.json")) {
            for (JsonNode exchange : JSON.readTree(in).get("exchanges")) {
                exchanges.add(exchange);
                if (exchange.get("method").textValue().equals("get_transaction")
                        && exchange.at("/answer").has("result")) {
                    transactions.put(
                            exchange.at("/params/hash").textValue(),
                            exchange.at("/answer/result").toString());
                }
            }
        }
        node.on("get_transaction", (request, socket) -> {
            String known = transactions.get(request.params().get("hash").textValue());
            ScriptedNode.Step step =
                    known == null ? ScriptedNode.error(-32602, "Transaction not found") : ScriptedNode.result(known);
            step.serve(request, socket);
        });
        String hash = "ab".repeat(32);
        node.on(
                "get_block_height",
                ScriptedNode.result(
                        "{\"height\":5,\"block_id\":\"" + hash + "\",\"genesis_block_id\":\"" + hash + "\"}"));
        rig = new ReadRig(Optional.empty(), datadir, node.url());
    }

    @AfterEach
    void stop() {
        rig.close();
        node.close();
    }

    private JsonNode view(String txId) {
        return rig.result("get_transaction", "{\"tx_id\":\"" + txId + "\"}");
    }

    @Test
    void an_htlc_claim_shows_the_spent_script_and_its_witness_as_hex() {
        JsonNode input = view(CLAIM).at("/inputs/0");

        assertThat(input.get("prev_tx_id").textValue()).isEqualTo(LOCK);
        assertThat(input.has("address")).isFalse();
        assertThat(input.get("script_hex").textValue()).hasSize(770);
        assertThat(input.at("/witness/witness_hex").textValue()).isNotEmpty();
        assertThat(input.get("witness").has("pubkey")).isFalse();
        assertThat(view(CLAIM).get("fee").longValue()).isPositive();
    }

    @Test
    void an_htlc_output_shows_its_script_and_no_address() {
        JsonNode output = view(LOCK).at("/outputs/0");

        assertThat(output.has("address")).isFalse();
        assertThat(output.get("script_hex").textValue()).hasSize(770);
    }

    @Test
    void a_datum_is_shown_in_hex() {
        assertThat(view(PAYMENT).at("/outputs/0/datum").textValue()).isEqualTo("696e766f6963652d3137");
        assertThat(view(PAYMENT).at("/outputs/1").has("datum")).isFalse();
    }

    @Test
    void an_input_whose_parent_is_unknown_keeps_the_address_of_its_key() {
        JsonNode view = view(PAYMENT);

        assertThat(view.at("/inputs/0/address").textValue()).hasSize(64);
        assertThat(view.at("/inputs/0").has("value")).isFalse();
        assertThat(view.has("total_in")).isFalse();
        assertThat(view.has("fee")).isFalse();
        assertThat(view.has("total_out")).isTrue();
    }

    @Test
    void a_block_whose_header_has_another_id_is_refused() {
        List<JsonNode> blocks = exchanges.stream()
                .filter(exchange -> exchange.get("method").textValue().equals("get_block"))
                .map(exchange -> exchange.at("/answer/result"))
                .filter(JsonNode::isObject)
                .toList();
        assertThat(blocks).hasSizeGreaterThan(1);
        for (JsonNode block : blocks) {
            String byHeight = "{\"height\":" + block.get("height") + "}";
            String byId = "{\"block_id\":" + block.get("hash") + "}";
            node.on("get_block", ScriptedNode.result(block.toString()));
            assertThat(rig.result("get_block_by_height", byHeight).get("block_id"))
                    .isEqualTo(block.get("hash"));
            assertThat(rig.result("get_block_by_id", byId).get("tx_root")).isEqualTo(block.get("tx_root"));

            for (String member : List.of("hash", "prev_block_id", "state_root", "tx_root", "difficulty_target")) {
                node.on("get_block", changed(block, member, "33".repeat(32)));
                assertThat(rig.error("get_block_by_height", byHeight)).startsWith("-32020 ");
                assertThat(rig.error("get_block_by_id", byId)).startsWith("-32020 ");
            }
            for (String member : List.of("timestamp", "nonce", "height")) {
                node.on("get_block", changed(block, member, 7));
                assertThat(rig.error("get_block_by_id", byId)).startsWith("-32020 ");
            }
        }
    }

    private static ScriptedNode.Step changed(JsonNode block, String member, Object value) {
        ObjectNode other = block.deepCopy();
        return ScriptedNode.result(other.putPOJO(member, value).toString());
    }

    @Test
    void bytes_of_another_transaction_are_refused() {
        transactions.put(PAYMENT, transactions.get(LOCK).replace(LOCK, PAYMENT));

        assertThat(rig.error("get_transaction", "{\"tx_id\":\"" + PAYMENT + "\"}"))
                .isEqualTo("-32020 node answered get_transaction with bytes of another transaction");
    }

    @Test
    void bytes_that_are_no_transaction_are_refused() {
        transactions.put(PAYMENT, "{\"in_mempool\":true,\"tx_hex\":\"0100\"}");

        assertThat(rig.error("get_transaction", "{\"tx_id\":\"" + PAYMENT + "\"}"))
                .startsWith("-32020 node answered get_transaction with bytes that are no transaction");
    }

    @Test
    void a_parent_that_lies_leaves_its_input_unresolved() {
        transactions.put(LOCK, transactions.get(PAYMENT).replace(PAYMENT, LOCK));

        assertThat(view(CLAIM).at("/inputs/0").has("value")).isFalse();
        assertThat(view(CLAIM).has("fee")).isFalse();
    }
}
