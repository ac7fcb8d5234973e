package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Methods of the account chain and of its key, over HTTP. */
@Tag("long")
@Timeout(120)
class EvmSendMethodsTest {
    private static final BigInteger ETHER = BigInteger.TEN.pow(18);
    private static final String JUNK = "test test test test test test test test test test test junk";
    private static final String JUNK_ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    private static final String JUNK_KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @AutoClose
    final EvmDevnet account = EvmDevnet.start();

    @TempDir
    Path datadir;

    private EvmDevnet evm;
    private EvmEndpoint second;
    private String payee;

    @BeforeEach
    void endpoints() {
        evm = account;
        evm.finality(2, 4);
        second = evm.newEndpoint();
        payee = evm.account(3).address().toString();
    }

    private DaemonRig daemon(String... more) {
        List<String> flags =
                new ArrayList<>(List.of("--evm-rpc", evm.uri() + "," + second.uri(), "--evm-chain-id", "31337"));
        flags.addAll(Arrays.asList(more));
        return new DaemonRig(datadir, chain.uri(), flags.toArray(String[]::new));
    }

    private void fundedKey(DaemonRig daemon) {
        evm.fund(
                EvmAddress.parse(
                        daemon.call("evm_create_address").get("address").asText()),
                ETHER);
    }

    /** Like a duplicate at the next keeper: the daemon that received the call has named it. */
    @Test
    void a_call_without_a_client_token_that_was_handed_over_pays_once_however_often_it_comes() throws Exception {
        try (DaemonRig daemon = daemon()) {
            fundedKey(daemon);

            Set<String> hashes = new HashSet<>();
            for (String name : List.of("aa", "aa", "bb")) {
                hashes.add(handedOver(daemon, name).get("result").get("txhash").asText());
            }
            assertThat(hashes).hasSize(2);
        }
    }

    private JsonNode handedOver(DaemonRig daemon, String name) throws IOException {
        byte[] request = ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"evm_send_native\",\"params\":{\"to\":\"" + payee
                        + "\",\"amount\":\"0.25\"}}")
                .getBytes(StandardCharsets.US_ASCII);
        return Dial.json(new String(
                Await.result(daemon.daemon().dispatcher().answerHere(request, Grant.of(Scope.SPEND), "", name))
                        .body(),
                StandardCharsets.UTF_8));
    }

    @Test
    void the_native_asset_is_paid_once_for_each_token_and_told_in_the_history() {
        BigInteger before = evm.balance(EvmAddress.parse(payee));
        Map<String, String> payment = Map.of("to", payee, "amount", "0.25", "client_token", "invoice-1");
        String txhash;
        try (DaemonRig daemon = daemon()) {
            daemon.refused(-32013, "evm_send_native", payment);
            daemon.refused(-32013, "evm_get_balances", Map.of());
            String own = daemon.call("evm_create_address").get("address").asText();
            daemon.refused(-32031, "evm_send_native", payment);
            evm.fund(EvmAddress.parse(own), ETHER);

            assertThat(daemon.call("evm_get_balances").toString())
                    .isEqualTo("{\"address\":\"" + own + "\",\"native_wei\":\"" + ETHER
                            + "\",\"gas_reserve_wei\":\"0\",\"tokens\":[]}");
            txhash = daemon.call("evm_send_native", payment).get("txhash").asText();
            assertThat(daemon.call("evm_send_native", payment).get("txhash").asText())
                    .isEqualTo(txhash);
            daemon.refused(
                    -32035, "evm_send_native", Map.of("to", payee, "amount", "0.3", "client_token", "invoice-1"));
            daemon.refused(-32602, "evm_delete_key", Map.of("passphrase", DaemonRig.PASSPHRASE));
        }
        evm.mine(6);
        try (DaemonRig daemon = daemon()) {
            assertThat(daemon.call("evm_send_native", payment).get("txhash").asText())
                    .isEqualTo(txhash);
            Await.until(
                    "it is final",
                    () -> "final"
                            .equals(history(daemon).get("txs").at("/0/status").asText()));
            JsonNode told = history(daemon);
            assertThat(told.get("chain_id").longValue()).isEqualTo(31_337);
            assertThat(told.get("txs")).hasSize(1);
            assertThat(told.get("txs").get(0).get("hash").asText()).isEqualTo(txhash);
            assertThat(told.get("txs").get(0).get("kind").asText()).isEqualTo("send");
            assertThat(told.get("txs").get(0).get("amount_wei").asText()).isEqualTo("250000000000000000");
        }
        assertThat(evm.balance(EvmAddress.parse(payee)).subtract(before))
                .isEqualTo(ETHER.divide(BigInteger.valueOf(4)));
    }

    @Test
    void a_client_token_answers_its_hash_to_the_name_that_has_bound_it_and_to_no_other() {
        Map<String, String> payment = Map.of("to", payee, "amount", "0.1", "client_token", "invoice-of-one");
        Map<String, String> classic = Map.of("to", payee, "amount", "0.1", "client_token", "invoice-of-all");
        BigInteger before = evm.balance(EvmAddress.parse(payee));
        String one = token("one");
        String two = token("two");
        String txhash;
        String earlier;
        try (DaemonRig daemon = daemon()) {
            fundedKey(daemon);
            txhash = pay(daemon.client(one), payment);
            earlier = pay(daemon.client(), classic);

            assertThat(pay(daemon.client(one), payment)).isEqualTo(txhash);
            assertThat(pay(daemon.client(), classic)).isEqualTo(earlier);
            assertBound(daemon.client(two), payment, "one", txhash);
            assertBound(daemon.client(), payment, "one", txhash);
            assertBound(daemon.client(one), classic, "spend", earlier);
            WalletdException.RpcError other = DaemonProcess.refusal(
                    daemon.client(one),
                    "evm_send_native",
                    Map.of("to", payee, "amount", "0.2", "client_token", "invoice-of-one"));
            assertThat(other.code()).isEqualTo(-32035);
            assertThat(other.data("bound_to")).isEmpty();
        }
        try (DaemonRig daemon = daemon()) {
            assertThat(pay(daemon.client(one), payment)).isEqualTo(txhash);
            assertBound(daemon.client(two), payment, "one", txhash);
            assertBound(daemon.client(two), classic, "spend", earlier);
        }
        evm.mine(6);
        assertThat(evm.balance(EvmAddress.parse(payee)).subtract(before))
                .isEqualTo(ETHER.divide(BigInteger.valueOf(5)));
    }

    @Test
    void a_payment_whose_token_is_revoked_before_it_is_written_down_is_refused_and_never_leaves() {
        String ending = token("ending");
        try (DaemonRig daemon = daemon()) {
            fundedKey(daemon);
            AtomicBoolean once = new AtomicBoolean();
            evm.endpoint().before("eth_getBalance", () -> {
                if (once.compareAndSet(false, true)) {
                    Commands.on(datadir, "token", "revoke", "ending").printed();
                    Await.until("the daemon takes the revocation", () -> !isAccepted(daemon, ending));
                }
            });

            WalletdException.RpcError refused = DaemonProcess.refusal(
                    daemon.client(ending),
                    "evm_send_native",
                    Map.of("to", payee, "amount", "0.1", "client_token", "invoice-of-ending"));

            assertThat(once).isTrue();
            assertThat(refused.code()).isEqualTo(-32001);
            assertThat(history(daemon).get("txs")).isEmpty();
            assertThat(evm.waiting()).isEmpty();
        }
    }

    private static boolean isAccepted(DaemonRig daemon, String token) {
        try {
            daemon.client(token).call("ping", Map.of());
            return true;
        } catch (WalletdException.RpcError e) {
            return false;
        }
    }

    private String token(String name) {
        return Commands.on(datadir, "token", "create", name, "--scope", "spend").printed();
    }

    private static String pay(WalletdClient client, Map<String, ?> payment) {
        return client.call("evm_send_native", payment).get("txhash").asText();
    }

    private static void assertBound(WalletdClient client, Map<String, ?> payment, String name, String txhash) {
        WalletdException.RpcError refused = DaemonProcess.refusal(client, "evm_send_native", payment);
        assertThat(refused.code()).isEqualTo(-32035);
        assertThat(refused.data("bound_to").map(JsonNode::asText)).contains(name);
        assertThat(refused.data("tx_id").map(JsonNode::asText)).contains(txhash);
        assertThat(refused.data("client_token").map(JsonNode::asText))
                .contains(payment.get("client_token").toString());
    }

    private static JsonNode history(DaemonRig daemon) {
        return daemon.call("evm_tx_history");
    }

    @Test
    void all_that_can_be_paid_is_paid_and_the_history_has_pages() {
        try (DaemonRig daemon = daemon()) {
            String own = daemon.call("evm_import_mnemonic", "mnemonic", JUNK)
                    .get("address")
                    .asText();
            for (String amount : List.of("0.1", "1", "max")) {
                daemon.call("evm_send_native", "to", payee, "amount", amount);
            }
            evm.mine();
            assertThat(evm.balance(EvmAddress.parse(own))).isLessThan(ETHER);
            daemon.refused(-32031, "evm_send_native", Map.of("to", payee, "amount", "1"));

            JsonNode first = daemon.call("evm_tx_history", "limit", 2);
            assertThat(first.get("txs")).hasSize(2);
            JsonNode last = daemon.call(
                    "evm_tx_history",
                    params("limit", 2, "cursor", first.get("next_cursor").asText()));
            assertThat(last.get("txs")).hasSize(1);
            assertThat(last.has("next_cursor")).isFalse();
            assertThat(last.get("txs").get(0).get("amount_wei").asText()).isEqualTo("100000000000000000");
        }
    }

    @Test
    void wrong_parameters_are_refused_before_anything_is_asked() {
        try (DaemonRig daemon = daemon()) {
            daemon.call("evm_create_address");
            for (Map<String, ?> wrong : List.of(
                    Map.of("to", payee),
                    Map.of("to", payee, "amount", "0"),
                    Map.of("to", payee, "amount", "-1"),
                    Map.of("to", payee, "amount", "1e3"),
                    Map.of("to", payee, "amount", "0.0000000000000000001"),
                    Map.of("to", "0x" + "0".repeat(40), "amount", "1"),
                    Map.of("to", payee.substring(2), "amount", "1"),
                    Map.of("to", payee, "amount", "1", "client_token", "short"))) {
                assertThat(daemon.refusal("evm_send_native", wrong))
                        .as("%s", wrong)
                        .isEqualTo(-32602);
            }
            daemon.refused(-32602, "evm_tx_history", Map.of("limit", 1_001));
            daemon.refused(-32602, "evm_tx_history", Map.of("cursor", "x"));
        }
    }

    @Test
    void a_send_that_no_endpoint_accepts_is_an_unknown_outcome_and_the_token_settles_it() {
        Map<String, String> payment = Map.of("to", payee, "amount", "1", "client_token", "invoice-2");
        try (DaemonRig daemon = daemon()) {
            String own = daemon.call("evm_create_address").get("address").asText();
            evm.fund(EvmAddress.parse(own), ETHER.multiply(BigInteger.TWO));
            evm.endpoint().refuse("eth_sendRawTransaction", -32000, "txpool is full");
            second.refuse("eth_sendRawTransaction", -32000, "txpool is full");

            WalletdException.RpcError unknown = catchThrowableOfType(
                    WalletdException.RpcError.class, () -> daemon.call("evm_send_native", payment));
            assertThat(unknown.code()).isEqualTo(-32020);
            assertThat(unknown.getMessage()).contains("unknown").contains("same client_token");
            evm.endpoint().behave();
            second.behave();
            String txhash =
                    daemon.call("evm_send_native", payment).get("txhash").asText();
            assertThat(unknown.getMessage()).contains(txhash);
            assertThat(evm.waiting()).hasSize(1);
        }
    }

    @Test
    void an_endpoint_of_another_chain_and_an_unknown_tag_of_finality_stop_the_start() {
        second.lies().chainId(1);
        assertThatThrownBy(this::daemon)
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("is on chain 1, not 31337");
        second.behave();
        second.refuse("eth_getBlockByNumber", -32602, "unknown block tag");
        assertThatThrownBy(this::daemon).isInstanceOf(StartupException.class).hasMessageContaining("unknown block tag");
        second.down();
        try (DaemonRig daemon = daemon()) {
            daemon.call("evm_create_address");
            daemon.refused(-32020, "evm_get_balances", Map.of());
        }
    }

    @Test
    void a_brand_has_its_own_names_beside_the_usual_ones() {
        try (DaemonRig daemon = daemon("--evm-brand", "acct")) {
            String own = daemon.call("acct_create_address").get("address").asText();

            assertThat(daemon.call("evm_get_address").get("address").asText()).isEqualTo(own);
            daemon.refused(-32012, "reveal_acct_private_key", Map.of("passphrase", "wrong"));
        }
    }

    /** A daemon without an account chain has the methods of its key. */
    @Test
    void a_key_is_made_revealed_replaced_and_deleted() {
        try (DaemonRig daemon = new DaemonRig(datadir, chain.uri())) {
            JsonNode none = daemon.call("evm_get_address");
            assertThat(none.toString()).isEqualTo("{\"address\":null,\"created\":false}");
            daemon.refused(-32013, "reveal_evm_private_key", passphrase());

            JsonNode made = daemon.call("evm_create_address");
            String first = made.get("address").asText();
            assertThat(first).matches("0x[0-9a-fA-F]{40}");
            assertThat(made.get("mnemonic")).hasSize(24);
            assertThat(daemon.call("evm_get_address").get("address").asText()).isEqualTo(first);
            assertThat(daemon.call("evm_reveal_mnemonic", passphrase()).get("mnemonic"))
                    .isEqualTo(made.get("mnemonic"));
            daemon.refused(-32012, "evm_reveal_mnemonic", Map.of("passphrase", "another"));

            daemon.refused(-32011, "evm_create_address", Map.of());
            daemon.refused(-32011, "evm_import_key", Map.of("private_key_hex", JUNK_KEY));
            daemon.refused(-32602, "evm_import_mnemonic", Map.of("mnemonic", JUNK, "overwrite", true));
            daemon.refused(-32602, "evm_delete_key", passphrase());

            JsonNode deleted = daemon.call("evm_delete_key", "passphrase", DaemonRig.PASSPHRASE, "force", true);
            assertThat(deleted.toString()).isEqualTo("{\"deleted\":\"" + first + "\"}");
            daemon.refused(-32013, "evm_delete_key", passphrase());

            assertThat(daemon.call("evm_import_mnemonic", "mnemonic", JUNK).toString())
                    .isEqualTo("{\"address\":\"" + JUNK_ADDRESS + "\"}");
            assertThat(daemon.call("reveal_evm_private_key", passphrase()).toString())
                    .isEqualTo("{\"address\":\"" + JUNK_ADDRESS + "\",\"private_key_hex\":\"" + JUNK_KEY + "\"}");
        }
    }

    private static Map<String, String> passphrase() {
        return Map.of("passphrase", DaemonRig.PASSPHRASE);
    }
}
