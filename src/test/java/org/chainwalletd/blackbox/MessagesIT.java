package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page on messages, payment URIs and quotes promises, and keys of the pool, on the packaged daemon. */
class MessagesIT {
    @TempDir
    Path folder;

    @Test
    void what_one_start_has_signed_the_next_one_verifies_with_a_read_token() {
        Path datadir = folder.resolve("datadir");
        String payee;
        JsonNode signed;
        JsonNode issued;
        try (DaemonProcess daemon =
                LauncherCall.daemonWithDevnet(datadir).manyKeys().start()) {
            String issuer = new Wallet(daemon, daemon).mint();
            payee = daemon.call("generate_independent_address", Map.of())
                    .path("pubkey")
                    .asText();
            signed = daemon.call("sign_message", Map.of("address", issuer, "message", "Grüße"));
            issued = daemon.call("quote_issue", terms(issuer, payee));

            String preimage = issued.path("htlc_preimage").asText();
            assertThat(daemon.errors()).as("the log").noneMatch(line -> line.contains(preimage));
            assertThat(daemon.output()).noneMatch(line -> line.contains(preimage));
            assertThat(DaemonProcess.refusal(
                                    daemon.client("read"), "sign_message", Map.of("address", issuer, "message", "x"))
                            .code())
                    .isEqualTo(-32001);
            assertThat(DaemonProcess.refusal(daemon.client("manage"), "quote_issue", terms(issuer, payee))
                            .code())
                    .isEqualTo(-32001);
            assertThat(daemon.stop()).isZero();
        }
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir).start()) {
            Map<String, Object> claim = new HashMap<>(Map.of(
                    "pubkey",
                    signed.path("pubkey").asText(),
                    "signature",
                    signed.path("signature").asText(),
                    "message",
                    "Grüße",
                    "address",
                    signed.path("address").asText()));
            assertThat(read(daemon, "verify_message", claim).path("valid").booleanValue())
                    .isTrue();
            claim.put("message", "Gruesse");
            assertThat(read(daemon, "verify_message", claim).path("valid").booleanValue())
                    .isFalse();

            JsonNode verified = read(daemon, "quote_verify", Map.of("quote", issued.path("quote")));
            assertThat(verified.path("valid").booleanValue())
                    .as(verified.toString())
                    .isTrue();
            assertThat(verified.path("signer_address")).isEqualTo(signed.path("address"));
            assertThat(verified.path("genesis_block_id")).isEqualTo(issued.path("genesis_block_id"));

            String uri = read(
                            daemon,
                            "payment_uri_encode",
                            Map.of("address", signed.path("address").asText(), "amount", 5_000, "memo", "two words"))
                    .path("uri")
                    .asText();
            assertThat(uri).isEqualTo("chain:" + signed.path("address").asText() + "?amount=5000&memo=two%20words");
            JsonNode decoded = read(daemon, "payment_uri_decode", Map.of("uri", uri));
            assertThat(decoded.path("amount").longValue()).isEqualTo(5_000);
            assertThat(decoded.path("memo").asText()).isEqualTo("two words");
            assertThat(daemon.stop()).isZero();
        }
    }

    @Test
    void keys_of_the_pool_are_given_out_once_and_are_there_after_a_kill() {
        Path datadir = folder.resolve("datadir");
        Set<String> given = new HashSet<>();
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir)
                .and("--key-pool", "2")
                .manyKeys()
                .start()) {
            Await.until("the pool is full", () -> daemon.metric("walletd_keyring_pool_keys") == 2);
            assertThat(daemon.call("list_addresses", Map.of()).path("addresses"))
                    .isEmpty();
            Wallet wallet = new Wallet(daemon, daemon);
            for (int i = 0; i < 3; i++) {
                given.add(wallet.mint());
            }
            daemon.kill();
        }
        try (DaemonProcess daemon =
                LauncherCall.daemonWithDevnet(datadir).manyKeys().start()) {
            assertThat(given).hasSize(3);
            assertThat(new Wallet(daemon, daemon).addresses()).containsExactlyInAnyOrderElementsOf(given);
            for (String address : given) {
                assertThat(daemon.call(
                                        "reveal_address_mnemonic",
                                        Map.of("address", address, "passphrase", DaemonProcess.PASSPHRASE))
                                .path("mnemonic"))
                        .hasSize(24);
            }
            assertThat(daemon.stop()).isZero();
        }
    }

    private static Map<String, Object> terms(String issuer, String payee) {
        return Map.of(
                "address", issuer,
                "payee_pubkey", payee,
                "currency", "EUR",
                "amount_minor", 1_250,
                "rate_chain_per_unit", 4_000,
                "chain_amount", 50_000,
                "ttl_secs", 3_600);
    }

    private static JsonNode read(DaemonProcess daemon, String method, Map<String, ?> params) {
        return daemon.client("read").call(method, params);
    }
}
