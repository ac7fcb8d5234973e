package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that stops answers those who wait before it lets the other calls end. */
@Timeout(120)
class WaitsAtStopTest {
    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private final ExecutorService callers = Executors.newFixedThreadPool(3);
    private Daemon daemon;
    private String token;
    private WalletdClient client;

    @BeforeEach
    void start() throws Exception {
        Settings settings = SettingsLoader.load(
                        Map.of(
                                "--datadir",
                                folder.toString(),
                                "--bind",
                                "127.0.0.1:0",
                                "--node-rpc",
                                chain.uri().toString()),
                        Map.of(),
                        folder)
                .settings();
        daemon =
                Daemon.start(settings, SecretBytes.takeOver("tests only".getBytes(StandardCharsets.UTF_8)), line -> {});
        token = Files.readString(folder.resolve("token-spend")).strip();
        client = new WalletdClient(daemon.uri(), token, Optional.empty(), Duration.ofSeconds(100));
    }

    @AfterEach
    void stop() {
        daemon.close();
        callers.shutdownNow();
    }

    @Test
    void open_waits_get_their_normal_time_out_answer() {
        String address = client.call("generate_standard_address", Map.of())
                .get("address")
                .asText();
        CompletableFuture<JsonNode> payment = open("wait_for_payment", Map.of("address", address, "timeout_secs", 600));
        CompletableFuture<JsonNode> transaction =
                open("wait_for_tx", Map.of("tx_id", "ab".repeat(32), "timeout_secs", 600));
        CompletableFuture<JsonNode> credits = open("list_credits", Map.of("wait_secs", 600));
        for (String kind : new String[] {"payment", "tx", "credits"}) {
            Await.until("a wait of kind " + kind + " is open", () -> isOpen(kind));
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
        return CompletableFuture.supplyAsync(() -> client.call(method, params), callers);
    }

    private boolean isOpen(String kind) {
        HttpRequest metrics = HttpRequest.newBuilder(daemon.uri().resolve("/metrics"))
                .header("authorization", "Bearer " + token)
                .timeout(Duration.ofSeconds(10))
                .build();
        try {
            return HttpClient.newHttpClient()
                    .send(metrics, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .contains("walletd_waits_open{kind=\"" + kind + "\"} 1.0");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode answer(CompletableFuture<JsonNode> call) {
        return call.orTimeout(10, TimeUnit.SECONDS).join();
    }
}
