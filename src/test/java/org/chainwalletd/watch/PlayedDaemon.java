package org.chainwalletd.watch;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.chainwalletd.client.WalletdClient;

/** Test server that acts as a daemon with scripted answers and events. */
final class PlayedDaemon implements AutoCloseable {
    static final String ADDRESS = "ad".repeat(32);
    static final String TX = "7a".repeat(32);

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final Map<String, String> results = new ConcurrentHashMap<>();
    private final List<OutputStream> streams = new CopyOnWriteArrayList<>();

    /** {@code Last-Event-ID} of each opened stream; empty for none. */
    final List<String> opened = new CopyOnWriteArrayList<>();

    volatile int status = 200;
    /** HTTP status like {@link #status}, but only for streams. */
    volatile int streamStatus = 200;

    PlayedDaemon() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "played-daemon");
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", this::call);
        server.createContext("/metrics", exchange -> answer(exchange, """
                walletd_rpc_waits{kind="tx"} 12
                walletd_upstream_up{node="http://node:1/"} 1
                walletd_upstream_connections{node="http://node:1/"} 3
                walletd_spend_outcomes_total{outcome="accepted"} 41
                walletd_spend_oldest_unconfirmed_seconds 300
                walletd_ready{check="nodes"} 1
                walletd_ready{check="follower"} 0
                walletd_spend_outcomes_total{outcome="contested"} 0
                walletd_payouts_waiting{for="coins"} 1200
                walletd_payouts_waiting{for="next_block"} 34
                walletd_payouts_waiting{for="paused"} 0
                walletd_payouts_oldest_seconds 720
                jvm_memory_used_bytes{area="heap",id="a"} 1.048576E8
                """));
        server.createContext(
                "/readyz",
                exchange ->
                        answer(exchange, 503, "{\"ready\":false,\"reasons\":[\"the follower is 4 blocks behind\"]}"));
        server.createContext("/events", this::stream);
        server.start();
        status(1234, 2);
        result("get_follower_status", """
                {"last_indexed_height":1230,"last_indexed_block_id":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","tip_height":1234,"lag":4,"indexed_htlc_count":1,
                "follower_started_at":1,"full_scan_complete":false,"rescan_blocks_left":77,"tip_age_seconds":1,"complaints":[]}""");
        result("get_wallet_balance", """
                {"entries":[{"address":"%1$s","label":"shop","imported":true,"balance":18446744073709551615},
                {"address":"%1$s","label":"evil\\u001b[2Jlabel","imported":true,"balance":5}],"total":18446744073709551615}""".formatted(ADDRESS));
        result("htlc_list", """
                {"htlcs":[{"lock_tx_id":"%s","output_index":0,"params":{"sender":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","receiver":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","hash_lock":"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","timeout_height":2000},
                "amount":700,"lock_block_height":1200,"state":"locked_expired","claim":null,"reclaim":null,"role":"sender","last_indexed_height":1230}]}""".formatted(TX));
    }

    WalletdClient client() {
        return new WalletdClient(uri(), "t", Optional.empty(), Duration.ofSeconds(5));
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    void result(String method, String json) {
        results.put(method, json);
    }

    void status(long tip, int inFlight) {
        result("get_status", """
                {"version":"9.8.7","tip":{"block_id":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","height":%d},"upstream_ok":true,"upstream_nodes":["http://node:1/"],
                "wallet_count":2,"in_flight_utxos":3,"in_flight_transfers":%d,"network":"devnet","genesis_block_id":"9999999999999999999999999999999999999999999999999999999999999999"}""".formatted(tip, inFlight));
    }

    /** Sends an event to every open stream. */
    void tell(String event) {
        for (OutputStream stream : streams) {
            try {
                stream.write(event.getBytes(StandardCharsets.UTF_8));
                stream.flush();
            } catch (IOException gone) {
                streams.remove(stream);
            }
        }
    }

    void credit(String id, long amount) {
        tell("id: " + id + "\nevent: credit\ndata: {\"event\":\"confirmed\",\"amount\":" + amount + ",\"address\":\""
                + ADDRESS + "\",\"tx_id\":\"" + TX + "\",\"output_index\":1}\n\n");
    }

    void cutStreams() {
        for (OutputStream stream : streams) {
            streams.remove(stream);
            try {
                stream.close();
            } catch (IOException gone) {
                // Expected.
            }
        }
    }

    int streams() {
        return streams.size();
    }

    private void call(HttpExchange exchange) throws IOException {
        String method = JSON.readTree(exchange.getRequestBody()).path("method").asText();
        answer(
                exchange,
                status == 200
                        ? "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + results.get(method) + "}"
                        : "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"authentication required\"}}");
    }

    private void answer(HttpExchange exchange, String text) throws IOException {
        answer(exchange, status, text);
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void stream(HttpExchange exchange) throws IOException {
        opened.add(Optional.ofNullable(exchange.getRequestHeaders().getFirst("last-event-id"))
                .orElse(""));
        int answer = status == 200 ? streamStatus : status;
        exchange.sendResponseHeaders(answer, answer == 200 ? 0 : -1);
        if (answer == 200) {
            OutputStream body = exchange.getResponseBody();
            body.write(":\n\n".getBytes(StandardCharsets.UTF_8));
            body.flush();
            streams.add(body);
        }
    }

    @Override
    public void close() {
        cutStreams();
        server.stop(0);
    }
}
