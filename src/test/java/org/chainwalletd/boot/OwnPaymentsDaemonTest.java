package org.chainwalletd.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.payment;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.client.WalletdException.RpcError;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reports of a whole daemon about its own payments over HTTP (payments.md, section 2). */
@Tag("long")
@Timeout(300)
class OwnPaymentsDaemonTest {
    private static final int INVALID = -32602;
    private static final String SHOP = "5a".repeat(32);

    @TempDir
    static Path datadir;

    @AutoClose
    private static DaemonRig daemon;

    private static Party payer;

    @AutoClose("shutdownNow")
    private static ExecutorService callers;

    @BeforeAll
    static void start() {
        daemon = DaemonRig.withChain(datadir);
        payer = daemon.imported(1);
        long[] coins = new long[120];
        Arrays.fill(coins, 50_000);
        daemon.fund(payer, coins);
        // Reorganisations in these tests remove up to two blocks: they must not make the funding unconfirmed.
        daemon.devnet().mine(2);
        daemon.awaitFollowed();
        callers = Executors.newFixedThreadPool(4);
    }

    private static JsonNode pay(String token, long amount, String memo) {
        return daemon.call("transfer", payment(payer.address.hex(), SHOP, amount, "client_token", token, "memo", memo));
    }

    private static JsonNode spend(String name, Object value) {
        return daemon.call("get_spend", name, value).path("spend");
    }

    private static void mine(int blocks) {
        daemon.devnet().mine(blocks);
    }

    @Test
    void a_payment_is_reported_by_its_token_its_transaction_and_its_number() {
        JsonNode paid = pay("own-payment-1", 1_000, "invoice 1");
        JsonNode told = spend("client_token", "own-payment-1");
        assertThat(told.path("tx_id")).isEqualTo(paid.path("tx_id"));
        assertThat(told.path("kind").asText()).isEqualTo("transfer");
        assertThat(told.path("from").asText()).isEqualTo(payer.address.hex());
        assertThat(told.path("amount").asLong()).isEqualTo(1_000);
        assertThat(told.path("fee")).isEqualTo(paid.path("fee"));
        assertThat(told.path("token_name").asText()).isEqualTo("spend");
        assertThat(told.path("memo").asText()).isEqualTo("invoice 1");
        assertThat(told.path("outputs")).hasSameSizeAs(paid.path("outputs"));
        assertThat(told.path("block_height").isNull()).isTrue();
        assertThat(told.path("confirmations").asLong()).isZero();
        assertThat(spend("tx_id", paid.path("tx_id").asText()).path("spend_id")).isEqualTo(told.path("spend_id"));

        mine(2);
        long number = told.path("spend_id").asLong();
        Await.until(
                "it is told confirmed",
                () -> spend("spend_id", number).path("confirmations").asLong() == 2);
        assertThat(spend("spend_id", number).path("state").asText()).isEqualTo("confirmed");
        assertThat(spend("client_token", "nobody-has-this").isNull()).isTrue();
        daemon.refused(INVALID, "get_spend");
    }

    @Test
    void a_contested_payment_is_told_with_the_block_that_has_it() {
        daemon.node().refuse("send_raw_transaction", asked -> {
            byte[] bytes = Bytes.parse(asked.path("tx_hex").asText()).toArray();
            daemon.devnet().ledger().submit(TransactionCodec.decode(bytes));
            return "Mempool pre-check failed: transaction already in mempool";
        });
        RpcError error = daemon.refused(
                -32020, "transfer", payment(payer.address.hex(), SHOP, 1_000, "client_token", "own-payment-contested"));
        daemon.node().tellTheTruth();
        JsonNode told = spend("client_token", "own-payment-contested");
        assertThat(error.data().path("tx_id")).isEqualTo(told.path("tx_id"));
        assertThat(told.path("state").asText()).isEqualTo("contested");
        assertThat(told.path("block_height").isNull()).isTrue();
        assertThat(told.path("confirmations").asLong()).isZero();

        mine(2);

        long number = told.path("spend_id").asLong();
        Await.until(
                "its block is read",
                () -> spend("spend_id", number).path("confirmations").asLong() == 2);
        assertThat(spend("spend_id", number).path("block_height").asLong())
                .isEqualTo(daemon.devnet().tip().height() - 1);
        assertThat(spend("spend_id", number).path("state").asText()).isEqualTo("contested");
    }

    @Test
    void a_memo_is_changed_and_erased_and_never_longer_than_256_bytes() {
        pay("own-payment-2", 1_000, "");
        long number = spend("client_token", "own-payment-2").path("spend_id").asLong();
        assertThat(spend("spend_id", number).path("memo").isNull()).isTrue();
        daemon.call("set_memo", "spend_id", number, "memo", "\u00fc".repeat(128));
        assertThat(spend("spend_id", number).path("memo").asText()).isEqualTo("\u00fc".repeat(128));
        daemon.refused(INVALID, "set_memo", "spend_id", number, "memo", "\u00fc".repeat(128) + "x");
        daemon.call("set_memo", "spend_id", number, "memo", "");
        assertThat(spend("spend_id", number).path("memo").isNull()).isTrue();
        daemon.refused(INVALID, "set_memo", "spend_id", 1_000_000, "memo", "x");
    }

    @Test
    void a_label_is_changed_and_erased_among_many() {
        List<String> addresses = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            addresses.add(daemon.call("generate_standard_address", "label", "label " + i)
                    .path("address")
                    .asText());
        }
        daemon.call("set_label", "address", addresses.get(1), "label", "a much longer label \u00fc");
        daemon.call("set_label", "address", addresses.get(0), "label", "");
        daemon.call("generate_standard_address", "label", "label 3");
        Map<String, String> labels = new TreeMap<>();
        daemon.call("list_addresses")
                .path("addresses")
                .forEach(entry -> labels.put(
                        entry.path("address").asText(), entry.path("label").asText("")));
        assertThat(labels.get(addresses.get(0))).isIn("", "null");
        assertThat(labels.get(addresses.get(1))).isEqualTo("a much longer label \u00fc");
        assertThat(labels.get(addresses.get(2))).isEqualTo("label 2");
        assertThat(labels).containsValue("label 3");
        daemon.refused(-32010, "set_label", "address", SHOP, "label", "x");
        daemon.refused(INVALID, "set_label", "address", addresses.get(2), "label", "\n");
    }

    /** A reader fetches pages of any size while payments are made and the chain is reorganised. */
    @Test
    void pages_miss_nothing_and_repeat_nothing_while_payments_are_made_and_the_chain_is_reorganised() {
        Random random = Seeded.random("OwnPaymentsDaemonTest");
        List<CompletableFuture<Void>> paying = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            int number = caller;
            paying.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 12; i++) {
                            pay("paged-payment-" + number + "-" + i, 1_000 + i, "page " + number);
                        }
                    },
                    callers));
        }
        List<Long> told = new ArrayList<>();
        List<String> tokens = new ArrayList<>();
        String cursor = "";
        boolean paid = false;
        for (boolean more = true; more || !paid; ) {
            paid = paying.stream().allMatch(CompletableFuture::isDone);
            JsonNode page = daemon.call(
                    "list_spends",
                    cursor.isEmpty()
                            ? Map.of("limit", 1 + random.nextInt(5))
                            : Map.of("limit", 1 + random.nextInt(5), "cursor", cursor));
            page.path("spends").forEach(spend -> {
                told.add(spend.path("spend_id").asLong());
                tokens.add(spend.path("client_token").asText());
            });
            cursor = page.path("cursor").asText();
            more = page.path("more").asBoolean();
            if (random.nextInt(4) == 0) {
                daemon.devnet().mine(1);
            } else if (random.nextInt(8) == 0) {
                daemon.devnet().reorganise(1 + random.nextInt(2), true, List.of());
            }
        }
        paying.forEach(Await::result);
        assertThat(told).isSorted().doesNotHaveDuplicates();
        assertThat(tokens.stream().filter(token -> token.startsWith("paged-")).toList())
                .hasSize(48)
                .doesNotHaveDuplicates();
        assertThat(daemon.call("list_spends", "cursor", cursor).path("spends")).isEmpty();
    }

    @Test
    void filters_leave_out_what_does_not_fit_and_the_cursor_continues_behind_it() {
        pay("filtered-payment", 1_234, "filtered");
        Set<String> ofShop = tokens(Map.of("address", SHOP));
        assertThat(ofShop).contains("filtered-payment");
        assertThat(tokens(Map.of("address", payer.address.hex()))).contains("filtered-payment");
        assertThat(tokens(Map.of("address", "77".repeat(32)))).isEmpty();
        assertThat(tokens(Map.of("kind", "sweep"))).isEmpty();
        assertThat(tokens(Map.of("kind", "transfer", "token_name", "spend"))).contains("filtered-payment");
        assertThat(tokens(Map.of("token_name", "worker"))).isEmpty();
        long at = spend("client_token", "filtered-payment").path("created_at").asLong();
        assertThat(tokens(Map.of("since", at, "until", at + 1))).contains("filtered-payment");
        assertThat(tokens(Map.of("until", at))).doesNotContain("filtered-payment");
        daemon.refused(INVALID, "list_spends", "cursor", "s1.x");
        daemon.refused(INVALID, "list_spends", "limit", 1_001);
    }

    private static Set<String> tokens(Map<String, ?> filters) {
        Set<String> tokens = new HashSet<>();
        daemon.call("list_spends", filters)
                .path("spends")
                .forEach(spend -> tokens.add(spend.path("client_token").asText()));
        return tokens;
    }

    private static List<String> exported(String... words) {
        Map<String, String> environment = Map.of(
                "WALLETD_URL", daemon.uri().toString(),
                "WALLETD_AUTH_TOKEN", daemon.token(),
                "WALLETD_DATADIR", datadir.toString());
        String[] command =
                Stream.concat(Stream.of("export"), Arrays.stream(words)).toArray(String[]::new);
        return Commands.run(environment, command).printed().lines().toList();
    }

    @Test
    void spends_and_credits_are_exported_with_amounts_in_coins_and_times_in_utc() {
        pay("exported-payment", 1_234, "=1+1, \"quoted\"");
        mine(1);
        JsonNode told = spend("client_token", "exported-payment");
        String created = Instant.ofEpochSecond(told.path("created_at").asLong()).toString();
        List<String> csv = exported("spends");
        assertThat(csv.get(0)).startsWith("spend_id,created_at,").endsWith(",token_name,memo");
        assertThat(csv.stream()
                        .filter(line -> line.contains("exported-payment"))
                        .toList())
                .singleElement()
                .asString()
                .startsWith(told.path("spend_id").asText() + "," + created + ",")
                .contains("," + SHOP + ":1234,2,1234,0.00001234,")
                .endsWith(",\"'=1+1, \"\"quoted\"\"\"");
        assertThat(exported("spends", "--format", "jsonl", "--since", created).stream()
                        .filter(line -> line.contains("exported-payment"))
                        .toList())
                .singleElement()
                .asString()
                .contains("\"amount\":1234,\"amount_coins\":\"0.00001234\"", "\"memo\":\"=1+1, \\\"quoted\\\"\"");
        assertThat(exported("spends", "--until", "1999-01-01")).hasSize(1);
        assertThat(exported("credits").size()).isGreaterThan(100);
        assertThat(exported("credits", "--format", "jsonl").get(0))
                .contains("\"event\":\"confirmed\"", "\"amount\":50000,\"amount_coins\":\"0.00050000\"");
    }

    @Test
    void a_page_has_at_most_a_megabyte() {
        JsonNode all = daemon.call("list_spends", "limit", 1_000);
        assertThat(all.toString().getBytes(UTF_8).length).isLessThanOrEqualTo(1 << 20);
    }
}
