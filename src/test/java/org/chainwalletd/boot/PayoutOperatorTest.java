package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payouts;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.rpc.AllMethods;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.EventReader;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Operation of the payout queue over HTTP in difficult situations: keys that cannot sign, an older store, batches whose coins are lost. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class PayoutOperatorTest {
    private static final int BURIAL = 361;

    @TempDir
    Path datadir;

    @TempDir
    Path elsewhere;

    private final Party payer = new Party(71);
    private final Party poor = new Party(72);
    private final Party shop = new Party(73);

    @AutoClose
    private Devnet devnet;

    @BeforeEach
    void startChain() throws IOException {
        devnet = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
    }

    private DaemonRig start() {
        return DaemonRig.over(devnet, datadir, "--payout-delay", "0");
    }

    private DaemonRig startWithKeys() {
        DaemonRig daemon = start();
        daemon.imported(71);
        daemon.imported(72);
        daemon.fund(payer, 3_000_000);
        daemon.mine(7);
        daemon.awaitFollowed();
        return daemon;
    }

    private void submit(DaemonRig daemon, Party from, String id, long amount) {
        daemon.call("payout_submit", payouts(from, List.of(order(id, amount))));
    }

    private static JsonNode payout(DaemonRig daemon, String id) {
        return daemon.call("payout_get", "payout_id", id).get("payout");
    }

    private static JsonNode awaitState(DaemonRig daemon, String id, String state) {
        Await.until(
                id + " is " + state,
                () -> payout(daemon, id).get("state").asText().equals(state));
        return payout(daemon, id);
    }

    private static String lastAttempt(DaemonRig daemon, String id) {
        JsonNode attempts = payout(daemon, id).get("attempts");
        return attempts.get(attempts.size() - 1).asText();
    }

    /** A daemon that stopped between creating a batch and sending it sends it soon after its next start. */
    private static boolean isKnown(DaemonRig daemon, String txId) {
        try {
            return !daemon.call("get_transaction", "tx_id", txId).isEmpty();
        } catch (WalletdException.Upstream e) {
            return false;
        }
    }

    /** Mines blocks until a payout is confirmed. */
    private static void confirm(DaemonRig daemon, String id) {
        Await.until(id + " is in a block", () -> {
            if (payout(daemon, id).get("state").asText().equals("in_flight")
                    && isKnown(daemon, lastAttempt(daemon, id))) {
                daemon.mine(1);
            }
            return List.of("confirmed", "final")
                    .contains(payout(daemon, id).get("state").asText());
        });
    }

    private List<Long> paidToShop() {
        return Coins.of(devnet, shop.address).values().stream().sorted().toList();
    }

    private Path keyFile() throws IOException {
        try (Stream<Path> files = Files.walk(datadir)) {
            return files.filter(file -> file.getFileName().toString().startsWith(payer.address.hex())
                            && file.getFileName().toString().endsWith(".key.enc"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void damage(Path file) throws IOException {
        byte[] damaged = Files.readAllBytes(file);
        damaged[60] ^= 1;
        Files.write(file, damaged);
    }

    private static void assertRefused(DaemonRig daemon, String batch, int code, String words) {
        String before = daemon.call("payout_changes").toString();
        String spends = daemon.call("list_spends").toString();
        WalletdException.RpcError refused = daemon.refused(code, "payout_recall", "tx_id", batch);
        assertThat(refused.getMessage()).contains(words);
        assertThat(daemon.call("payout_changes").toString()).isEqualTo(before);
        assertThat(daemon.call("list_spends").toString()).isEqualTo(spends);
    }

    @Test
    void a_repeated_submission_keeps_its_answer_also_when_a_new_one_would_be_refused() {
        Map<String, Object> label = params("label", "till");
        Map<String, Object> known = order("known-one", 5_000);
        try (DaemonRig daemon = startWithKeys()) {
            daemon.call("set_label", "address", payer.address, "label", "till");
            daemon.call("payout_submit", "payouts", List.of(known), "from", label);
            awaitInMempool(daemon, "known-one");
            daemon.mine(1);
            awaitState(daemon, "known-one", "confirmed");

            daemon.call("set_label", "address", payer.address, "label", "");
            Map<String, Object> repeated = params("payouts", List.of(known), "from", label);
            assertThat(daemon.call("payout_submit", repeated)
                            .at("/payouts/0/state")
                            .asText())
                    .as("no address has the label any more")
                    .isEqualTo("confirmed");
            Map<String, Object> mixed = params("payouts", List.of(known, order("unknown-one", 900)), "from", label);
            daemon.refused(-32010, "payout_submit", mixed);
            assertThat(payout(daemon, "unknown-one").isNull()).isTrue();
        }
        try (DaemonRig daemon = DaemonRig.over(devnet, datadir, "--payout-delay", "0", "--spend-cap-per-tx", "4000")) {
            Map<String, Object> repeated = payouts(payer, List.of(known));
            assertThat(daemon.call("payout_submit", repeated)
                            .at("/payouts/0/payout_id")
                            .asText())
                    .as("the payout is above the cap of today")
                    .isEqualTo("known-one");
            Map<String, Object> tooMuch =
                    payouts(payer, List.of(known, order("small-one", 901), order("unknown-one", 5_001)));
            daemon.refused(-32038, "payout_submit", tooMuch);
            assertThat(payout(daemon, "small-one").isNull()).isTrue();
            assertThat(payout(daemon, "unknown-one").isNull()).isTrue();
            Map<String, Object> mixed = payouts(payer, List.of(known, order("small-one", 901)));
            assertThat(daemon.call("payout_submit", mixed).get("payouts")).hasSize(2);
            awaitState(daemon, "small-one", "in_flight");
        }
    }

    private Map<String, Object> order(String id, long amount) {
        return DaemonRig.payout(id, shop, amount);
    }

    @Test
    void a_recall_whose_key_cannot_sign_is_refused_and_changes_nothing() throws IOException {
        try (DaemonRig daemon = startWithKeys()) {
            submit(daemon, payer, "without-a-key", 5_000);
            awaitInMempool(daemon, "without-a-key");
        }
        byte[] whole = Files.readAllBytes(keyFile());
        damage(keyFile());
        try (DaemonRig daemon = start()) {
            daemon.awaitFollowed();
            String batch = lastAttempt(daemon, "without-a-key");

            assertRefused(daemon, batch, -32012, payer.address.hex());

            Files.write(keyFile(), whole);
            daemon.call("delete_address", "address", payer.address, "passphrase", DaemonRig.PASSPHRASE, "force", true);
            assertRefused(daemon, batch, -32010, payer.address.hex());
            confirm(daemon, "without-a-key");
            assertThat(paidToShop()).containsExactly(5_000L);
        }
    }

    private static void awaitInMempool(DaemonRig daemon, String id) {
        awaitState(daemon, id, "in_flight");
        Await.until(
                "the node has " + id,
                () -> daemon.devnet()
                        .ledger()
                        .transaction(Hash256.parse(lastAttempt(daemon, id)))
                        .isPresent());
    }

    @Test
    void after_an_older_store_is_restored_what_was_sent_continues_and_the_rest_is_held_until_it_is_released()
            throws IOException {
        try (DaemonRig daemon = startWithKeys()) {
            daemon.call("payout_pause");
            submit(daemon, payer, "sent-after-the-copy", 1_001);
            submit(daemon, poor, "never-sent", 1_002);
        }
        Files.copy(datadir.resolve(SqliteStore.FILE_NAME), elsewhere.resolve(SqliteStore.FILE_NAME));
        String sent;
        try (DaemonRig daemon = start()) {
            daemon.call("payout_resume");
            awaitInMempool(daemon, "sent-after-the-copy");
            sent = lastAttempt(daemon, "sent-after-the-copy");
        }
        Files.copy(
                elsewhere.resolve(SqliteStore.FILE_NAME),
                datadir.resolve(SqliteStore.FILE_NAME),
                StandardCopyOption.REPLACE_EXISTING);
        try (DaemonRig daemon = start()) {
            WalletdException.RpcError refused =
                    daemon.refused("payout_submit", payouts(payer, List.of(order("in-between", 900))));
            assertThat(refused.getMessage()).contains("store restored");
        }

        RestoredStore.restore(datadir, false, line -> {});

        try (DaemonRig daemon = start()) {
            assertThat(payout(daemon, "sent-after-the-copy").get("state").asText())
                    .isEqualTo("in_flight");
            assertThat(lastAttempt(daemon, "sent-after-the-copy")).isEqualTo(sent);
            assertThat(payout(daemon, "never-sent").get("state").asText()).isEqualTo("held");
            daemon.call("payout_resume");
            confirm(daemon, "sent-after-the-copy");
            daemon.fund(poor, 500_000, 500_000);
            daemon.mine(7);
            daemon.awaitFollowed();
            submit(daemon, poor, "after-the-restore", 1_003);
            confirm(daemon, "after-the-restore");
            assertThat(payout(daemon, "never-sent").get("state").asText())
                    .as("coins alone do not release it")
                    .isEqualTo("held");

            JsonNode released = daemon.call("payout_release", "payout_ids", List.of("never-sent"));
            assertThat(released.at("/payouts/0/state").asText()).isEqualTo("queued");
            confirm(daemon, "never-sent");
            daemon.mine(BURIAL);
            for (String id : List.of("sent-after-the-copy", "never-sent", "after-the-restore")) {
                assertThat(awaitState(daemon, id, "final").get("attempts")).hasSize(1);
            }
        }
        assertThat(paidToShop()).containsExactly(1_001L, 1_002L, 1_003L);
    }

    @Test
    void an_act_that_is_declared_repeatable_does_nothing_more_the_second_time() {
        try (DaemonRig daemon = startWithKeys()) {
            daemon.fund(poor, 50_000);
            daemon.awaitFollowed();
            Map<String, Object> ids = params("payout_ids", List.of("cancelled-payout"));
            Map<String, Supplier<Map<String, Object>>> acts = new LinkedHashMap<>();
            acts.put("payout_pause", Map::of);
            acts.put(
                    "payout_submit",
                    () -> payouts(payer, List.of(order("recalled-payout", 1_001), order("cancelled-payout", 1_002))));
            acts.put("payout_cancel", () -> ids);
            acts.put("payout_release", () -> ids);
            acts.put("export_vault", () -> params("passphrase", DaemonRig.PASSPHRASE));
            acts.put("sweep_stop", () -> {
                Map<String, Object> from = params("addresses", List.of(poor.address.toString()));
                daemon.call("sweep", "from", from, "to", shop.address, "client_token", "sweep-to-stop");
                return params("client_token", "sweep-to-stop");
            });
            acts.put("payout_resume", Map::of);
            acts.put("payout_recall", () -> {
                awaitInMempool(daemon, "recalled-payout");
                return params("tx_id", lastAttempt(daemon, "recalled-payout"));
            });
            assertThat(AllMethods.registry().methods().stream()
                            .filter(method -> method.repeatable() && method.scope() != Scope.READ)
                            .map(RpcMethod::name))
                    .containsExactlyInAnyOrderElementsOf(acts.keySet());

            acts.forEach((method, params) -> {
                Map<String, Object> call = params.get();
                JsonNode first = daemon.call(method, call);
                String paused = daemon.call("payout_changes").toString();
                List<JsonNode> spends = spendIds(daemon);
                JsonNode second = daemon.call(method, call);
                if (!method.equals("export_vault")) {
                    assertThat(second).as(method).isEqualTo(first);
                }
                if (!method.equals("payout_resume")) {
                    assertThat(spendIds(daemon)).as(method).isEqualTo(spends);
                }
                if (!List.of("payout_resume", "payout_recall").contains(method)) {
                    assertThat(daemon.call("payout_changes").toString())
                            .as(method)
                            .isEqualTo(paused);
                }
            });
        }
    }

    private static List<JsonNode> spendIds(DaemonRig daemon) {
        return daemon.call("list_spends").findValues("spend_id");
    }

    private static void awaitGauge(DaemonRig daemon, String value) {
        Await.until(
                "the gauge is " + value,
                () -> daemon.tells("walletd_payouts_batches_without_inputs(\\{.*\\})? " + value));
    }

    /** It takes half a minute until a batch is reported to have lost its inputs, because it may just have been mined. */
    @Tag("long")
    @Test
    void readyz_and_a_gauge_tell_of_a_batch_whose_inputs_have_vanished_until_its_payouts_are_queued_again() {
        try (DaemonRig daemon = startWithKeys()) {
            daemon.node().refuse("send_raw_transaction", any -> "Transaction validation failed: whatever");
            submit(daemon, payer, "coins-are-gone", 5_000);
            awaitState(daemon, "coins-are-gone", "in_flight");
            String batch = lastAttempt(daemon, "coins-are-gone");
            Map.Entry<Outpoint, Long> coin =
                    daemon.coins(payer).entrySet().iterator().next();
            devnet.ledger()
                    .submit(payer.pay(
                            devnet.genesisId(),
                            coin.getKey(),
                            TxOutput.toAddress(payer.address, Amount.of(coin.getValue() - 500))));
            daemon.mine(1);

            Await.until(
                    "readyz tells",
                    () -> daemon.readiness()
                            .body()
                            .contains("the inputs of the payout batch " + batch + " have all vanished from the chain"));
            assertThat(daemon.readiness().statusCode()).isEqualTo(503);
            awaitGauge(daemon, "1.0");

            daemon.node().tellTheTruth();
            daemon.mine(BURIAL);
            Await.until(
                    "another batch carries it",
                    () -> payout(daemon, "coins-are-gone").get("attempts").size() == 2);
            confirm(daemon, "coins-are-gone");
            awaitGauge(daemon, "0.0");
            Await.until("it is ready", () -> daemon.readiness().statusCode() == 200);
        }
        assertThat(paidToShop()).containsExactly(5_000L);
    }

    @Test
    void a_batch_is_found_by_whom_it_pays_names_its_token_and_hides_its_own_client_token() throws Exception {
        try (DaemonRig daemon = startWithKeys();
                EventReader events = EventReader.open(daemon.uri(), daemon.token(), null)) {
            submit(daemon, payer, "found-by-its-payee", 5_000);
            awaitState(daemon, "found-by-its-payee", "in_flight");

            JsonNode found = daemon.call("list_spends", "address", shop.address).get("spends");
            assertThat(found).hasSize(1);
            assertThat(found.at("/0/kind").asText()).isEqualTo("payout_batch");
            assertThat(found.at("/0/token_name").asText()).isEqualTo("spend");
            assertThat(daemon.call("list_spends", "address", poor.address).get("spends"))
                    .isEmpty();
            assertThat(events.next("spend").data()).contains("payout_batch").doesNotContain("client_token");
        }
    }

    @Test
    void a_recall_for_more_than_the_least_fee_is_bound_by_the_caps() {
        try (DaemonRig daemon = DaemonRig.over(devnet, datadir, "--payout-delay", "0", "--spend-cap-per-tx", "50000")) {
            daemon.imported(71);
            daemon.fund(payer, 3_000_000);
            daemon.mine(7);
            daemon.awaitFollowed();
            submit(daemon, payer, "recalled-at-a-price", 5_000);
            awaitInMempool(daemon, "recalled-at-a-price");
            String batch = lastAttempt(daemon, "recalled-at-a-price");

            daemon.refused(-32038, "payout_recall", "tx_id", batch, "fee_rate", 30_000);
            assertThat(payout(daemon, "recalled-at-a-price").get("state").asText())
                    .isEqualTo("in_flight");
            daemon.call("payout_recall", "tx_id", batch);
        }
    }
}
