package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.DaemonProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The packaged daemon dies between the intent and the broadcast of a lock, a claim and a reclaim; the next process completes each with the same
 * bytes.
 */
@Tag("long")
class HtlcCrashIT extends SeededDaemon {
    private static final String POINT = "SPEND_AFTER_INTENT";
    private static final String PREIMAGE = "5ec7e7";
    private static final String HASH_LOCK =
            Hash256.sha256(new byte[] {0x5e, (byte) 0xc7, (byte) 0xe7}).hex();
    private static final long AMOUNT = 100_000;

    @Test
    void a_lock_a_claim_and_a_reclaim_are_each_made_once_when_the_daemon_dies() {
        JsonNode sender;
        JsonNode receiver;
        Map<String, Object> lock;
        try (DaemonProcess daemon = daemon().crashAt(POINT).start()) {
            sender = daemon.call("generate_address", Map.of());
            receiver = daemon.call("generate_address", Map.of());
            Wallet wallet = new Wallet(daemon, chain.uri());
            wallet.fund(sender.get("address").asText(), 1_000_000, 1_000_000);
            lock = lock(sender, receiver, "first-lock");
            diesIn(daemon, "htlc_lock", lock);
        }
        Map<String, Object> claim;
        Map<String, Object> reclaim;
        // The claim is its second new call.
        try (DaemonProcess daemon = daemon().crashAt(POINT + "#2").start()) {
            claim = claim(sender, receiver, settled(daemon, "htlc_lock", lock), "the-claim");
            lock.put("client_token", "second-lock");
            reclaim = reclaim(sender, receiver, settled(daemon, "htlc_lock", lock), "the-reclaim");
            diesIn(daemon, "htlc_claim", claim);
        }
        try (DaemonProcess daemon = daemon().crashAt(POINT).start()) {
            settled(daemon, "htlc_claim", claim);
            diesIn(daemon, "htlc_reclaim", reclaim);
        }
        try (DaemonProcess daemon = daemon().start()) {
            settled(daemon, "htlc_reclaim", reclaim);
            Wallet wallet = new Wallet(daemon, chain.uri());
            // Two locks of 79, of which one was claimed for 69 and one reclaimed for 64.
            assertThat(wallet.balance(receiver.get("address").asText())).isEqualTo(AMOUNT - 69);
            assertThat(wallet.balance(sender.get("address").asText())).isEqualTo(2_000_000 - 2 * 79 - AMOUNT - 64);
            assertThat(daemon.stop()).isZero();
        }
    }

    /** Makes a new call in which the daemon dies at {@link #POINT}. */
    private static void diesIn(DaemonProcess daemon, String method, Map<String, Object> params) {
        try {
            daemon.call(method, params);
            throw new AssertionError(method + " was answered past " + POINT);
        } catch (WalletdException.Transport died) {
            assertThat(daemon.exitCode()).as(method).isEqualTo(HALTED);
        }
    }

    /** Repeats a call during which the previous process may have died; returns the id of the only transaction, which is in a block. */
    private String settled(DaemonProcess daemon, String method, Map<String, Object> params) {
        Wallet wallet = new Wallet(daemon, chain.uri());
        wallet.confirm();
        JsonNode result = daemon.call(method, params);
        wallet.confirm();
        String txId = result.get("tx_id").asText();
        wallet.confirmed(txId);
        assertThat(daemon.call(method, params)).isEqualTo(result);
        wallet.awaitNothingInFlight();
        return txId;
    }

    private static Map<String, Object> lock(JsonNode sender, JsonNode receiver, String token) {
        return new LinkedHashMap<>(Map.of(
                "from",
                sender.get("address").asText(),
                "receiver",
                receiver.get("pubkey").asText(),
                "hash_lock",
                HASH_LOCK,
                "timeout",
                1,
                "amount",
                AMOUNT,
                "client_token",
                token));
    }

    private static Map<String, Object> claim(JsonNode sender, JsonNode receiver, String lockTxId, String token) {
        return Map.of(
                "from",
                receiver.get("address").asText(),
                "lock_tx_id",
                lockTxId,
                "preimage",
                PREIMAGE,
                "sender",
                sender.get("pubkey").asText(),
                "timeout",
                1,
                "client_token",
                token);
    }

    private static Map<String, Object> reclaim(JsonNode sender, JsonNode receiver, String lockTxId, String token) {
        return Map.of(
                "from",
                sender.get("address").asText(),
                "lock_tx_id",
                lockTxId,
                "receiver",
                receiver.get("pubkey").asText(),
                "hash_lock",
                HASH_LOCK,
                "timeout",
                1,
                "client_token",
                token);
    }
}
