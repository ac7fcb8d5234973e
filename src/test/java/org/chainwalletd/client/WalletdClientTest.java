package org.chainwalletd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FreePort;
import org.chainwalletd.testkit.PlayedServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WalletdClientTest {
    private static final Duration PATIENT = Duration.ofSeconds(30);

    private PlayedServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void a_result_keeps_all_64_bits_and_the_token_is_sent_as_bearer() throws Exception {
        URI url = serve(200, "{\"jsonrpc\":\"2.0\",\"result\":{\"balance\":18446744073709551615},\"id\":1}");

        BigInteger balance = client(url)
                .call("get_balance", Map.of("address", "00"))
                .get("balance")
                .bigIntegerValue();

        assertThat(balance).isEqualTo(new BigInteger("18446744073709551615"));
        assertThat(server.requests())
                .extracting(PlayedServer.Request::authorization)
                .containsExactly("Bearer secret-token");
    }

    @Test
    void an_error_object_becomes_a_typed_error_whatever_the_status() throws Exception {
        URI url = serve(
                401,
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"authentication required\"},\"id\":null}");

        assertThatThrownBy(() -> client(url).call("ping", Map.of()))
                .asInstanceOf(type(WalletdException.RpcError.class))
                .satisfies(e -> {
                    assertThat(e.code()).isEqualTo(-32001);
                    assertThat(e.kind()).isEqualTo(WalletdException.Kind.AUTHENTICATION);
                    assertThat(e.data()).isNull();
                });
    }

    @Test
    void an_unknown_code_falls_through_to_the_generic_kind_with_its_data() throws Exception {
        URI url = serve(
                200,
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32039,\"message\":\"x\",\"data\":{\"retryable\":true}},\"id\":1}");

        assertThatThrownBy(() -> client(url).call("transfer", Map.of()))
                .asInstanceOf(type(WalletdException.RpcError.class))
                .satisfies(e -> {
                    assertThat(e.kind()).isEqualTo(WalletdException.Kind.OTHER);
                    assertThat(e.data().get("retryable").booleanValue()).isTrue();
                });
    }

    @Test
    void a_body_that_is_not_json_rpc_is_a_transport_failure() throws Exception {
        URI url = serve(502, "<html>bad gateway</html>");

        assertThatThrownBy(() -> client(url).call("ping", Map.of()))
                .isInstanceOf(WalletdException.Transport.class)
                .hasMessageContaining("HTTP 502")
                .hasMessageNotContaining("secret-token");
    }

    @Test
    void an_unreachable_daemon_is_a_transport_failure() throws Exception {
        assertThatThrownBy(() -> client(URI.create("http://127.0.0.1:" + FreePort.any() + "/"))
                        .call("ping", Map.of()))
                .isExactlyInstanceOf(WalletdException.Transport.class);
    }

    @Test
    void a_fingerprint_needs_https() {
        assertThatThrownBy(() -> new WalletdClient(
                        URI.create("http://127.0.0.1/"), "t", Optional.of("sha256:" + "0".repeat(64)), PATIENT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https://");
    }

    @Test
    void the_pinned_certificate_is_trusted_and_no_other() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair keys = generator.generateKeyPair();
        X509Certificate certificate = selfSigned(keys);
        URI url = serveTls(keys, certificate);
        String fingerprint = "sha256:"
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));

        WalletdClient pinned = new WalletdClient(url, "t", Optional.of(fingerprint), PATIENT);
        assertThat(pinned.call("ping", Map.of()).get("ok").booleanValue()).isTrue();

        WalletdClient other = new WalletdClient(url, "t", Optional.of("sha256:" + "0".repeat(64)), PATIENT);
        assertThatThrownBy(() -> other.call("ping", Map.of())).isInstanceOf(WalletdException.FingerprintMismatch.class);
    }

    @Test
    void a_failed_connection_is_reported_in_plain_words_with_what_helps() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair keys = generator.generateKeyPair();
        URI tls = serveTls(keys, selfSigned(keys));
        assertThat(refusal(tls)).contains("signed by nobody whom this machine trusts", "--fingerprint");
        assertThat(refusal(URI.create("http" + tls.toString().substring("https".length()))))
                .contains("https://");
        try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> refuseTls(plain));
            assertThat(refusal(URI.create("https://127.0.0.1:" + plain.getLocalPort() + "/")))
                    .endsWith(" does not speak TLS: a daemon without --tls is at http://");
            Await.outcome(answered);
        }
        assertThat(refusal(URI.create("http://wallet.invalid:1/"))).startsWith("no machine is known by the name in");
        assertThat(refusal(URI.create("http://127.0.0.1:" + FreePort.any() + "/")))
                .endsWith("is the daemon running?");
    }

    /** The JDK's client sometimes reports the same for a plain server, when it sees the end of the connection before the answer. */
    @Test
    void a_server_that_ends_the_handshake_without_a_byte_may_not_speak_tls() {
        assertThat(Wire.Reason.words(
                        new IOException("HTTP/1.1 header parser received no bytes"), "https://127.0.0.1:1/"))
                .startsWith("https://127.0.0.1:1/ has closed the connection without an answer: ")
                .endsWith(" does not speak TLS: a daemon without --tls is at http://");
    }

    @Test
    void the_reasons_why_a_daemon_is_not_ready_are_words_whatever_the_status() throws Exception {
        URI busy = serve(503, "{\"ready\":false,\"reasons\":[\"no node of the chain has answered\"]}");
        assertThat(client(busy).notReady()).containsExactly("no node of the chain has answered");
        server.close();
        assertThat(client(serve(200, "{\"ready\":true,\"reasons\":[]}")).notReady())
                .isEmpty();
        server.close();
        URI other = serve(404, "{\"message\":\"no such path\"}");
        assertThatThrownBy(() -> client(other).notReady()).isInstanceOf(WalletdException.Transport.class);
    }

    /** Answers input that is not HTTP as HTTP servers do. */
    private static void refuseTls(ServerSocket plain) {
        try (Socket client = plain.accept()) {
            client.getInputStream().read();
            client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.shutdownOutput();
            client.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String refusal(URI url) {
        try {
            client(url).call("ping", Map.of());
        } catch (WalletdException.Transport e) {
            return e.getMessage();
        }
        throw new AssertionError("an answer came from " + url);
    }

    private static WalletdClient client(URI url) {
        return new WalletdClient(url, "secret-token", Optional.empty(), PATIENT);
    }

    private URI serve(int status, String body) throws IOException {
        server = new PlayedServer(() -> body).answering(status);
        return server.url();
    }

    private URI serveTls(KeyPair keys, X509Certificate certificate) throws Exception {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        store.setKeyEntry("tls", keys.getPrivate(), new char[0], new X509Certificate[] {certificate});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        HttpsServer https = HttpsServer.create();
        https.setHttpsConfigurator(new HttpsConfigurator(context));
        server = new PlayedServer(https, () -> PlayedServer.rpc("\"result\":{\"ok\":true}"));
        return URI.create("https://127.0.0.1:" + server.port() + "/");
    }

    private static X509Certificate selfSigned(KeyPair keys) throws Exception {
        X500Name name = new X500Name("CN=test");
        Instant now = Instant.now();
        return new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                name,
                                BigInteger.ONE,
                                Date.from(now.minusSeconds(60)),
                                Date.from(now.plusSeconds(3600)),
                                name,
                                keys.getPublic())
                        .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    }
}
