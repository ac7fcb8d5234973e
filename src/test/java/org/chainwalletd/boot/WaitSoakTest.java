package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.EventReader;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Waits of all kinds that are opened, left, answered and timed out leave nothing behind. Two rounds by default, which show that every wait and
 * stream ends; with {@code -Dsoak.minutes=30} as long as that, and then the heap after a collection has to be flat.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class WaitSoakTest {
    private static final int MINUTES = Integer.getInteger("soak.minutes", 0);
    private static final int ROUNDS = 2;
    private static final int WAITS = Integer.getInteger("soak.waits", 60);
    /** What the chain of the soak itself adds, and what a collector leaves. */
    private static final double GROWTH = 1.1;

    private static final long SLACK = 8L << 20;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private final Random random = Seeded.random("WaitSoakTest");
    private final HttpClient http = HttpClient.newHttpClient();
    private DaemonRig daemon;
    private WalletdClient node;
    private String address;
    private String token;

    @BeforeEach
    void start() throws IOException {
        daemon = new DaemonRig(folder, chain.uri());
        token = Files.readString(folder.resolve("token-read")).strip();
        node = new WalletdClient(chain.uri(), "none", Optional.empty());
        address = daemon.call("generate_standard_address", Map.of())
                .path("address")
                .asText();
        node.call("devnet_mine", Map.of());
        Await.until(
                "the chain is followed",
                () -> daemon.followerStatus().path("last_indexed_height").asLong(-1) > 0);
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    @Test
    void waits_that_are_opened_left_answered_and_timed_out_leave_nothing_behind() throws Exception {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        List<Long> heaps = new ArrayList<>();
        for (int round = 0; round < ROUNDS || System.nanoTime() < end; round++) {
            HangWatch.alive();
            round();
            Await.until("no wait and no stream is open", this::isQuiet);
            if (MINUTES > 0) {
                heaps.add(heapAfterCollection());
            }
        }
        if (MINUTES > 0) {
            long early = least(heaps.subList(heaps.size() / 4, heaps.size() / 2));
            long late = least(heaps.subList(heaps.size() * 3 / 4, heaps.size()));
            System.out.printf(
                    Locale.ROOT,
                    "rounds %d, waits %d, heap early %d late %d bytes%n",
                    heaps.size(),
                    heaps.size() * WAITS,
                    early,
                    late);
            assertThat(late).isLessThanOrEqualTo((long) (early * GROWTH) + SLACK);
        }
    }

    private void round() throws Exception {
        String cursor = daemon.call("list_credits", Map.of("from", "now", "address", address))
                .path("cursor")
                .asText();
        List<Socket> leaving = new ArrayList<>();
        List<CompletableFuture<HttpResponse<String>>> staying = new ArrayList<>();
        for (int i = 0; i < WAITS; i++) {
            boolean leaves = random.nextInt(3) == 0;
            // Some time out, some are answered by the payment below, those that leave would wait for ever.
            int seconds = leaves ? 600 : 1 + random.nextInt(3);
            String body = wait(cursor, seconds, leaves);
            if (leaves) {
                leaving.add(send(body));
            } else {
                staying.add(call(body));
            }
        }
        List<EventReader> readers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            readers.add(EventReader.open(daemon.uri(), token, null));
        }
        node.call("devnet_faucet", Map.of("address", address, "amount", 1_000));
        node.call("devnet_mine", Map.of());
        for (Socket socket : leaving) {
            socket.close();
        }
        for (EventReader reader : readers) {
            reader.close();
        }
        for (CompletableFuture<HttpResponse<String>> call : staying) {
            assertThat(call.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        }
    }

    private String wait(String cursor, int seconds, boolean forNothing) {
        String unknown = "%064x".formatted(random.nextLong() >>> 1);
        String to = forNothing ? unknown : address;
        return switch (random.nextInt(forNothing ? 2 : 4)) {
            case 0 -> rpc("wait_for_tx", "\"tx_id\":\"" + unknown + "\",\"timeout_secs\":" + seconds);
            case 1 -> rpc("wait_for_payment", "\"address\":\"" + to + "\",\"timeout_secs\":" + seconds);
            case 2 ->
                rpc(
                        "wait_for_payment",
                        "\"address\":\"" + to + "\",\"since_cursor\":\"" + cursor + "\",\"timeout_secs\":" + seconds);
            default ->
                rpc(
                        "list_credits",
                        "\"address\":\"" + to + "\",\"cursor\":\"" + cursor + "\",\"wait_secs\":" + seconds);
        };
    }

    private static String rpc(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params + "}}";
    }

    private CompletableFuture<HttpResponse<String>> call(String body) {
        URI url = daemon.uri();
        return http.sendAsync(
                Dial.request(url)
                        .version(HttpClient.Version.HTTP_1_1)
                        .header("authorization", "Bearer " + token)
                        .header("content-type", "application/json")
                        .timeout(Duration.ofSeconds(100))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Asks and reads no answer. */
    private Socket send(String body) throws IOException {
        Socket socket = Dial.socket(daemon.uri());
        String head = "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n";
        socket.getOutputStream().write((head + body).getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private boolean isQuiet() {
        return daemon.metrics()
                .lines()
                .filter(line -> line.startsWith("walletd_waits_open") || line.startsWith("walletd_http_event_streams"))
                .allMatch(line -> line.endsWith(" 0.0"));
    }

    private static long heapAfterCollection() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    private static long least(List<Long> heaps) {
        return heaps.stream().mapToLong(Long::longValue).min().orElseThrow();
    }
}
