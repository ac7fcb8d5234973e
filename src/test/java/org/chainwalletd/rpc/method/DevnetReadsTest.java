package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** interface.md, sections 2 and 4.5, with the development node. */
class DevnetReadsTest {
    private static final String NOBODY = "77".repeat(32);
    private static final Address ALICE = Address.parse("a1".repeat(32));
    private static final Address BOB = Address.parse("b0".repeat(32));

    @TempDir
    private Path datadir;

    private Devnet devnet;
    private ReadRig rig;

    @BeforeEach
    void start() throws IOException {
        devnet = Devnet.start(DevnetConfig.onDemand(ReadRig.PROFILE));
        rig = new ReadRig(Optional.empty(), datadir, devnet.uri());
    }

    @AfterEach
    void stop() {
        rig.close();
        if (devnet != null) {
            devnet.close();
        }
    }

    private void loseDevnet() {
        devnet.close();
        devnet = null;
    }

    private static List<String> members(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static String of(Address address) {
        return "{\"address\":\"" + address + "\"}";
    }

    @Test
    void ping_answers_ok() {
        assertThat(rig.result("ping", "{}").toString()).isEqualTo("{\"ok\":true}");
    }

    @Test
    void validate_address_normalises_and_never_refuses_a_text() {
        assertThat(rig.result("validate_address", "{\"address\":\"" + "aB".repeat(32) + "\"}")
                        .toString())
                .isEqualTo("{\"valid\":true,\"normalized\":\"" + "ab".repeat(32) + "\"}");
        for (String text : List.of("", "zz".repeat(32), "ab", "0x" + "ab".repeat(31), " " + "ab".repeat(32))) {
            assertThat(rig.result("validate_address", "{\"address\":\"" + text + "\"}")
                            .toString())
                    .isEqualTo("{\"valid\":false,\"normalized\":null}");
        }
        assertThat(rig.error("validate_address", "{\"address\":5}")).startsWith("-32602");
    }

    @Test
    void status_tells_version_tip_nodes_and_counts() {
        Await.until(
                "the node is described", () -> rig.nodes.seen().get().network().isPresent());
        rig.keys.add(key(ALICE));

        JsonNode status = rig.result("get_status", "{}");

        assertThat(members(status))
                .containsExactlyInAnyOrder(
                        "version",
                        "tip",
                        "upstream_ok",
                        "upstream_nodes",
                        "wallet_count",
                        "in_flight_utxos",
                        "in_flight_transfers",
                        "network",
                        "genesis_block_id");
        assertThat(status.get("version").textValue()).isEqualTo("9.9.9");
        assertThat(status.at("/tip/height").longValue()).isEqualTo(devnet.tip().height());
        assertThat(status.at("/tip/block_id").textValue())
                .isEqualTo(devnet.tip().id().hex());
        assertThat(status.get("upstream_ok").booleanValue()).isTrue();
        assertThat(status.get("upstream_nodes").toString()).isEqualTo("[\"" + devnet.uri() + "\"]");
        assertThat(status.get("wallet_count").intValue()).isEqualTo(1);
        assertThat(status.get("in_flight_utxos").intValue()).isEqualTo(3);
        assertThat(status.get("in_flight_transfers").intValue()).isEqualTo(2);
        assertThat(status.get("network").textValue()).isEqualTo("devnet");
        assertThat(status.get("genesis_block_id").textValue())
                .isEqualTo(devnet.genesisId().hex());
    }

    @Test
    void status_succeeds_with_null_tip_when_no_node_answers() {
        loseDevnet();

        JsonNode status = rig.result("get_status", "{}");

        assertThat(status.get("tip").toString()).isEqualTo("{\"block_id\":null,\"height\":null}");
        assertThat(status.get("upstream_ok").booleanValue()).isFalse();
    }

    @Test
    void status_says_that_the_chain_is_wrong() {
        try (ReadRig other = new ReadRig(Optional.of(Hash256.parse("ee".repeat(32))), datadir, devnet.uri())) {
            Await.until(
                    "the node is known", () -> other.nodes.chain().complaint().isPresent());

            JsonNode status = other.result("get_status", "{}");

            assertThat(status.get("upstream_ok").booleanValue()).isFalse();
            assertThat(status.get("complaint").textValue())
                    .contains(devnet.genesisId().hex());
            assertThat(status.get("genesis_block_id").textValue()).isEqualTo("ee".repeat(32));
        }
    }

    @Test
    void balance_and_listing_count_confirmed_outputs_only() {
        devnet.faucet(ALICE, Amount.of(70_000));
        assertThat(rig.result("get_balance", of(ALICE)).toString())
                .isEqualTo("{\"address\":\"" + ALICE + "\",\"balance\":0}");
        devnet.mine(1);

        assertThat(rig.result("get_balance", "{\"address\":\"" + ALICE.hex().toUpperCase(Locale.ROOT) + "\"}")
                        .toString())
                .isEqualTo("{\"address\":\"" + ALICE + "\",\"balance\":70000}");
        JsonNode listing = rig.result("get_address_utxos", of(ALICE));
        assertThat(members(listing))
                .containsExactlyInAnyOrder("address", "script_hex", "tip_height", "truncated", "utxos");
        assertThat(listing.get("script_hex").isNull()).isTrue();
        assertThat(members(listing.at("/utxos/0")))
                .containsExactlyInAnyOrder("tx_id", "output_index", "value", "height", "is_coinbase");
        JsonNode byScript = rig.result("get_script_utxos", "{\"script_hex\":\"" + ALICE + "\"}");
        assertThat(byScript.get("address").isNull()).isTrue();
        assertThat(byScript.get("script_hex").textValue()).isEqualTo(ALICE.hex());
        assertThat(byScript.at("/utxos/0/value").longValue()).isEqualTo(70_000);
    }

    @Test
    void blocks_carry_their_id_under_both_names() {
        JsonNode byHeight = rig.result("get_block_by_height", "{\"height\":3}");
        String id = byHeight.get("block_id").textValue();

        assertThat(members(byHeight))
                .containsExactlyInAnyOrder(
                        "block_id",
                        "hash",
                        "height",
                        "prev_block_id",
                        "state_root",
                        "tx_root",
                        "timestamp",
                        "nonce",
                        "difficulty_target",
                        "tx_count",
                        "transactions");
        assertThat(byHeight.get("hash")).isEqualTo(byHeight.get("block_id"));
        assertThat(rig.result("get_block_by_id", "{\"block_id\":\"" + id + "\"}"))
                .isEqualTo(byHeight);
        assertThat(rig.result("get_block", "{\"height\":3}")).isEqualTo(byHeight);
        assertThat(rig.result("get_block", "{\"hash\":\"" + id + "\"}")).isEqualTo(byHeight);
        assertThat(rig.result("get_block_id_at_height", "{\"height\":3}").toString())
                .isEqualTo("{\"height\":3,\"block_id\":\"" + id + "\"}");
        assertThat(rig.error("get_block", "{}")).isEqualTo("-32602 give either `hash` or `height`");
    }

    @Test
    void block_height_carries_the_genesis_id() {
        assertThat(rig.result("get_block_height", "{}").toString())
                .isEqualTo("{\"height\":" + devnet.tip().height() + ",\"block_id\":\""
                        + devnet.tip().id() + "\",\"genesis_block_id\":\"" + devnet.genesisId() + "\"}");
    }

    @Test
    void what_the_node_does_not_know_keeps_the_code_and_words_of_the_node() {
        assertThat(rig.error("get_block_by_height", "{\"height\":18446744073709551615}"))
                .isEqualTo("-32020 node error -32602: No block at height 18446744073709551615");
        assertThat(rig.error("get_block_by_id", "{\"block_id\":\"" + NOBODY + "\"}"))
                .isEqualTo("-32020 node error -32602: Block not found");
        assertThat(rig.error("get_transaction", "{\"tx_id\":\"" + NOBODY + "\"}"))
                .isEqualTo("-32020 node error -32602: Transaction not found");
    }

    @Test
    void a_node_that_is_gone_is_an_upstream_error_that_names_it() {
        String url = devnet.uri().toString();
        loseDevnet();

        assertThat(rig.error("get_balance", of(ALICE)))
                .startsWith("-32020 no node answered get_balance in 2 sweeps; the last one tried was " + url);
    }

    @Test
    void a_transaction_is_shown_with_resolved_inputs_pending_and_confirmed() {
        Hash256 txId = devnet.faucet(ALICE, Amount.of(70_000));

        JsonNode pending = rig.result("get_transaction", "{\"hash\":\"" + txId + "\"}");
        assertThat(pending.get("in_mempool").booleanValue()).isTrue();
        assertThat(pending.get("block_id").isNull()).isTrue();
        assertThat(pending.get("block_height").isNull()).isTrue();
        devnet.mine(1);
        JsonNode confirmed = rig.result("get_transaction", "{\"tx_id\":\"" + txId + "\"}");

        assertThat(confirmed.get("in_mempool").booleanValue()).isFalse();
        assertThat(confirmed.get("block_id").textValue())
                .isEqualTo(devnet.tip().id().hex());
        assertThat(confirmed.get("block_height").longValue())
                .isEqualTo(devnet.tip().height());
        assertThat(confirmed.get("tx_id").textValue()).isEqualTo(txId.hex());
        assertThat(confirmed.get("size").intValue())
                .isEqualTo(confirmed.get("tx_hex").textValue().length() / 2);
        JsonNode input = confirmed.at("/inputs/0");
        assertThat(members(input))
                .containsExactlyInAnyOrder("prev_tx_id", "output_index", "address", "value", "witness");
        assertThat(input.get("address").textValue())
                .isEqualTo(devnet.minerAddress().hex());
        assertThat(members(input.get("witness"))).containsExactlyInAnyOrder("pubkey", "signature");
        assertThat(input.at("/witness/signature").textValue()).hasSize(128);
        assertThat(confirmed.get("total_in").longValue())
                .isEqualTo(confirmed.get("total_out").longValue()
                        + confirmed.get("fee").longValue());
        assertThat(members(confirmed.at("/outputs/0"))).containsExactlyInAnyOrder("address", "value");
    }

    @Test
    void a_coinbase_has_no_resolved_input() {
        String coinbase = rig.result("get_block_by_height", "{\"height\":5}")
                .at("/transactions/0")
                .textValue();

        JsonNode view = rig.result("get_transaction", "{\"tx_id\":\"" + coinbase + "\"}");

        assertThat(view.has("total_in")).isFalse();
        assertThat(view.has("fee")).isFalse();
        assertThat(members(view.at("/inputs/0"))).containsExactlyInAnyOrder("prev_tx_id", "output_index");
    }

    @Test
    void the_mempool_of_an_address_is_passed_through() {
        Hash256 txId = devnet.faucet(ALICE, Amount.of(70_000));

        JsonNode mempool = rig.result("get_address_mempool", of(ALICE));

        assertThat(mempool.toString())
                .isEqualTo("{\"address\":\"" + ALICE + "\",\"tip_height\":"
                        + devnet.tip().height()
                        + ",\"mempool\":[{\"tx_id\":\"" + txId
                        + "\",\"received\":[{\"output_index\":0,\"value\":70000}],\"spent\":[]}]}");
    }

    @Test
    void the_wallet_balance_sums_the_managed_addresses_that_were_asked_for() {
        devnet.faucet(ALICE, Amount.of(70_000));
        devnet.mine(1);
        devnet.faucet(BOB, Amount.of(30_000));
        devnet.mine(1);
        rig.keys.add(key(ALICE));
        rig.keys.add(new KeyEntry(
                BOB, Optional.of(PublicKey.parse("02".repeat(32))), OptionalLong.of(0), Optional.of("hot"), false));

        assertThat(rig.result("get_wallet_balance", "{}").toString())
                .isEqualTo(
                        "{\"entries\":[{\"address\":\"" + ALICE
                                + "\",\"imported\":true,\"balance\":70000,\"utxo_count\":1,\"truncated\":false},{\"address\":\""
                                + BOB
                                + "\",\"index\":0,\"label\":\"hot\",\"imported\":false,\"balance\":30000,\"utxo_count\":1,\"truncated\":false}],\"total\":100000}");
        assertThat(rig.result(
                                "get_wallet_balance",
                                "{\"utxos\":false,\"addresses\":[\"" + BOB + "\",\"" + NOBODY + "\",\"" + BOB + "\"]}")
                        .toString())
                .isEqualTo("{\"entries\":[{\"address\":\"" + BOB
                        + "\",\"index\":0,\"label\":\"hot\",\"imported\":false,\"balance\":30000}],\"total\":30000}");
    }

    @Test
    void the_balance_of_an_empty_wallet_is_zero() {
        assertThat(rig.result("get_wallet_balance", "{}").toString()).isEqualTo("{\"entries\":[],\"total\":0}");
        rig.keys.add(key(ALICE));
        assertThat(rig.result("get_wallet_balance", "{\"addresses\":[]}").toString())
                .isEqualTo("{\"entries\":[],\"total\":0}");
    }

    @Test
    void a_wallet_of_many_addresses_costs_few_scan_calls() {
        devnet.faults().quota(true);
        for (int i = 0; i < 250; i++) {
            rig.keys.add(key(Address.parse(String.format("%064x", i + 1))));
        }

        assertThat(rig.result("get_wallet_balance", "{}").get("entries")).hasSize(250);
    }

    private static KeyEntry key(Address address) {
        return new KeyEntry(
                address, Optional.of(PublicKey.parse("01".repeat(32))), OptionalLong.empty(), Optional.empty(), true);
    }
}
