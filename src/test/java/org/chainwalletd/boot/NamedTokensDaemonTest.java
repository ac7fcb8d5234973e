package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payout;
import static org.chainwalletd.testkit.DaemonRig.payouts;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.htlc.Locks;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.EventReader;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Named tokens created with the command line and used over HTTP with a whole daemon on a development chain (payments.md, section 3). */
@Tag("long")
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class NamedTokensDaemonTest {
    private static final int POLICY_REFUSED = -32043;
    private static final int UNAUTHORIZED = -32001;
    private static final Map<String, WalletdClient> CLIENTS = new ConcurrentHashMap<>();

    @TempDir
    static Path datadir;

    @TempDir
    static Path files;

    @AutoClose
    private static DaemonRig daemon;

    @AutoClose("shutdownNow")
    private static ExecutorService callers;

    @BeforeAll
    static void start() {
        daemon = DaemonRig.withChain(datadir, "--no-key-export", "true");
        callers = Executors.newCachedThreadPool();
    }

    /** Returns the output of a command, which must succeed. Synchronized, because concurrent commands would be told to retry. */
    private static synchronized String token(String... words) {
        String[] command =
                Stream.concat(Stream.of("token"), Arrays.stream(words)).toArray(String[]::new);
        return Commands.on(datadir, command).printed();
    }

    private static WalletdClient client(String token) {
        return CLIENTS.computeIfAbsent(token, each -> daemon.client(each));
    }

    private static boolean isAccepted(String token) {
        try {
            client(token).call("ping", Map.of());
            return true;
        } catch (WalletdException.RpcError e) {
            assertThat(e.code()).isEqualTo(UNAUTHORIZED);
            return false;
        }
    }

    private static WalletdClient taken(String token) {
        Await.until("the daemon takes the token", () -> isAccepted(token));
        return client(token);
    }

    private static WalletdException.RpcError refused(WalletdClient client, String method, Map<String, ?> params) {
        return DaemonProcess.refusal(client, method, params);
    }

    private static String rule(WalletdException.RpcError error) {
        assertThat(error.code()).as(error.getMessage()).isEqualTo(POLICY_REFUSED);
        return error.data("rule").orElseThrow().asText();
    }

    private static Map<String, Object> payment(Party from, Party to, long amount, String clientToken) {
        return DaemonRig.payment(from.address, to.address, amount, "client_token", clientToken);
    }

    private static HttpResponse<String> get(String page, String token) throws Exception {
        return Dial.answer(Dial.request(daemon.uri().resolve(page), token)
                .timeout(Duration.ofSeconds(10))
                .build());
    }

    @Test
    void a_token_is_taken_rotated_and_revoked_while_the_daemon_runs_and_what_it_has_open_ends() throws Exception {
        String first = token("create", "life", "--scope", "read");
        WalletdClient client = taken(first);
        assertThat(isAccepted(first.replace(first.charAt(0), first.charAt(0) == 'a' ? 'b' : 'a')))
                .as("forged")
                .isFalse();
        assertThat(refused(client, "transfer", Map.of()).code()).isEqualTo(UNAUTHORIZED);

        String second = token("rotate", "life", "--overlap", "1h");
        taken(second);
        assertThat(isAccepted(first)).isTrue();
        Party nobody = new Party(901);
        CompletableFuture<WalletdException.RpcError> wait = CompletableFuture.supplyAsync(
                () -> refused(
                        client(second), "wait_for_payment", params("address", nobody.address, "timeout_secs", 600)),
                callers);
        try (EventReader events = EventReader.open(daemon.uri(), second, null)) {
            assertThat(events.status()).isEqualTo(200);
            Await.until("the wait is open", () -> daemon.metrics().contains("walletd_rpc_waits 1"));

            token("revoke", "life");

            assertThat(Await.result(wait).code()).isEqualTo(UNAUTHORIZED);
            while (events.next().isPresent()) {
                continue;
            }
        }
        assertThat(isAccepted(first)).isFalse();
        assertThat(isAccepted(second)).isFalse();
    }

    @Test
    void a_call_whose_body_ends_after_its_token_was_revoked_is_refused_as_with_an_unknown_token() throws Exception {
        String token = token("create", "slow-body", "--scope", "manage");
        taken(token);
        String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"generate_independent_address\",\"params\":{\"label\":"
                + "\"of-slow-body\"}}";
        int half = call.length() / 2;
        try (Socket socket = Dial.socket(daemon.uri())) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST / HTTP/1.1\r\nHost: daemon\r\nAuthorization: Bearer " + token
                            + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                            + call.length() + "\r\n\r\n" + call.substring(0, half))
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            token("revoke", "slow-body");
            Await.until("the daemon takes the revocation", () -> !isAccepted(token));

            out.write(call.substring(half).getBytes(StandardCharsets.US_ASCII));
            out.flush();
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer)
                    .startsWith("HTTP/1.1 401 ")
                    .endsWith("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":"
                            + "\"authentication required\"},\"id\":null}");
        }
        assertThat(daemon.call("list_addresses").toString()).doesNotContain("of-slow-body");
    }

    @Test
    void a_policy_cannot_be_passed_by() throws Exception {
        Party payer = daemon.imported(911);
        Party other = daemon.imported(912);
        Party shop = new Party(913);
        Party stranger = new Party(914);
        daemon.fund(payer, 50_000_000);
        daemon.fund(other, 50_000_000);
        daemon.call("get_balance", "address", payer.address);
        Path list = Files.writeString(files.resolve("to.txt"), "# shops\n" + shop.address + "\n");
        WalletdClient worker = taken(token(
                "create", "payer", "--scope", "spend", "--from", payer.address.toString(), "--to", list.toString()));

        assertThat(rule(refused(worker, "transfer", payment(other, shop, 1_000, "by-pass-from"))))
                .isEqualTo("from");
        assertThat(rule(refused(worker, "transfer", payment(payer, stranger, 1_000, "by-pass-to"))))
                .isEqualTo("to");
        // Only real change is exempt, not other outputs marked as change: another address of the daemon, or the payer
        // as a destination.
        assertThat(rule(refused(worker, "transfer", payment(payer, other, 1_000, "by-pass-own"))))
                .isEqualTo("to");
        assertThat(rule(refused(worker, "transfer", payment(payer, payer, 1_000, "by-pass-self"))))
                .isEqualTo("to");
        Map<String, Object> dear = payment(payer, shop, 1_000, "by-pass-fee");
        dear.put("fee", 2_000_001);
        dear.put("max_fee", 3_000_000);
        assertThat(rule(refused(worker, "transfer", dear))).isEqualTo("fee");
        Map<String, Object> lock = Locks.lock(payer, stranger.key, Hash256.parse("11".repeat(32)), 10_000, 10_000);
        assertThat(rule(refused(worker, "htlc_lock", lock))).isEqualTo("to");
        for (String method : List.of(
                "send_raw_transaction",
                "htlc_claim",
                "htlc_reclaim",
                "swap_execute",
                "evm_send_native",
                "sign_message",
                "abandon_transfer",
                "generate_address",
                "import_vault",
                "delete_address",
                "htlc_forget")) {
            assertThat(rule(refused(worker, method, Map.of()))).as(method).isEqualTo("allow_list");
        }
        assertThat(rule(refused(worker, "reveal_private_key", params("address", payer.address))))
                .isEqualTo("key_export");
        assertThat(rule(refused(daemon.client(), "export_vault", Map.of()))).isEqualTo("key_export");

        JsonNode paid = worker.call("transfer", payment(payer, shop, 1_000, "within-policy"));
        assertThat(paid.get("tx_id").asText()).hasSize(64);
        assertThat(worker.call("transfer", payment(payer, shop, 1_000, "within-policy")))
                .isEqualTo(paid);
        assertThat(worker.call("get_wallet_balance", Map.of())).isNotNull();
    }

    @Test
    void a_token_spends_no_more_in_a_period_than_its_own_cap_and_no_refused_payment_leaves() {
        Party payer = daemon.imported(941);
        Party shop = new Party(942);
        daemon.fund(payer, 50_000_000);
        daemon.fund(payer, 50_000_000);
        String token = token("create", "daily", "--scope", "spend", "--cap-per-period", "3000");
        WalletdClient worker = taken(token);
        assertThat(token("list")).contains("cap-per-period=3000");

        JsonNode paid = worker.call("transfer", payment(payer, shop, 2_000, "daily-cap-1"));

        WalletdException.RpcError refused = refused(worker, "transfer", payment(payer, shop, 2_000, "daily-cap-2"));
        assertThat(rule(refused)).isEqualTo("cap_per_period");
        assertThat(refused.data("limit").orElseThrow().asLong()).isEqualTo(3_000);
        assertThat(refused.data("token").orElseThrow().asText()).isEqualTo("daily");
        assertThat(worker.call("transfer", payment(payer, shop, 2_000, "daily-cap-1")))
                .isEqualTo(paid);
        assertThat(worker.call("transfer", payment(payer, shop, 500, "daily-cap-2"))
                        .get("tx_id"))
                .isNotNull();
        assertThat(rule(refused(worker, "htlc_claim", Map.of()))).isEqualTo("allow_list");

        WalletdException.RpcError never =
                refused(worker, "payout_submit", payouts(payer, List.of(payout("daily-cap-3", shop, 5_000))));
        assertThat(rule(never)).isEqualTo("cap_per_period");
        assertThat(never.data("limit").orElseThrow().asLong()).isEqualTo(3_000);
    }

    @Test
    void each_item_of_a_batch_and_each_page_is_judged_alone() throws Exception {
        String token = token("create", "narrow", "--scope", "spend", "--methods", "ping,/metrics");
        taken(token);
        String batch = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
                + "\"list_addresses\"},{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}]";

        JsonNode answers = Dial.json(
                Dial.answer(Dial.post(daemon.uri(), token, batch).build()).body());

        assertThat(answers.get(0).has("result")).isTrue();
        assertThat(answers.get(1).at("/error/code").asInt()).isEqualTo(POLICY_REFUSED);
        assertThat(answers.get(1).at("/error/data/token").asText()).isEqualTo("narrow");
        assertThat(answers.get(1).at("/error/data/rule").asText()).isEqualTo("methods");
        assertThat(answers.get(1).at("/error/data/value").asText()).isEqualTo("list_addresses");
        assertThat(answers.get(1).at("/error/data/limit/0").asText()).isEqualTo("/metrics");
        assertThat(answers.get(2).has("result")).isTrue();
        assertThat(get("/metrics", token).statusCode()).isEqualTo(200);
        assertThat(get("/events", token).statusCode()).isEqualTo(403);
    }

    @Test
    void a_label_that_is_given_to_another_address_later_changes_no_token() {
        Party first = daemon.imported(921);
        String labelled = daemon.call("generate_independent_address", "label", "till")
                .get("address")
                .asText();
        WalletdClient worker = taken(token("create", "till-worker", "--scope", "spend", "--from", "till"));
        daemon.call("delete_address", "address", labelled, "force", true, "passphrase", DaemonRig.PASSPHRASE);
        String later = daemon.call("generate_independent_address", "label", "till")
                .get("address")
                .asText();

        Map<String, Object> payment = payment(first, first, 1_000, "label-moved");
        payment.put("from", later);
        assertThat(rule(refused(worker, "transfer", payment))).isEqualTo("from");
    }

    @Test
    void a_client_token_answers_its_receipt_to_the_name_that_has_bound_it_and_to_no_other() {
        Party payer = daemon.imported(931);
        Party shop = new Party(932);
        daemon.fund(payer, 50_000_000);
        WalletdClient one = taken(token("create", "one", "--scope", "spend"));
        WalletdClient two = taken(token("create", "two", "--scope", "spend"));
        Map<String, Object> payment = payment(payer, shop, 1_000, "bound-to-one");

        JsonNode paid = one.call("transfer", payment);

        WalletdClient rotated = taken(token("rotate", "one", "--overlap", "0s"));
        assertThat(rotated.call("transfer", payment)).isEqualTo(paid);
        assertThat(refused(two, "transfer", payment).code()).isEqualTo(-32035);
        WalletdException.RpcError conflict = refused(two, "transfer", payment);
        assertThat(conflict.data("bound_to").orElseThrow().asText()).isEqualTo("one");
        assertThat(conflict.data("tx_id")).contains(paid.get("tx_id"));
        Map<String, Object> batch = payouts(payer, List.of(payout("payout-of-one", shop, 700)));
        rotated.call("payout_submit", batch);
        assertThat(refused(two, "payout_submit", batch)
                        .data("bound_to")
                        .orElseThrow()
                        .asText())
                .isEqualTo("one");
        assertThat(refused(two, "transfer", payment(payer, shop, 700, "payout-of-one"))
                        .data("bound_to")
                        .map(JsonNode::asText))
                .as("a payout's id is no token of another name's transfer")
                .contains("one");
        assertThat(refused(rotated, "transfer", payment(payer, shop, 700, "payout-of-one"))
                        .data("bound_to"))
                .isEmpty();
        WalletdClient three = taken(token("create", "three", "--scope", "spend", "--cap-per-tx", "500"));
        assertThat(refused(three, "payout_submit", batch).data("bound_to").map(JsonNode::asText))
                .as("to whom an id belongs is told before what the caller may pay")
                .contains("one");
        assertThat(refused(daemon.client(), "transfer", payment).code()).isEqualTo(-32035);

        daemon.mine(1);
        Map<String, Object> classic = payment(payer, shop, 1_001, "bound-to-classic");
        JsonNode before = daemon.call("transfer", classic);
        assertThat(daemon.call("transfer", classic)).isEqualTo(before);
        assertThat(refused(rotated, "transfer", classic).code()).isEqualTo(-32035);
    }
}
