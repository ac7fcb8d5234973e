package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.node.NodeHarness.failure;
import static org.chainwalletd.node.NodeHarness.get;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.typesafe.config.ConfigFactory;
import java.math.BigInteger;
import java.net.URI;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes behind a TLS proxy: the certificate has to be trusted and of the right host. */
class HttpsNodeTest {
    private static final char[] NO_PASSWORD = {};

    private final NodeHarness harness = new NodeHarness(ConfigFactory.empty());
    private ScriptedNode node;

    @AfterEach
    void stop() {
        node.close();
        harness.close();
    }

    private X509Certificate serve(GeneralName subject) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair keys = generator.generateKeyPair();
        X500Name name = new X500Name("CN=test node");
        Instant now = Instant.now();
        X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                name,
                                BigInteger.ONE,
                                Date.from(now.minus(1, ChronoUnit.DAYS)),
                                Date.from(now.plus(1, ChronoUnit.DAYS)),
                                name,
                                keys.getPublic())
                        .addExtension(Extension.subjectAlternativeName, false, new GeneralNames(subject))
                        .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        store.setKeyEntry("node", keys.getPrivate(), NO_PASSWORD, new X509Certificate[] {certificate});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, NO_PASSWORD);
        SSLContext server = SSLContext.getInstance("TLS");
        server.init(managers.getKeyManagers(), null, null);
        node = ScriptedNode.start(server.getServerSocketFactory(), "https");
        node.on("*", result("{\"height\":7,\"block_id\":\"" + "ab".repeat(32) + "\"}"));
        return certificate;
    }

    private static SSLContext trusting(X509Certificate certificate) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        store.setCertificateEntry("node", certificate);
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    @Test
    void a_node_with_a_trusted_certificate_is_asked() throws Exception {
        X509Certificate certificate = serve(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
        NodeClient client = harness.trusting(trusting(certificate)).client(node.url());

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
        X509Certificate certificate = serve(new GeneralName(GeneralName.dNSName, "other.example"));

        failure(
                NodeException.Unreachable.class,
                harness.trusting(trusting(certificate))
                        .client(node.url())
                        .hasty()
                        .tip());

        assertThat(node.requests()).isEmpty();
    }

    @Test
    void a_name_is_checked_against_the_certificate() throws Exception {
        X509Certificate certificate = serve(new GeneralName(GeneralName.dNSName, "localhost"));
        URI byName = URI.create("https://localhost:" + node.url().getPort());

        assertThat(get(harness.trusting(trusting(certificate)).client(byName).tip())
                        .height())
                .isEqualTo(7);
    }
}
