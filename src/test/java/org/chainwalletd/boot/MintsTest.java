package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Dial;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of new keys over HTTP, each of which takes time, and their effect on other callers. */
@Tag("long")
class MintsTest {
    /** Some tens of milliseconds: far more than the measured times, but still short. */
    private static final Argon2 SLOW = new Argon2(16_384, 2, 1);

    private static final int BATCH = 12;

    @TempDir
    Path datadir;

    private static String batch() {
        return IntStream.range(0, BATCH)
                .mapToObj(i ->
                        "{\"jsonrpc\":\"2.0\",\"method\":\"generate_standard_address\",\"params\":{},\"id\":" + i + "}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static CompletableFuture<HttpResponse<String>> post(DaemonRig daemon) {
        HttpRequest request = Dial.post(daemon.uri(), daemon.token(), batch()).build();
        return HttpClient.newHttpClient().sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    private static int keys(DaemonRig daemon) {
        return daemon.call("list_addresses").path("addresses").size();
    }

    private static boolean minting(DaemonRig daemon) {
        return daemon.tells("walletd_keyring_mints [1-9].*");
    }

    @Test
    void a_reveal_waits_for_one_key_that_is_being_made_and_not_for_all() throws Exception {
        try (DaemonRig daemon = DaemonRig.ofCost(SLOW, datadir, "--unseal-threads", "1")) {
            String address =
                    daemon.call("generate_independent_address").path("address").asText();
            var mints = post(daemon);
            Await.until("keys are being made", () -> minting(daemon));

            daemon.call("reveal_private_key", "address", address, "passphrase", DaemonRig.PASSPHRASE);

            assertThat(keys(daemon)).isLessThan(BATCH / 2);
            JsonNode answers = Dial.json(Await.outcome(mints).body());
            assertThat(answers).hasSize(BATCH).allMatch(answer -> answer.has("result"));
        }
    }

    @Test
    void what_is_above_the_bound_is_refused_with_a_time_to_come_back() throws Exception {
        try (DaemonRig daemon = DaemonRig.ofCost(SLOW, datadir, "--unseal-threads", "1", "--max-mints", "2")) {
            JsonNode answers = Dial.json(Await.outcome(post(daemon)).body());

            int made = 0;
            for (JsonNode answer : answers) {
                if (answer.has("result")) {
                    made++;
                } else {
                    assertThat(answer.at("/error/code").asInt()).isEqualTo(-32042);
                    assertThat(answer.at("/error/data/retryable").asBoolean()).isTrue();
                    assertThat(answer.at("/error/data/retry_after_secs").asInt())
                            .isPositive();
                }
            }
            assertThat(made).isBetween(2, BATCH - 1).isEqualTo(keys(daemon));
            assertThat(daemon.metrics()).contains("walletd_keyring_mints_refused_total " + (BATCH - made));
        }
    }

    @Test
    void keys_of_a_caller_who_has_left_are_not_made() throws Exception {
        try (DaemonRig daemon = DaemonRig.ofCost(SLOW, datadir, "--unseal-threads", "1")) {
            abandon(daemon);

            Await.until(
                    "the abandoned calls end",
                    () -> daemon.tells("walletd_keyring_mints_abandoned_total [1-9].*") && !minting(daemon));
            assertThat(keys(daemon)).isLessThan(BATCH);
        }
    }

    private static void abandon(DaemonRig daemon) throws IOException {
        try (Socket socket = Dial.socket(daemon.uri())) {
            String request = "POST / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + daemon.token()
                    + "\r\ncontent-type: application/json\r\ncontent-length: " + batch().length() + "\r\n\r\n"
                    + batch();
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            Await.until("keys are being made", () -> minting(daemon));
            socket.setSoLinger(true, 0);
        }
    }
}
