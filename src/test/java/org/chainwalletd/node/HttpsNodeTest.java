package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.node.NodeHarness.HEIGHT_7;
import static org.chainwalletd.node.NodeHarness.failure;
import static org.chainwalletd.node.NodeHarness.get;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.typesafe.config.ConfigFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.asn1.x509.GeneralName;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.ScriptedNode;
import org.chainwalletd.testkit.TestCertificate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Nodes behind a TLS proxy: the certificate must be trusted and issued for the host. */
class HttpsNodeTest {

    @AutoClose
    private final NodeHarness harness = new NodeHarness(ConfigFactory.empty());

    private ScriptedNode node;

    private TestCertificate serve(GeneralName subject) throws Exception {
        TestCertificate certificate = TestCertificate.of(subject);
        node = harness.kept(ScriptedNode.start(certificate.server().getServerSocketFactory(), "https"));
        node.on("*", HEIGHT_7);
        return certificate;
    }

    @Test
    void a_node_with_a_trusted_certificate_is_asked() throws Exception {
        TestCertificate certificate = serve(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
        NodeClient client = harness.trusting(certificate.client()).client(node.url());

        assertThat(get(client.tip()).height()).isEqualTo(7);
        assertThat(get(client.tip()).height()).isEqualTo(7);
    }

    @Test
    void a_node_with_an_unknown_certificate_gets_no_request() throws Exception {
        serve(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));

        failure(
                NodeException.Unreachable.class,
                harness.client(node.url()).hasty().tip());

        assertThat(node.requests()).isEmpty();
    }

    @Test
    void a_certificate_of_another_host_is_refused() throws Exception {
        TestCertificate certificate = serve(new GeneralName(GeneralName.dNSName, "other.example"));

        failure(
                NodeException.Unreachable.class,
                harness.trusting(certificate.client())
                        .client(node.url())
                        .hasty()
                        .tip());

        assertThat(node.requests()).isEmpty();
    }

    @Test
    void the_name_of_a_node_is_told_in_the_handshake_and_checked_against_the_certificate() throws Exception {
        TestCertificate certificate = serve(new GeneralName(GeneralName.dNSName, "localhost"));
        List<SNIServerName> told = new CopyOnWriteArrayList<>();
        node.on("*", (request, socket) -> {
            told.addAll(((ExtendedSSLSession) ((SSLSocket) socket).getSession()).getRequestedServerNames());
            HEIGHT_7.serve(request, socket);
        });
        URI byName = URI.create("https://localhost:" + node.url().getPort());

        NodeClient.Tip tip =
                get(harness.trusting(certificate.client()).client(byName).tip());

        assertThat(tip.height()).isEqualTo(7);
        assertThat(told).containsExactly(new SNIHostName("localhost"));
    }

    @Test
    void answers_of_many_records_and_many_calls_at_a_time_come_whole() throws Exception {
        TestCertificate certificate = serve(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
        String hex = "ab".repeat(500_000);
        node.on("get_transaction", result("{\"tx_hex\":\"" + hex + "\",\"in_mempool\":true}"));
        NodeClient client = harness.trusting(certificate.client()).client(node.url());

        List<CompletionStage<Optional<NodeClient.NodeTransaction>>> calls = Stream.generate(
                        () -> client.transaction(Hash256.parse("cd".repeat(32))))
                .limit(8)
                .toList();

        for (CompletionStage<Optional<NodeClient.NodeTransaction>> call : calls) {
            assertThat(get(call).orElseThrow().bytes().hex()).isEqualTo(hex);
        }
    }

    @Test
    void a_long_request_goes_through_tls_as_a_whole() throws Exception {
        TestCertificate certificate = serve(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
        String hex = "cd".repeat(900_000);
        node.on(
                "send_raw_transaction",
                (request, socket) -> result("{\"tx_id\":\""
                                + Hash256.sha256(request.params()
                                                .get("tx_hex")
                                                .textValue()
                                                .getBytes(StandardCharsets.US_ASCII))
                                        .hex()
                                + "\"}")
                        .serve(request, socket));

        assertThat(get(harness.trusting(certificate.client()).client(node.url()).sendRawTransaction(Bytes.parse(hex))))
                .isEqualTo(Hash256.sha256(hex.getBytes(StandardCharsets.US_ASCII)));
    }
}
