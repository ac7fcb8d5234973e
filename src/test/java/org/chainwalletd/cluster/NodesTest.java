package org.chainwalletd.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.chainwalletd.config.Settings;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.TestCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes without daemons: message transport and TLS admission. */
@Tag("long")
@Timeout(120)
class NodesTest {
    private static final byte[] REQUEST = "{\"jsonrpc\":\"2.0\"}".getBytes(StandardCharsets.US_ASCII);
    private static final Node.Call CALL = new Node.Call("shop", true, "10.0.0.1", 7, REQUEST);

    @TempDir
    Path folder;

    private final List<Node> nodes = new ArrayList<>();
    private final List<Node.Call> handed = new CopyOnWriteArrayList<>();
    private final List<Node.Hint> heard = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(node -> node.close(Duration.ofSeconds(10)));
    }

    private Node begin(boolean keeps, Optional<Settings.PemFiles> files, Function<Node.Call, Node.Answer> answer) {
        return start(keeps, files, call -> CompletableFuture.completedFuture(answer.apply(call)));
    }

    private Node start(
            boolean keeps,
            Optional<Settings.PemFiles> files,
            Function<Node.Call, CompletionStage<Node.Answer>> answer) {
        Node node = Nodes.start(
                new Settings.Cluster(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), files),
                new Node.Duties(
                        () -> keeps,
                        call -> {
                            handed.add(call);
                            return answer.apply(call);
                        },
                        heard::add));
        nodes.add(node);
        return node;
    }

    private static void meet(Node first, Node... others) {
        first.join(List.of());
        for (Node other : others) {
            other.join(List.of(first.address()));
        }
        for (Node other : others) {
            Await.until("they know each other", () -> other.isUp() && other.reachable() == 1 + others.length);
        }
    }

    /** Forwards a call as soon as the answering node is known. */
    private static Node.Answer hand(Node from, Node.Call call) {
        Node.Answer[] last = new Node.Answer[1];
        Await.until("somebody answers", () -> {
            last[0] = Await.result(from.hand(call));
            return !(last[0] instanceof Node.Answer.NotBegun);
        });
        return last[0];
    }

    private Node asking() {
        return begin(false, Optional.empty(), call -> new Node.Answer.NotBegun());
    }

    @Test
    void a_call_and_its_answer_come_as_they_are_and_once() {
        byte[] longest = new byte[Node.MAX_ANSWER_BYTES];
        longest[longest.length - 1] = 7;
        Node keeper = begin(true, Optional.empty(), call -> new Node.Answer.Given(503, longest));
        Node other = asking();
        meet(keeper, other);
        Node.Answer.Given answer = (Node.Answer.Given) hand(other, CALL);
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.body()).isEqualTo(longest);
        assertThat(handed).singleElement().satisfies(call -> {
            assertThat(call).usingRecursiveComparison().isEqualTo(CALL);
        });
        byte[] request = new byte[Node.MAX_REQUEST_BYTES];
        assertThat(hand(other, new Node.Call("read", false, "", 7, request))).isInstanceOf(Node.Answer.Given.class);
        assertThat(handed).hasSize(2);
        assertThat(handed.get(1).request()).hasSize(request.length);
        assertThat(handed.get(1).named()).isFalse();
    }

    @Test
    void what_is_too_long_is_not_begun_or_counts_as_lost() {
        Node keeper =
                begin(true, Optional.empty(), call -> new Node.Answer.Given(200, new byte[Node.MAX_ANSWER_BYTES + 1]));
        Node other = asking();
        meet(keeper, other);
        assertThat(hand(other, CALL)).isEqualTo(new Node.Answer.Lost());
        assertThat(Await.result(other.hand(new Node.Call("read", false, "", 7, new byte[Node.MAX_REQUEST_BYTES + 1]))))
                .isEqualTo(new Node.Answer.NotBegun());
        assertThat(handed).hasSize(1);
    }

    @Test
    void a_call_whose_answerer_ends_is_lost_and_the_next_one_is_not_begun() {
        Node keeper = start(true, Optional.empty(), call -> new CompletableFuture<>());
        Node other = asking();
        meet(keeper, other);
        List<CompletableFuture<Node.Answer>> open = new ArrayList<>();
        Await.until("it is handed over", () -> {
            open.removeIf(CompletableFuture::isDone);
            open.add(other.hand(CALL).toCompletableFuture());
            return !handed.isEmpty();
        });
        keeper.close(Duration.ofSeconds(10));
        for (CompletableFuture<Node.Answer> each : open) {
            assertThat(Await.result(each)).isIn(new Node.Answer.Lost(), new Node.Answer.NotBegun());
        }
        Await.until(
                "it is known to be gone", () -> Await.result(other.hand(CALL)).equals(new Node.Answer.NotBegun()));
    }

    @Test
    void a_call_that_waits_when_its_own_node_ends_is_lost() {
        Node keeper = start(true, Optional.empty(), call -> new CompletableFuture<>());
        Node other = asking();
        meet(keeper, other);
        List<CompletableFuture<Node.Answer>> open = new ArrayList<>();
        Await.until("it is handed over", () -> {
            open.add(other.hand(CALL).toCompletableFuture());
            return !handed.isEmpty();
        });
        other.close(Duration.ofSeconds(10));
        open.forEach(each -> assertThat(Await.result(each)).isIn(new Node.Answer.Lost(), new Node.Answer.NotBegun()));
        assertThat(open).anyMatch(each -> Await.result(each).equals(new Node.Answer.Lost()));
        assertThat(Await.result(other.hand(CALL))).isEqualTo(new Node.Answer.NotBegun());
        assertThat(other.hasEnded()).isTrue();
    }

    @Test
    void hints_are_heard_by_the_others_alone() {
        Node one = asking();
        Node two = asking();
        meet(one, two);
        Await.until("a hint is heard", () -> {
            one.hint(new Node.Hint("books", 7));
            return !heard.isEmpty();
        });
        assertThat(heard).containsOnly(new Node.Hint("books", 7));
    }

    private Settings.PemFiles files(String name, TestCertificate certificate) throws IOException {
        Path cert = Files.writeString(folder.resolve(name + ".pem"), certificate.pem());
        Path key = Files.writeString(
                folder.resolve(name + ".key"),
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'})
                                .encodeToString(certificate.keys().getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
        return new Settings.PemFiles(cert, key, cert);
    }

    @Test
    void nodes_with_a_certificate_of_their_issuer_meet_and_a_stranger_is_refused() throws Exception {
        TestCertificate own = TestCertificate.make();
        Optional<Settings.PemFiles> files = Optional.of(files("own", own));
        Node keeper = begin(true, files, call -> new Node.Answer.Given(200, call.request()));
        Node other = begin(false, files, call -> new Node.Answer.NotBegun());
        meet(keeper, other);
        assertThat(((Node.Answer.Given) hand(other, CALL)).body()).isEqualTo(REQUEST);

        URI place = URI.create(keeper.address().replace("pekko:", "http:"));
        assertThatThrownBy(() -> greet(place, context(own, Optional.of(TestCertificate.make()))))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> greet(place, context(own, Optional.empty()))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> greet(place, context(TestCertificate.make(), Optional.of(own))))
                .isInstanceOf(IOException.class);
        greet(place, context(own, Optional.of(own)));
        assertThatThrownBy(() -> greet(place, context(own, Optional.of(ofTheSameIssuer(own)))))
                .as("the issuer has given it to somebody else")
                .isInstanceOf(IOException.class);
    }

    private static TestCertificate ofTheSameIssuer(TestCertificate issuer) throws Exception {
        TestCertificate other = TestCertificate.make();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer.certificate().getSubjectX500Principal(),
                BigInteger.TWO,
                issuer.certificate().getNotBefore(),
                issuer.certificate().getNotAfter(),
                new X500Principal("CN=other"),
                other.keys().getPublic());
        return new TestCertificate(
                new JcaX509CertificateConverter()
                        .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA")
                                .build(issuer.keys().getPrivate()))),
                other.keys());
    }

    /** Connects; returns when the other side has neither closed nor refused the connection within a second. */
    private static void greet(URI place, SSLContext context) throws IOException {
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(place.getHost(), place.getPort())) {
            socket.setSoTimeout(1_000);
            socket.startHandshake();
            if (socket.getInputStream().read() < 0) {
                throw new IOException("closed");
            }
        } catch (SocketTimeoutException e) {
            // Accepted: an accepted connection stays silent.
        }
    }

    private static SSLContext context(TestCertificate trusted, Optional<TestCertificate> shown) throws Exception {
        char[] password = "test".toCharArray();
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        if (shown.isPresent()) {
            store.setKeyEntry("own", shown.get().keys().getPrivate(), password, new Certificate[] {
                shown.get().certificate()
            });
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, password);
        KeyStore issuers = KeyStore.getInstance("PKCS12");
        issuers.load(null, null);
        issuers.setCertificateEntry("issuer", trusted.certificate());
        TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(issuers);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), managers.getTrustManagers(), null);
        return context;
    }
}
