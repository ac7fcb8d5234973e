package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of the manual on messages, payment URIs and quotes, and keys of the pool, on the packaged daemon. */
@Tag("long")
class MessagesIT {
    private static final int POOLED = 2;
    /** Address of another party. */
    private static final String PAYEE = Vectors.text(Vectors.row("keys.json", "independent-80"), "public_key");

    @TempDir
    static Path folder;

    /** The second process, after the first one was killed. */
    private static DaemonProcess daemon;

    private static final Set<String> GIVEN = new LinkedHashSet<>();
    private static JsonNode signed;
    private static JsonNode issued;

    @BeforeAll
    static void live() {
        Path datadir = folder.resolve("datadir");
        try (DaemonProcess first = LauncherCall.daemonWithDevnet(datadir)
                .and("--key-pool", String.valueOf(POOLED))
                .manyKeys()
                .start()) {
            Await.until("the pool is full", () -> first.metric("walletd_keyring_pool_keys") == POOLED);
            assertThat(first.call("list_addresses", Map.of()).path("addresses")).isEmpty();
            Wallet wallet = new Wallet(first, first);
            for (int i = 0; i <= POOLED; i++) {
                GIVEN.add(wallet.mint());
            }
            String issuer = GIVEN.iterator().next();
            signed = first.call("sign_message", Map.of("address", issuer, "message", "Grüße"));
            issued = first.call("quote_issue", terms(issuer));

            String preimage = issued.path("htlc_preimage").asText();
            assertThat(first.errors()).as("the log").noneMatch(line -> line.contains(preimage));
            assertThat(first.output()).noneMatch(line -> line.contains(preimage));
            assertThat(DaemonProcess.refusal(
                                    first.client("read"), "sign_message", Map.of("address", issuer, "message", "x"))
                            .code())
                    .isEqualTo(-32001);
            assertThat(DaemonProcess.refusal(first.client("manage"), "quote_issue", terms(issuer))
                            .code())
                    .isEqualTo(-32001);
            first.kill();
        }
        daemon = LauncherCall.daemonWithDevnet(datadir).start();
    }

    @AfterAll
    static void stop() {
        if (daemon != null) {
            assertThat(daemon.stop()).isZero();
        }
    }

    @Test
    void what_one_start_has_signed_the_next_one_verifies_with_a_read_token() {
        Map<String, Object> claim = new HashMap<>(Map.of(
                "pubkey",
                signed.path("pubkey").asText(),
                "signature",
                signed.path("signature").asText(),
                "message",
                "Grüße",
                "address",
                signed.path("address").asText()));
        assertThat(read("verify_message", claim).path("valid").booleanValue()).isTrue();
        claim.put("message", "Gruesse");
        assertThat(read("verify_message", claim).path("valid").booleanValue()).isFalse();

        JsonNode verified = read("quote_verify", Map.of("quote", issued.path("quote")));
        assertThat(verified.path("valid").booleanValue())
                .as(verified.toString())
                .isTrue();
        assertThat(verified.path("signer_address")).isEqualTo(signed.path("address"));
        assertThat(verified.path("genesis_block_id")).isEqualTo(issued.path("genesis_block_id"));

        String uri = read(
                        "payment_uri_encode",
                        Map.of("address", signed.path("address").asText(), "amount", 5_000, "memo", "two words"))
                .path("uri")
                .asText();
        assertThat(uri).isEqualTo("chain:" + signed.path("address").asText() + "?amount=5000&memo=two%20words");
        JsonNode decoded = read("payment_uri_decode", Map.of("uri", uri));
        assertThat(decoded.path("amount").longValue()).isEqualTo(5_000);
        assertThat(decoded.path("memo").asText()).isEqualTo("two words");
    }

    @Test
    void keys_of_the_pool_are_given_out_once_and_are_there_after_a_kill() {
        assertThat(GIVEN).hasSize(POOLED + 1);
        assertThat(new Wallet(daemon, daemon).addresses()).containsExactlyInAnyOrderElementsOf(GIVEN);
        for (String address : GIVEN) {
            assertThat(daemon.call(
                                    "reveal_address_mnemonic",
                                    Map.of("address", address, "passphrase", DaemonProcess.PASSPHRASE))
                            .path("mnemonic"))
                    .hasSize(24);
        }
    }

    private static Map<String, Object> terms(String issuer) {
        return Map.of(
                "address", issuer,
                "payee_pubkey", PAYEE,
                "currency", "EUR",
                "amount_minor", 1_250,
                "rate_chain_per_unit", 4_000,
                "chain_amount", 50_000,
                "ttl_secs", 3_600);
    }

    private static JsonNode read(String method, Map<String, ?> params) {
        return daemon.client("read").call(method, params);
    }
}
