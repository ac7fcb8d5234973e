package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole daemon over HTTP at a node that accepts 30 scans and 60 submissions per minute, and whose clock is stopped, so that the minute does
 * not end (chain protocol, section 10.3; following.md, sections 2, 5 and 6).
 */
@Tag("long")
class UnderQuotasTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int SCANS = 30;
    private static final int SUBMISSIONS = 60;
    private static final int WAITS = 300;

    @TempDir
    Path folder;

    private Devnet chain;
    private DaemonRig rig;
    private Address own;

    @BeforeEach
    void start() throws IOException {
        chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE)
                .withFirstBlocks(SUBMISSIONS + 12)
                .withClock(new ManualClock(Instant.now())));
        rig = DaemonRig.over(chain, folder, "--rebroadcast-interval-secs", "3600");
        rig.awaitFollowed();
        own = Address.parse(rig.newAddress());
        chain.faults().quota(true);
    }

    @AfterEach
    void stop() {
        rig.close();
        chain.close();
    }

    private long scans() {
        return listings() + rig.node().count("get_address_mempool") + rig.node().count("get_address_mempool_batch");
    }

    /** Number of listings of confirmed coins; background work requests them only to cover an address. */
    private long listings() {
        return rig.node().count("get_balance")
                + rig.node().count("get_balances")
                + rig.node().count("get_address_utxos")
                + rig.node().count("get_address_utxos_batch");
    }

    private void fund(int coins) {
        for (int i = 0; i < coins; i++) {
            chain.faucet(own, Amount.of(10_000));
        }
        chain.mine(1);
        rig.awaitFollowed();
    }

    private Map<String, Object> payment(int number) {
        return DaemonRig.payment(own, new Party(77).address, 1_000 + number, "client_token", "payment-" + number);
    }

    @Test
    void a_minute_takes_sixty_transfers_from_a_covered_address_and_the_next_one_is_told_why_and_not_sent() {
        fund(SUBMISSIONS + 5);
        for (int i = 0; i < SUBMISSIONS; i++) {
            rig.call("transfer", payment(i));
        }

        assertThat(rig.node().count("send_raw_transaction")).isEqualTo(SUBMISSIONS);
        WalletdException.RpcError refused = rig.refused("transfer", payment(SUBMISSIONS));
        assertThat(refused.getMessage()).contains("Rate limit exceeded");
        chain.mine(1);
        assertThat(rig.coins(new Party(77))).hasSize(SUBMISSIONS);
    }

    @Test
    void three_hundred_waits_on_as_many_addresses_leave_most_scans_to_payments_and_a_block_answers_all() {
        List<Address> shops = new ArrayList<>();
        for (int i = 0; i < WAITS; i++) {
            shops.add(new Party(1 + i % 200).address);
        }
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try {
            long before = scans();
            CompletableFuture<JsonNode> answers = CompletableFuture.supplyAsync(() -> waitForPayments(shops), caller);
            Await.until(
                    "all wait", () -> rig.metrics().contains("walletd_waits_open{kind=\"payment\"} " + WAITS + ".0"));
            Await.until("the nodes were looked at", () -> scans() > before);
            assertThat(scans() - before).as("scans of waits").isLessThanOrEqualTo(SCANS / 3);
            for (int i = 0; i < SCANS / 2; i++) {
                rig.call("get_address_utxos", "address", new Party(201 + i).address);
            }
            shops.stream().distinct().forEach(shop -> chain.faucet(shop, Amount.of(5_000)));
            chain.mine(1);

            assertThat(Await.result(answers))
                    .hasSize(WAITS)
                    .allMatch(answer -> answer.at("/result/received").asBoolean());
        } finally {
            caller.shutdownNow();
        }
    }

    /** Opens the waits in one batch. */
    private JsonNode waitForPayments(List<Address> addresses) {
        ArrayNode batch = JSON.createArrayNode();
        addresses.forEach(address -> batch.addObject()
                .put("jsonrpc", "2.0")
                .put("id", batch.size())
                .put("method", "wait_for_payment")
                .putObject("params")
                .put("address", address.hex())
                .put("timeout_secs", 100));
        return Dial.json(Dial.answer(Dial.post(rig.uri(), rig.token(), batch.toString())
                        .timeout(Duration.ofSeconds(110))
                        .build())
                .body());
    }

    @Test
    void what_covers_an_address_is_read_as_often_as_one_likes_and_a_stranger_is_told_of_the_quota() {
        fund(2);
        long before = listings();
        for (int i = 0; i < 2 * SCANS; i++) {
            assertThat(rig.balance(own)).isEqualTo(20_000);
            assertThat(rig.call("get_address_utxos", "address", own).get("utxos"))
                    .hasSize(2);
        }
        assertThat(listings()).isEqualTo(before);

        Map<String, Object> stranger = params("address", new Party(5).address);
        assertThat(refusal(stranger).getMessage()).contains("Rate limit exceeded");
        assertThat(rig.balance(own)).isEqualTo(20_000);
    }

    /** Requests a balance until it is refused, which background requests may cause earlier. */
    private WalletdException.RpcError refusal(Map<String, Object> address) {
        for (int i = 0; i < SCANS; i++) {
            try {
                rig.call("get_balance", address);
            } catch (WalletdException.RpcError refused) {
                return refused;
            }
        }
        return rig.refused("get_balance", address);
    }
}
