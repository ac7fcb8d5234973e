package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.BlackBox.params;
import static org.chainwalletd.spend.BlackBox.secret;
import static org.chainwalletd.spend.BlackBox.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.ledger.Coin;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The packaged daemon dies in the middle of payments, like with kill -9, and what it promised holds after its next start. */
class SpendCrashIT {
    private static final int PAYERS = 4;

    @TempDir
    Path folder;

    private final TestKeys keys = new TestKeys(SpendHarness.PROFILE);
    private Devnet devnet;
    private DaemonProcess daemon;

    @BeforeEach
    void start() throws IOException {
        devnet = Devnet.start(DevnetConfig.onDemand(SpendHarness.PROFILE));
    }

    @AfterEach
    void stop() {
        if (daemon != null) {
            daemon.close();
        }
        devnet.close();
    }

    private void launch(String javaOptions) {
        daemon = LauncherCall.daemon(folder)
                .node(devnet.uri())
                .with("WALLETD_JAVA_OPTS", javaOptions)
                .start();
        daemon.awaitReady();
    }

    private Address funded(int key, int coins) {
        Address address = keys.add(key);
        daemon.call("import_private_key", params("private_key", secret(key)));
        for (int i = 0; i < coins; i++) {
            devnet.faucet(address, Amount.of(100_000));
        }
        devnet.mine(1);
        return address;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"SPEND_BEFORE_INTENT", "SPEND_AFTER_INTENT", "SPEND_AFTER_BROADCAST", "SPEND_AFTER_OUTCOME"})
    void the_token_of_a_payment_that_died_half_way_is_worth_one_payment(String point) {
        launch("-Dwalletd.crash-point=" + point);
        Address payer = funded(1, 3);
        Address shop = keys.add(99);
        Map<String, Object> payment = transfer(payer.hex(), shop.hex(), 5_000, "client_token", "crash-" + point);
        assertThat(answer(payment)).as("the daemon dies").isEmpty();
        assertThat(daemon.exitCode()).isEqualTo(137);
        launch("");

        String txId = daemon.call("transfer", payment).get("tx_id").asText();
        assertThat(daemon.call("transfer", payment).get("tx_id").asText()).isEqualTo(txId);

        settle();
        assertThat(coins(shop)).hasSize(1);
        assertThat(coins(shop).get(0).outpoint().txId().hex()).isEqualTo(txId);
    }

    /** {@code -Dspend.kills=50} for more. */
    @Test
    void kills_at_random_moments_under_load_lose_no_receipt_and_make_no_second_payment() throws InterruptedException {
        Random random = Seeded.random("kill -9 under load");
        Map<Map<String, Object>, String> acknowledged = new ConcurrentHashMap<>();
        List<Map<String, Object>> asked = new ArrayList<>();
        launch("");
        List<Address> payers = new ArrayList<>();
        for (int i = 0; i < PAYERS; i++) {
            payers.add(funded(1 + i, 40));
        }
        int kills = Integer.getInteger("spend.kills", 2);
        for (int round = 0; round < kills; round++) {
            List<Thread> workers = new ArrayList<>();
            for (int i = 0; i < PAYERS; i++) {
                workers.add(worker(round, i, payers.get(i), asked, acknowledged));
            }
            workers.forEach(Thread::start);
            int wanted = acknowledged.size() + 1 + random.nextInt(8);
            Await.until("some payments are acknowledged", () -> acknowledged.size() >= wanted);
            TimeUnit.MICROSECONDS.sleep(random.nextInt(20_000));
            daemon.kill();
            for (Thread worker : workers) {
                worker.join();
            }
            launch("");
            settle();
        }

        for (Map<String, Object> payment : asked) {
            String txId = daemon.call("transfer", payment).get("tx_id").asText();
            assertThat(Optional.ofNullable(acknowledged.get(payment)).orElse(txId))
                    .isEqualTo(txId);
        }
        settle();
        for (Map<String, Object> payment : asked) {
            assertThat(coins(recipient(payment)))
                    .as("coins paid for " + payment)
                    .hasSize(1);
        }
    }

    /** Pays until the daemon dies. */
    private Thread worker(
            int round,
            int number,
            Address payer,
            List<Map<String, Object>> asked,
            Map<Map<String, Object>, String> acknowledged) {
        return new Thread(() -> {
            for (int i = 0; i < 12; i++) {
                String token = "kill-" + round + "-" + number + "-" + i;
                String to = Hash256.sha256(token.getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                        .hex();
                Map<String, Object> payment = transfer(payer.hex(), to, 5_000, "client_token", token);
                synchronized (asked) {
                    asked.add(payment);
                }
                Optional<JsonNode> result = answer(payment);
                if (result.isEmpty()) {
                    return;
                }
                acknowledged.put(payment, result.get().get("tx_id").asText());
            }
        });
    }

    private Optional<JsonNode> answer(Map<String, Object> payment) {
        try {
            return Optional.of(daemon.call("transfer", payment));
        } catch (WalletdException.Transport died) {
            return Optional.empty();
        }
    }

    private static Address recipient(Map<String, Object> payment) {
        Map<?, ?> output = (Map<?, ?>) ((List<?>) payment.get("outputs")).get(0);
        return Address.parse((String) output.get("to"));
    }

    private void settle() {
        Await.until("nothing is in flight", () -> {
            devnet.mine(1);
            JsonNode status = daemon.call("get_status", Map.of());
            return status.get("in_flight_transfers").asInt() == 0
                    && status.get("in_flight_utxos").asInt() == 0;
        });
    }

    private List<Coin> coins(Address address) {
        return devnet.ledger()
                .list(Bytes.wrap(address.toArray()), null, null, 1000)
                .coins();
    }
}
