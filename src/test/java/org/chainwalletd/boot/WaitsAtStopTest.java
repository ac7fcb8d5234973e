package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A stopping daemon answers its waits before it drains the other calls. */
@Timeout(120)
class WaitsAtStopTest {
    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private final ExecutorService callers = Executors.newFixedThreadPool(3);
    private DaemonRig daemon;

    @BeforeEach
    void start() {
        daemon = new DaemonRig(folder, chain.uri());
    }

    @AfterEach
    void stop() {
        daemon.close();
        callers.shutdownNow();
    }

    @Test
    void open_waits_get_their_normal_time_out_answer() {
        String address = daemon.newAddress();
        CompletableFuture<JsonNode> payment = open("wait_for_payment", Map.of("address", address, "timeout_secs", 600));
        CompletableFuture<JsonNode> transaction =
                open("wait_for_tx", Map.of("tx_id", "ab".repeat(32), "timeout_secs", 600));
        CompletableFuture<JsonNode> credits = open("list_credits", Map.of("wait_secs", 600));
        for (String kind : new String[] {"payment", "tx", "credits"}) {
            Await.until(
                    "a wait is open", () -> daemon.metrics().contains("walletd_waits_open{kind=\"" + kind + "\"} 1.0"));
        }

        daemon.close();

        assertThat(answer(payment).get("timed_out").asBoolean()).isTrue();
        assertThat(answer(payment).get("received").asBoolean()).isFalse();
        assertThat(answer(credits).get("credits")).isEmpty();
        assertThat(answer(credits).get("cursor").asText()).isNotEmpty();
        assertThatThrownBy(() -> answer(transaction))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        WalletdException.RpcError.class,
                        error -> assertThat(error.code()).isEqualTo(-32040));
    }

    private CompletableFuture<JsonNode> open(String method, Map<String, ?> params) {
        return CompletableFuture.supplyAsync(() -> daemon.call(method, params), callers);
    }

    private static JsonNode answer(CompletableFuture<JsonNode> call) {
        return Await.result(call);
    }
}
