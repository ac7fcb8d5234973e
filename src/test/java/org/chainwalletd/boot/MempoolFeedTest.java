package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Reports of payments that are not in a block yet, over a node that pushes (following.md, sections 3, 5 and 6). */
@Tag("long")
@Timeout(120)
class MempoolFeedTest {
    private static final String PREIMAGE = "6f70656e20736573616d65";
    private static final Executor THREAD = command -> new Thread(command).start();

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    @AutoClose
    private DaemonRig daemon;

    private String address;

    @BeforeEach
    void start() {
        daemon = new DaemonRig(folder, chain.uri());
        address = daemon.newAddress();
        mine();
    }

    private void mine() {
        chain.mine(1);
        daemon.awaitFollowed(chain.node());
    }

    private String pay(long amount) {
        return chain.node().faucet(Address.parse(address), Amount.of(amount)).hex();
    }

    private String now() {
        return daemon.call("list_credits", "from", "now", "address", address)
                .path("cursor")
                .asText();
    }

    private CompletableFuture<JsonNode> calling(String method, Map<String, ?> params) {
        return CompletableFuture.supplyAsync(() -> daemon.call(method, params), THREAD);
    }

    @Test
    void who_waits_for_the_feed_of_an_address_learns_of_a_payment_in_the_mempool_and_then_of_its_block()
            throws Exception {
        CompletableFuture<JsonNode> waiting =
                calling("list_credits", Map.of("cursor", now(), "address", address, "wait_secs", 60));
        String txId = pay(5_000);

        JsonNode seen = Await.outcome(waiting);

        JsonNode credit = seen.path("credits").get(0);
        assertThat(credit.path("event").asText()).isEqualTo("seen");
        assertThat(credit.path("tx_id").asText()).isEqualTo(txId);
        assertThat(credit.path("block_height").isNull()).isTrue();
        assertThat(credit.path("spendable_height").isNull()).isTrue();
        assertThat(credit.path("confirmations").asLong()).isZero();
        chain.mine(1);
        JsonNode confirmed = daemon.call(
                "list_credits", "cursor", seen.path("cursor").asText(), "address", address, "wait_secs", 60);
        assertThat(confirmed.path("credits").get(0).path("event").asText()).isEqualTo("confirmed");
    }

    @Test
    void a_payment_between_two_waits_with_a_cursor_is_told_by_the_second_one_and_only_once() throws Exception {
        String cursor = now();
        String first = pay(5_000);
        mine();

        JsonNode missed =
                daemon.call("wait_for_payment", "address", address, "since_cursor", cursor, "timeout_secs", 30);

        assertThat(missed.path("received").asBoolean()).isTrue();
        assertThat(missed.path("tx_id").asText()).isEqualTo(first);
        assertThat(missed.path("confirmations").asLong()).isEqualTo(1);
        String after = missed.path("cursor").asText();
        CompletableFuture<JsonNode> waiting =
                calling("wait_for_payment", Map.of("address", address, "since_cursor", after, "timeout_secs", 60));
        String second = pay(6_000);
        JsonNode seen = Await.outcome(waiting);
        assertThat(seen.path("tx_id").asText()).isEqualTo(second);
        assertThat(seen.path("amount").asLong()).isEqualTo(6_000);
        assertThat(seen.path("confirmations").asLong()).isZero();
        mine();
        JsonNode nothing = daemon.call(
                "wait_for_payment",
                params("address", address, "since_cursor", seen.path("cursor").asText(), "timeout_secs", 0));
        assertThat(nothing.path("timed_out").asBoolean()).isTrue();
        assertThat(nothing.path("cursor").asText()).isNotEmpty();
    }

    @Test
    void the_preimage_of_a_counterpartys_claim_is_reported_before_its_block(@TempDir Path other) {
        try (DaemonRig counterparty = new DaemonRig(other, chain.uri())) {
            JsonNode receiver = counterparty.call("generate_standard_address");
            JsonNode sender = daemon.call("generate_standard_address");
            chain.node().faucet(Address.parse(sender.path("address").asText()), Amount.of(10_000_000));
            mine();
            String lock = daemon.call(
                            "htlc_lock",
                            params(
                                    "from", sender.path("address").asText(),
                                    "receiver", receiver.path("pubkey").asText(),
                                    "hash_lock",
                                            Hash256.sha256(Bytes.parse(PREIMAGE).toArray())
                                                    .hex(),
                                    "timeout", 100_000,
                                    "amount", 1_000_000))
                    .path("tx_id")
                    .asText();
            mine();
            counterparty.call(
                    "htlc_claim",
                    params(
                            "from",
                            receiver.path("address").asText(),
                            "lock_tx_id",
                            lock,
                            "preimage",
                            PREIMAGE,
                            "sender",
                            sender.path("pubkey").asText(),
                            "timeout",
                            100_000));

            Await.until("the claim is seen", () -> !status(lock).path("claim").isNull());

            JsonNode record = status(lock);
            assertThat(record.at("/claim/preimage").asText()).isEqualTo(PREIMAGE);
            assertThat(record.at("/claim/block_height").isNull()).isTrue();
            assertThat(record.path("state").asText()).isEqualTo("locked");
            mine();
            assertThat(status(lock).path("state").asText()).isEqualTo("claimed");
        }
    }

    private JsonNode status(String lock) {
        return daemon.call("htlc_status", "lock_tx_id", lock);
    }

    @Test
    void a_cursor_for_an_address_that_is_not_ours_or_of_another_feed_is_refused_and_without_one_there_is_none() {
        String all = daemon.call("list_credits", "from", "now").path("cursor").asText();
        assertThatThrownBy(() -> daemon.call("wait_for_payment", "address", address, "since_cursor", all))
                .isInstanceOf(WalletdException.InvalidParams.class);
        assertThatThrownBy(() -> daemon.call("wait_for_payment", "address", "ab".repeat(32), "since_cursor", now()))
                .isInstanceOf(WalletdException.InvalidParams.class);
        assertThat(daemon.call("wait_for_payment", "address", address, "timeout_secs", 0)
                        .has("cursor"))
                .isFalse();
    }
}
