package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.SeededKeyring;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every error of a transfer, provoked over HTTP, with its data. */
@Tag("long")
class TransferErrorsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SHOP = "5a".repeat(32);
    private static final BigInteger HALF_OF_ALL = BigInteger.ONE.shiftLeft(63);

    @TempDir
    static Path folder;

    @AutoClose
    private static DaemonProcess daemon;

    private static final TestKeys KEYS = new TestKeys(SpendHarness.PROFILE);

    @BeforeAll
    static void start() {
        daemon = LauncherCall.daemonWithDevnet(SeededKeyring.in(folder.resolve("data")))
                .and("--spend-cap-per-tx", "50000000")
                .and("--spend-cap-per-period", "60000000")
                .and("--spend-cap-period-secs", "3600")
                .start();
        daemon.awaitReady();
    }

    /** Creates a new key with one confirmed coin. */
    private static String funded(long value) {
        String address =
                daemon.call("generate_address", params()).get("address").asText();
        fund(address, value);
        return address;
    }

    private static void fund(String address, long value) {
        daemon.nodeCall("devnet_faucet", params("address", address, "amount", value));
        daemon.nodeCall("devnet_mine", params());
    }

    private static WalletdException.RpcError refused(Map<String, Object> params) {
        return refused("transfer", params);
    }

    private static WalletdException.RpcError refused(String method, Map<String, Object> params) {
        return catchThrowableOfType(WalletdException.RpcError.class, () -> daemon.call(method, params));
    }

    private static void assertRefused(WalletdException.RpcError error, int code, String data) throws Exception {
        assertThat(error).isNotNull();
        assertThat(error.code()).as(error.getMessage()).isEqualTo(code);
        if (data == null) {
            assertThat(error.data()).isNull();
        } else {
            assertThat(JSON.readTree(error.data().toString())).isEqualTo(JSON.readTree(data));
        }
    }

    @Test
    void shapes_come_before_counts_and_counts_before_addresses() throws Exception {
        Map<String, Object> one = params("to", "zz", "amount", 500);
        assertRefused(
                refused(params("from", "11".repeat(32), "outputs", Collections.nCopies(17, one))),
                -32034,
                "{\"count\":17,\"max\":16}");
        assertRefused(refused(params("from", "11".repeat(32), "outputs", Collections.nCopies(16, one))), -32602, null);
        assertRefused(refused(params("from", "11", "outputs", Collections.nCopies(17, one))), -32602, null);
        assertRefused(refused(params("from", "11".repeat(32), "outputs", Collections.emptyList())), -32602, null);
    }

    @Test
    void parameters_that_exclude_each_other_or_have_a_wrong_length_are_invalid_before_the_wallet_is_looked_for()
            throws Exception {
        String nobody = "11".repeat(32);
        assertRefused(refused(transfer(nobody, SHOP, 500, "fee", 100, "fee_rate", 1)), -32602, null);
        assertRefused(refused(transfer(nobody, SHOP, 500, "client_token", "7-chars")), -32602, null);
        assertRefused(refused(transfer(nobody, SHOP, 500, "client_token", "x".repeat(129))), -32602, null);
        assertRefused(refused(transfer(nobody, SHOP, 500, "client_token", "über-token")), -32602, null);
        assertRefused(refused(transfer(nobody, SHOP, 500, "datum", "abc")), -32602, null);
        assertRefused(refused(transfer(nobody, SHOP, 500, "datum", "00".repeat(4097))), -32602, null);
        assertRefused(refused(transfer(nobody, SHOP, HALF_OF_ALL.shiftLeft(1))), -32602, null);
        assertRefused(
                refused("simulate_transfer", transfer(nobody, SHOP, 500, "client_token", "token-token")), -32602, null);
    }

    @Test
    void a_wallet_of_another_party_is_not_found_even_when_the_amount_is_dust() throws Exception {
        assertRefused(refused(transfer("11".repeat(32), SHOP, 1)), -32010, null);
    }

    @Test
    void dust_comes_before_overflow_and_overflow_before_the_allowance() throws Exception {
        String payer = funded(1_000_000);
        assertRefused(refused(transfer(payer, SHOP, 199)), -32033, "{\"amount\":199,\"dust_threshold\":200}");
        Map<String, Object> half = params("to", SHOP, "amount", HALF_OF_ALL);
        Map<String, Object> dust = params("to", SHOP, "amount", 0);
        assertRefused(
                refused(params("from", payer, "outputs", List.of(half, half, dust))),
                -32033,
                "{\"amount\":0,\"dust_threshold\":200}");
        assertRefused(refused(params("from", payer, "outputs", List.of(half, half))), -32030, null);
        assertRefused(
                refused(transfer(payer, SHOP, HALF_OF_ALL)),
                -32038,
                "{\"scope\":\"per_tx\",\"limit\":50000000,\"spent\":0,\"requested\":9223372036854775808,"
                        + "\"remaining\":50000000,\"period_secs\":3600}");
    }

    @Test
    void the_allowance_of_a_period_has_its_numbers() throws Exception {
        String payer = funded(100_000_000L);
        long spent = daemon.call("allowance_status", params()).get("spent").asLong();
        long filling = 40_000_000;
        long fee = daemon.call("transfer", transfer(payer, payer, 5_000_000))
                .get("fee")
                .asLong();
        assertThat(daemon.call("allowance_status", params()).get("spent").asLong())
                .as("what returns to the payer is not spent")
                .isEqualTo(spent + fee);
        daemon.nodeCall("devnet_mine", params("blocks", 2));
        awaitConfirmed();
        fee += daemon.call("transfer", transfer(payer, SHOP, filling))
                .get("fee")
                .asLong();
        long used = spent + filling + fee;
        assertRefused(
                refused(transfer(payer, SHOP, 30_000_000)),
                -32038,
                "{\"scope\":\"per_period\",\"limit\":60000000,\"spent\":" + used + ",\"requested\":30000000,"
                        + "\"remaining\":" + (60_000_000 - used) + ",\"period_secs\":3600}");
    }

    private static void awaitConfirmed() {
        Await.until(
                "nothing is in flight",
                () -> daemon.call("get_status", params())
                                .get("in_flight_transfers")
                                .asInt()
                        == 0);
    }

    @Test
    void poverty_and_the_fee_cap_have_their_numbers() throws Exception {
        String payer = funded(1_000_000);
        WalletdException.RpcError poor = refused(transfer(payer, SHOP, 2_000_000));
        assertRefused(
                poor,
                -32031,
                "{\"in_flight_reserved\":false,\"needed\":2000063,\"available\":1000000,\"utxo_count\":1,"
                        + "\"in_flight_value\":0,\"in_flight_count\":0}");
        assertThat(poor.getMessage()).contains("short by 1000063").doesNotContain("reserved by pending transfers");
        assertRefused(refused(transfer(payer, SHOP, 500, "max_fee", 68)), -32032, "{\"fee\":69,\"max_fee\":68}");
        assertRefused(
                refused("simulate_transfer", transfer(payer, SHOP, 500, "fee", 3_000_000, "max_fee", 70)),
                -32031,
                "{\"in_flight_reserved\":false,\"needed\":3000500,\"available\":1000000,\"utxo_count\":1,"
                        + "\"in_flight_value\":0,\"in_flight_count\":0}");
    }

    @Test
    void coins_in_flight_are_told_from_coins_that_are_not_there() throws Exception {
        String payer = funded(1_000_000);
        daemon.call("transfer", transfer(payer, SHOP, 10_000));
        assertRefused(
                refused(transfer(payer, SHOP, 500_000)),
                -32039,
                "{\"retryable\":true,\"retry_after\":\"next_block\",\"needed\":500063,\"available\":0,"
                        + "\"in_flight_value\":1000000,\"in_flight_count\":1}");
        WalletdException.RpcError poor = refused(transfer(payer, SHOP, 5_000_000));
        assertRefused(
                poor,
                -32031,
                "{\"in_flight_reserved\":true,\"needed\":5000063,\"available\":0,\"utxo_count\":0,"
                        + "\"in_flight_value\":1000000,\"in_flight_count\":1}");
        assertThat(poor.getMessage()).contains("reserved by pending transfers");
    }

    @Test
    void a_token_with_other_parameters_is_a_conflict() throws Exception {
        String payer = funded(1_000_000);
        JsonNode first = daemon.call("transfer", transfer(payer, SHOP, 10_000, "client_token", "errors-it-1"));
        assertThat(daemon.call("transfer", transfer(payer, SHOP, 10_000, "client_token", "errors-it-1", "fee_rate", 1)))
                .isEqualTo(first);
        assertRefused(
                refused(transfer(payer, SHOP, 10_001, "client_token", "errors-it-1")),
                -32035,
                "{\"client_token\":\"errors-it-1\"}");
    }

    @Test
    void a_foreign_spend_of_the_only_coin_is_a_double_spend() throws Exception {
        String payer = KEYS.add(1).hex();
        daemon.call("import_private_key", params("private_key", new Party(1).secret()));
        fund(payer, 1_000_000);
        JsonNode coin = daemon.call("get_address_utxos", params("address", payer))
                .get("utxos")
                .get(0);
        Outpoint outpoint = new Outpoint(
                Hash256.parse(coin.get("tx_id").asText()),
                coin.get("output_index").asLong());
        Hash256 genesis = Hash256.parse(daemon.nodeCall("get_block_height", params())
                .get("genesis_block_id")
                .asText());
        TxOutput output = TxOutput.toAddress(Address.parse(SHOP), Amount.of(900_000));
        Bytes foreign =
                Bytes.wrap(TransactionCodec.encode(KEYS.spend(Address.parse(payer), genesis, outpoint, output)));
        daemon.nodeCall("send_raw_transaction", params("tx_hex", foreign.hex()));

        WalletdException.RpcError error = refused(transfer(payer, SHOP, 10_000));

        assertRefused(error, -32021, "{\"input_conflict\":true,\"retryable\":false}");
        assertThat(error.getMessage()).contains("double-spend of OutPoint");
    }

    @Test
    void an_answer_that_is_lost_for_good_leaves_the_outcome_unknown_and_the_same_call_settles_it() throws Exception {
        String payer = funded(1_000_000);
        Map<String, Object> payment = transfer(payer, SHOP, 10_000, "client_token", "errors-it-lost");
        daemon.nodeCall("devnet_set", params("drop", "after", "drop_method", "send_raw_transaction"));
        daemon.nodeCall("devnet_set", params("lie", "forgetful"));
        WalletdException.RpcError error;
        try {
            error = refused(payment);
        } finally {
            daemon.nodeCall("devnet_set", params("drop", "none", "lie", "none"));
        }
        String txId = daemon.call("transfer", payment).get("tx_id").asText();
        assertRefused(error, -32020, "{\"tx_id\":\"" + txId + "\"}");
        assertThat(error.getMessage()).contains("outcome of transaction", "is unknown", "same client_token");
        assertThat(error.getMessage()).contains(txId);
    }

    @Test
    void an_error_of_the_nodes_storage_is_no_refusal() throws Exception {
        String payer = funded(1_000_000);
        daemon.nodeCall("devnet_set", params("refuse", true));
        try {
            WalletdException.RpcError error = refused(transfer(payer, SHOP, 10_000));
            String txId = error.data().path("tx_id").asText();
            assertRefused(error, -32020, "{\"tx_id\":\"" + txId + "\"}");
            assertThat(daemon.call("get_spend", params("tx_id", txId))
                            .at("/spend/state")
                            .asText())
                    .isEqualTo("prepared");
            assertThat(error.getMessage()).contains("is unknown", "Storage error: refused by devnet_set", txId);
        } finally {
            daemon.nodeCall("devnet_set", params("refuse", false));
        }
    }

    @Test
    void a_refusal_of_the_node_keeps_its_code_and_words() throws Exception {
        String payer = funded(1_000_000);
        daemon.nodeCall("devnet_set", params("tip_changes", 1_000));
        try {
            WalletdException.RpcError error = refused(transfer(payer, SHOP, 10_000));
            String txId = error.data().path("tx_id").asText();
            assertRefused(error, -32020, "{\"tx_id\":\"" + txId + "\"}");
            assertThat(daemon.call("get_spend", params("tx_id", txId))
                            .at("/spend/state")
                            .asText())
                    .isEqualTo("refused");
            assertThat(error.getMessage()).contains("-32603").contains("Tip changed during validation");
            assertThat(error.getMessage()).contains(txId);
        } finally {
            daemon.nodeCall("devnet_set", params("tip_changes", 0));
        }
        assertThat(refused("send_raw_transaction", params("tx_hex", "00")).getMessage())
                .contains("Failed to deserialize transaction");
    }
}
