package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lists of a whole daemon include the raw transactions that it has forwarded (payments.md, section 2). */
@Tag("long")
@Timeout(300)
class RawSendsDaemonTest {
    private static final Address SHOP = Address.parse("5a".repeat(32));

    @TempDir
    static Path datadir;

    @AutoClose
    private static DaemonRig daemon;

    private static Party owned;
    private static Party stranger;

    @BeforeAll
    static void start() {
        daemon = DaemonRig.withChain(datadir);
        owned = daemon.imported(1);
        stranger = new Party(2);
        daemon.fund(owned, 50_000, 50_000, 50_000, 50_000, 50_000);
        daemon.fund(stranger, 50_000, 50_000, 50_000);
        daemon.awaitFollowed();
    }

    private static Transaction signed(Party by, TxOutput... outputs) {
        Outpoint coin = Collections.max(daemon.coins(by).entrySet(), Map.Entry.comparingByValue())
                .getKey();
        return by.pay(daemon.devnet().genesisId(), coin, outputs);
    }

    private static TxOutput output(Address to, long value) {
        return TxOutput.toAddress(to, Amount.of(value));
    }

    private static Map<String, Object> hex(Transaction tx) {
        return Map.of("tx_hex", Bytes.wrap(TransactionCodec.encode(tx)).hex());
    }

    private static String send(Transaction tx) {
        return daemon.call("send_raw_transaction", hex(tx)).path("tx_id").asText();
    }

    private static JsonNode told(String txId) {
        return daemon.call("get_spend", "tx_id", txId).path("spend");
    }

    private static List<String> listed(Map<String, ?> filters) {
        List<String> ids = new ArrayList<>();
        daemon.call("list_spends", filters)
                .path("spends")
                .forEach(spend -> ids.add(spend.path("tx_id").asText()));
        return ids;
    }

    private static String state(String txId) {
        return told(txId).path("state").asText();
    }

    private static void assertInNoBlock(String txId) {
        assertThat(state(txId)).isEqualTo("accepted");
        assertThat(told(txId).path("block_height").isNull()).isTrue();
        assertThat(told(txId).path("confirmations").isNull()).isTrue();
    }

    @Test
    void one_that_spends_an_own_coin_is_reported_with_the_block_that_has_it_and_without_one_after_a_reorganisation() {
        String txId = send(signed(owned, output(SHOP, 30_000), output(owned.address, 19_000)));
        JsonNode spend = told(txId);
        assertThat(spend.path("kind").asText()).isEqualTo("raw");
        assertThat(spend.path("from").asText()).isEqualTo(owned.address.hex());
        assertThat(spend.path("outputs").get(0).path("to").asText()).isEqualTo(SHOP.hex());
        assertThat(spend.path("outputs").findValuesAsText("is_change")).containsExactly("false", "true");
        assertThat(spend.path("amount").asLong()).isEqualTo(30_000);
        assertThat(spend.path("fee").isNull()).isTrue();
        assertThat(spend.path("client_token").isNull()).isTrue();
        assertThat(spend.path("token_name").asText()).isEqualTo("spend");
        assertThat(spend.has("output_count")).isFalse();
        assertInNoBlock(txId);

        long height = daemon.mine(1);
        daemon.mine(1);
        Await.until("its block is read", () -> told(txId).path("confirmations").asLong() == 2);
        assertThat(state(txId)).isEqualTo("confirmed");
        assertThat(told(txId).path("block_height").asLong()).isEqualTo(height);
        assertThat(listed(Map.of("kind", "raw", "state", "confirmed"))).contains(txId);
        assertThat(listed(Map.of("kind", "raw", "state", "accepted"))).doesNotContain(txId);

        daemon.devnet().reorganise(2, true, List.of());
        Await.until("its block is gone", () -> state(txId).equals("accepted"));
        assertInNoBlock(txId);
        daemon.mine(1);
        Await.until("another block has it", () -> state(txId).equals("confirmed"));
    }

    @Test
    void one_of_a_stranger_is_reported_confirmed_only_if_it_pays_an_own_address() {
        String ours = send(signed(stranger, output(owned.address, 20_000), output(stranger.address, 29_000)));
        daemon.mine(1);
        Await.until("it is told confirmed", () -> state(ours).equals("confirmed"));
        String others = send(signed(stranger, output(SHOP, 20_000), output(stranger.address, 9_000)));
        daemon.mine(1);
        daemon.awaitFollowed();
        assertInNoBlock(others);
    }

    @Test
    void it_stands_among_the_payments_and_is_reported_once_however_often_it_is_sent() {
        Transaction raw = signed(stranger, output(SHOP, 10_000), output(stranger.address, 9_500));
        List<String> sent = new ArrayList<>(List.of(pay("mixed-payment-1"), send(raw), pay("mixed-payment-2")));
        assertThat(send(raw)).isEqualTo(sent.get(1));
        List<String> told = new ArrayList<>();
        Map<String, Object> next = Map.of("limit", 1, "address", SHOP.hex());
        for (boolean more = true; more; ) {
            JsonNode page = daemon.call("list_spends", next);
            page.path("spends").forEach(spend -> told.add(spend.path("tx_id").asText()));
            next = Map.of(
                    "limit", 1,
                    "address", SHOP.hex(),
                    "cursor", page.path("cursor").asText());
            more = page.path("more").asBoolean();
        }
        assertThat(told).doesNotHaveDuplicates().containsSubsequence(sent);
        assertThat(listed(Map.of("kind", "raw"))).contains(sent.get(1)).doesNotContain(sent.get(0), sent.get(2));
        assertThat(listed(Map.of("kind", "transfer")))
                .contains(sent.get(0), sent.get(2))
                .doesNotContain(sent.get(1));
        assertThat(listed(Map.of("address", stranger.address.hex()))).contains(sent.get(1));
        daemon.mine(1);
    }

    private static String pay(String token) {
        daemon.awaitFollowed();
        return daemon.call("transfer", DaemonRig.payment(owned.address, SHOP, 1_000, "client_token", token))
                .path("tx_id")
                .asText();
    }

    @Test
    void one_that_no_node_accepts_answers_as_ever_and_is_told_refused() {
        Transaction good = signed(stranger, output(SHOP, 10_000));
        Transaction bad = good.withWitnesses(signed(owned, output(SHOP, 10_000)).witnesses());
        daemon.refused(-32020, "send_raw_transaction", hex(bad));
        assertThat(listed(Map.of("kind", "raw", "state", "refused")))
                .containsExactly(TransactionCodec.txId(Party.PROFILE, bad).hex());
        daemon.refused(-32020, "send_raw_transaction", "tx_hex", "0102");
        daemon.refused(-32602, "send_raw_transaction", "tx_hex", "zz");
        assertThat(listed(Map.of("kind", "raw", "state", "refused"))).hasSize(1);
    }

    @Test
    void of_one_with_many_outputs_their_number_is_reported() {
        daemon.fund(stranger, 200_000);
        TxOutput[] outputs = new TxOutput[300];
        Arrays.fill(outputs, output(SHOP, 500));
        String txId = send(signed(stranger, outputs));
        assertThat(told(txId).path("outputs").isNull()).isTrue();
        assertThat(told(txId).path("output_count").asInt()).isEqualTo(300);
        assertThat(told(txId).path("amount").asLong()).isEqualTo(150_000);
        daemon.mine(1);
    }
}
