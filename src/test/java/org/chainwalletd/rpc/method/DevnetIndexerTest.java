package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Delegated methods with the development node and its indexer. */
class DevnetIndexerTest {
    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @AutoClose
    private IndexerRig rig;

    @Test
    void every_method_answers_over_a_live_chain() {
        rig = new IndexerRig(chain.uri(), Optional.empty(), chain.node().indexerUri());
        CallRig calls = rig.calls();
        Hash256 payment = chain.fund(Address.parse("77".repeat(32)), 1_000);
        Map<String, String> address = Map.of("address", "77".repeat(32));

        JsonNode history = calls.result("get_address_history", address).get("history");
        assertThat(history).hasSize(1);
        assertThat(history.at("/0/tx_id").textValue()).isEqualTo(payment.hex());
        assertThat(history.at("/0/direction").textValue()).isEqualTo("output");
        assertThat(calls.result("list_settlements", address).get("settlements")).isEmpty();
        assertThat(calls.result("contract_stats", address).get("stats")).isEmpty();
        assertThat(calls.result("get_attestation_edges", address).get("edges")).isEmpty();
        assertThat(calls.result("detect_in_chain_swaps", Map.of()).get("swaps")).isEmpty();
        Map<String, Object> output = Map.of("tx_id", payment.hex(), "output_index", 0);
        assertThat(calls.result("get_output_spent_by", output).toString())
                .isEqualTo("{\"spent\":false,\"source\":\"node\"}");
        assertThat(calls.result("get_output_datum", output).toString())
                .isEqualTo("{\"quote_id\":null,\"unhonorable\":false}");
        assertThat(calls.result("find_settlements_by_quote_id", Map.of("quote_id", "00".repeat(16)))
                        .get("settlements"))
                .isEmpty();
    }
}
