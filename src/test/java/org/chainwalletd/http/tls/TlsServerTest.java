package org.chainwalletd.http.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.chainwalletd.http.RawClient;
import org.chainwalletd.http.RawHttp2;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.http.WithServer;
import org.chainwalletd.http.door.AddressShares;
import org.chainwalletd.http.door.ClientAddress;
import org.chainwalletd.http.door.HttpHandler;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.Listener;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.TestCertificate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
public class TlsServerTest extends WithServer {
    /** More than a client can send before its connection is closed after some tenths of a second. */
    private static final long ENDLESS = 4L << 30;

    private TlsIdentity identity;

    @BeforeEach
    void serve() throws Exception {
        identity = TlsIdentity.open(
                datadir,
                "chain-walletd",
                TlsIdentity.names(InetAddress.getByName("127.0.0.1"), List.of("wallet.example")),
                line -> {});
        fixture = ServerFixture.http2(datadir, ServerFixture.LIMITS, Optional.of(identity));
    }

    @Test
    void a_client_that_trusts_cert_pem_checks_the_host_name_and_speaks_http_2() throws Exception {
        HttpClient client = client();

        for (String host : List.of("localhost", "127.0.0.1")) {
            HttpResponse<String> answer = client.send(post(host, "\"x\""), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("content-type")).contains("application/json");
            assertThat(answer.headers().firstValue("server")).isEmpty();
            assertThat(answer.body()).contains("\"scope\":\"spend\"").contains("\"bytes\":3");
        }
    }

    @Test
    void a_server_that_does_not_offer_http_2_chooses_http_1_1_and_refuses_who_knows_nothing_else() throws Exception {
        try (ServerFixture only1 = ServerFixture.tls(datadir, ServerFixture.LIMITS, identity)) {
            assertThat(got(client(), only1.server.address(), "/healthz").version())
                    .isEqualTo(HttpClient.Version.HTTP_1_1);
            try (SSLSocket socket = http2Socket(only1)) {
                assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLHandshakeException.class);
            }
        }
    }

    @Test
    void http_1_1_works_over_tls_too() throws Exception {
        HttpClient client = HttpClient.newBuilder()
                .sslContext(trusting(datadir))
                .version(HttpClient.Version.HTTP_1_1)
                .build();

        for (int i = 0; i < 20; i++) {
            HttpResponse<String> answer = posted(client, "\"x\"");
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThat(answer.statusCode()).isEqualTo(200);
        }
    }

    @Test
    void a_client_that_asks_for_the_end_of_its_connection_is_not_kept_waiting_for_it() throws Exception {
        assertThat(answerTo("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200")
                .endsWith("ok");
    }

    @Test
    void what_is_said_to_a_client_that_makes_no_sense_is_whole_over_tls_too() throws Exception {
        assertThat(answerTo("no sense\r\n\r\n")).startsWith("HTTP/1.1 400").endsWith("}");
    }

    @Test
    void many_requests_share_one_http_2_connection_and_wait_for_each_other_in_no_order() throws Exception {
        HttpClient client = client();
        posted(client, "\"x\"");
        CompletableFuture<HttpResponse<String>> waiting = posting(client, "\"wait\"");
        // The other calls use the slots of the same token.
        fixture.awaitCalls(2);
        List<CompletableFuture<HttpResponse<String>>> quick = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            quick.add(posting(client, "\"x\""));
        }
        for (CompletableFuture<HttpResponse<String>> answer : quick) {
            assertThat(Await.outcome(answer).statusCode()).isEqualTo(200);
        }
        assertThat(waiting.isDone()).isFalse();
        assertThat(fixture.server.connections()).isEqualTo(1);

        fixture.gate.complete(null);
        assertThat(Await.outcome(waiting).statusCode()).isEqualTo(200);
    }

    @Test
    void a_long_body_works_over_http_2_and_one_over_the_limit_is_413() throws Exception {
        HttpClient client = client();

        assertThat(posted(client, "y".repeat(700_000)).body()).contains("\"bytes\":700000");
        assertThat(posted(client, "y".repeat(3_000_000)).statusCode()).isEqualTo(413);
    }

    @Test
    void a_host_name_that_is_not_in_the_certificate_is_refused_by_the_client() throws Exception {
        try (SSLSocket socket = (SSLSocket) trusting(datadir)
                .getSocketFactory()
                .createSocket(
                        Dial.socket("127.0.0.1", fixture.server.address().getPort()), "other.example", 443, true)) {
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);

            assertThatThrownBy(socket::startHandshake)
                    .isInstanceOf(SSLHandshakeException.class)
                    .hasMessageContaining("other.example");
        }
    }

    @Test
    void the_bootstrap_pages_serve_what_a_pinning_client_then_sees() throws Exception {
        Pinning first = new Pinning(null);
        HttpClient trustOnFirstUse = first.client();
        String fingerprint = got(trustOnFirstUse, fixture.server.address(), "/chain-walletd/cert.fingerprint")
                .body();
        String pem = got(trustOnFirstUse, fixture.server.address(), "/chain-walletd/cert.pem")
                .body();

        assertThat(fingerprint).matches("sha256:[0-9a-f]{64}").isEqualTo(identity.fingerprint());
        assertThat(fingerprint).isEqualTo(Files.readString(datadir.resolve("cert.fingerprint")));
        assertThat(pem).isEqualTo(Files.readString(datadir.resolve("cert.pem")));
        HttpClient pinning = new Pinning(fingerprint).client();
        assertThat(posted(pinning, "\"x\"").statusCode()).isEqualTo(200);
        HttpClient wrongPin = new Pinning("sha256:" + "0".repeat(64)).client();
        assertThatThrownBy(() -> posted(wrongPin, "\"x\"")).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_key_that_stands_in_cert_pem_is_not_served(boolean keyFirst) throws Exception {
        Path file = datadir.resolve("cert.pem");
        String certificate = Files.readString(file);
        String key = Files.readString(datadir.resolve("cert.key"));
        Files.writeString(file, keyFirst ? key + certificate : "a word before\n" + certificate + key);
        TlsIdentity opened = TlsIdentity.open(datadir, "chain-walletd", List.of(), line -> {});
        try (ServerFixture server = ServerFixture.tls(datadir, ServerFixture.LIMITS, opened)) {
            HttpClient pinning = new Pinning(identity.fingerprint()).client();
            assertThat(got(pinning, server.server.address(), "/chain-walletd/cert.pem")
                            .body())
                    .isEqualTo(certificate);
        }
    }

    @Test
    void the_bootstrap_pages_do_not_exist_without_tls() throws Exception {
        try (ServerFixture plain = new ServerFixture(datadir, ServerFixture.LIMITS);
                RawClient client = plain.client()) {
            assertThat(client.send("GET /chain-walletd/cert.pem HTTP/1.1\r\nHost: x\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void a_handshake_that_does_not_end_in_time_is_cut_off() throws Exception {
        HttpLimits impatient = ServerFixture.limits(
                Duration.ofMillis(200), Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(60));
        try (ServerFixture slow = ServerFixture.tls(datadir, impatient, identity);
                RawClient client = slow.client()) {
            client.send(new byte[] {0x16, 0x03, 0x01, 0x02});

            assertThat(client.readToEnd()).isEmpty();
            slow.awaitRefusal("request");
        }
    }

    @Test
    void an_http_2_connection_without_requests_is_closed() throws Exception {
        HttpLimits impatient = ServerFixture.limits(
                Duration.ofSeconds(60), Duration.ofMillis(200), Duration.ofSeconds(60), Duration.ofSeconds(60));
        try (ServerFixture quick = ServerFixture.http2(datadir, impatient, Optional.of(identity))) {
            assertThat(got(client(), quick.server.address(), "/healthz").version())
                    .isEqualTo(HttpClient.Version.HTTP_2);

            quick.awaitRefusal("idle");
            Await.until("it is closed", () -> quick.server.connections() == 0);
        }
    }

    @Test
    void draining_lets_the_calls_of_an_http_2_connection_end_and_closes_it() throws Exception {
        HttpClient client = client();
        CompletableFuture<HttpResponse<String>> waiting = posting(client, "\"wait\"");
        fixture.awaitCalls(1);

        CompletableFuture<Void> drained =
                fixture.server.drain(Duration.ofSeconds(60)).toCompletableFuture();
        fixture.gate.complete(null);

        assertThat(Await.outcome(waiting).statusCode()).isEqualTo(200);
        Await.outcome(drained);
    }

    @Test
    void what_is_still_in_work_over_http_2_at_the_end_of_the_drain_is_answered_with_503() throws Exception {
        HttpClient client = client();
        CompletableFuture<HttpResponse<String>> waiting = posting(client, "\"wait\"");
        fixture.awaitCalls(1);

        CompletableFuture<Void> drained =
                fixture.server.drain(Duration.ofSeconds(2)).toCompletableFuture();

        assertThat(Await.outcome(waiting).statusCode()).isEqualTo(503);
        Await.outcome(drained);
    }

    @Test
    void bytes_that_are_no_tls_close_their_connection_only() throws Exception {
        try (RawClient client = fixture.client()) {
            client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");

            assertThat(client.readToEnd()).doesNotContain("200 OK");
        }
        HttpClient client = client();
        assertThat(posted(client, "\"x\"").statusCode()).isEqualTo(200);
    }

    @Test
    void a_client_that_renegotiates_is_cut_off() throws Exception {
        try (SSLSocket socket = socket(fixture)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            RawClient client = new RawClient(socket);
            assertThat(client.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);

            socket.startHandshake();

            assertThatThrownBy(() -> {
                        client.post(ServerFixture.READ, "\"x\"").read();
                        client.post(ServerFixture.READ, "\"x\"").read();
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void connections_beyond_those_that_fit_in_the_heap_are_refused_and_places_are_given_back() throws Exception {
        List<String> refused = new CopyOnWriteArrayList<>();
        HttpHandler handler = (request, connection, presence) -> {
            connection.requestArrived();
            return CompletableFuture.completedFuture(org.apache.pekko.http.javadsl.model.HttpResponse.create());
        };
        Listener listener = new Listener(
                fixture.system,
                ServerFixture.LIMITS,
                new AddressShares(ServerFixture.LIMITS, ByteBudget.of(1 << 20), new ClientAddress(List.of())),
                new TlsLayers(fixture.system, identity, handler, Optional.empty(), refused::add, 2),
                false,
                refused::add);
        listener.bind(ServerFixture.LOOPBACK);
        try (RawClient one = RawClient.to(listener.address());
                RawClient two = RawClient.to(listener.address())) {
            Await.until("both are open", () -> listener.connections() == 2);
            assertThat(List.of(one.socket(), two.socket())).allMatch(socket -> socket.isConnected());
            try (RawClient three = RawClient.to(listener.address())) {
                assertThat(three.readToEnd()).isEmpty();
            }
            assertThat(refused).contains("overload");
        }
        Await.until("they are closed", () -> listener.connections() == 0);
        assertThat(got(client(), listener.address(), "/").statusCode()).isEqualTo(200);
    }

    @Test
    void tls_1_1_is_refused() throws Exception {
        try (SSLSocket socket = socket(fixture)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.1"});

            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLHandshakeException.class);
        }
    }

    @Test
    void openssl_verifies_the_certificate_against_itself() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/openssl")), "openssl is not installed");
        Process openssl = new ProcessBuilder(
                        "/usr/bin/openssl",
                        "s_client",
                        "-connect",
                        "127.0.0.1:" + fixture.server.address().getPort(),
                        "-CAfile",
                        datadir.resolve("cert.pem").toString(),
                        "-verify_ip",
                        "127.0.0.1",
                        "-x509_strict",
                        "-verify_return_error",
                        "-brief")
                .redirectErrorStream(true)
                .start();
        openssl.getOutputStream().close();
        String said = Await.output(openssl);

        assertThat(said).contains("Verification: OK").contains("TLSv1.3");
    }

    private HttpClient client() throws Exception {
        return HttpClient.newBuilder().sslContext(trusting(datadir)).build();
    }

    private HttpResponse<String> posted(HttpClient client, String body) throws Exception {
        return client.send(post("localhost", body), HttpResponse.BodyHandlers.ofString());
    }

    private CompletableFuture<HttpResponse<String>> posting(HttpClient client, String body) {
        return client.sendAsync(post("localhost", body), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> got(HttpClient client, InetSocketAddress server, String path) throws Exception {
        URI uri = URI.create("https://localhost:" + server.getPort() + path);
        return client.send(Dial.request(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private SSLSocket socket(ServerFixture server) throws Exception {
        SSLSocket socket = (SSLSocket) trusting(datadir)
                .getSocketFactory()
                .createSocket("127.0.0.1", server.server.address().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private SSLSocket http2Socket(ServerFixture server) throws Exception {
        SSLSocket socket = socket(server);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        return socket;
    }

    /** Returns everything that the server answers to this request. */
    private String answerTo(String request) throws Exception {
        try (SSLSocket socket = socket(fixture)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private HttpRequest post(String host, String body) {
        return Dial.request(URI.create(
                        "https://" + host + ":" + fixture.server.address().getPort() + "/"))
                .header("Authorization", "Bearer " + ServerFixture.SPEND)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_http_2_client_that_broke_the_protocol_is_told_and_cut_while_it_continues_to_send(boolean tls)
            throws Exception {
        try (ServerFixture server = tls ? null : ServerFixture.http2(datadir, ServerFixture.LIMITS, Optional.empty());
                RawHttp2 client = new RawHttp2(tls ? http2Socket(fixture) : Dial.socket(server.server.address()))) {
            CompletableFuture<Integer> goAway = CompletableFuture.supplyAsync(() -> {
                try {
                    return client.goAway();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            client.send(RawHttp2.DATA, 0, 0, new byte[1]);
            byte[] more = new byte[16 << 10];
            long sent = 0;
            try {
                while (sent < ENDLESS) {
                    client.sendRaw(more);
                    sent += more.length;
                }
            } catch (IOException cut) {
                assertThat(sent).isLessThan(ENDLESS);
            }

            assertThat(sent).as("bytes that were taken").isLessThan(ENDLESS);
            assertThat(Await.result(goAway)).isEqualTo(1);
            ServerFixture asked = tls ? fixture : server;
            Await.until("the connection is closed", () -> asked.server.connections() == 0);
            assertThat(asked.refusals).as("no deadline had to come first").containsExactly("http2");
        }
    }

    /** @param datadir of the server */
    public static SSLContext trusting(Path datadir) throws Exception {
        try (InputStream pem = Files.newInputStream(datadir.resolve("cert.pem"))) {
            return TestCertificate.trusting(
                    CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
    }

    /** Trusts the certificate with one fingerprint, or any when there is none yet, as interface.md section 5.5 describes it. */
    private record Pinning(String fingerprint) implements X509TrustManager {
        HttpClient client() throws Exception {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {this}, null);
            return HttpClient.newBuilder().sslContext(context).build();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
                if (fingerprint != null
                        && !fingerprint.equals("sha256:" + HexFormat.of().formatHex(digest))) {
                    throw new CertificateException("another certificate than the pinned one");
                }
            } catch (NoSuchAlgorithmException e) {
                throw new CertificateException(e);
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("this is a client");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
