package org.chainwalletd.cluster.node;

import com.typesafe.config.Config;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.remote.artery.tcp.SSLEngineProvider;
import scala.Option;

/**
 * Mutual TLS between nodes. The files are read again every few minutes, so that certificates can be replaced while daemons run. The peer's
 * certificate must be signed by the issuer and share a name with this node's own, because an issuer may have issued certificates to others. Replaces
 * Pekko's own provider, which reads only RSA keys.
 */
public final class PemEngines implements SSLEngineProvider {
    static final String CERTIFICATE = "pem-files.certificate";
    static final String KEY = "pem-files.key";
    static final String ISSUER = "pem-files.issuer";

    private static final String[] PROTOCOLS = {"TLSv1.3"};
    private static final long REREAD_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

    private final Config config;
    /** Null before the first connection. */
    private Identity identity;

    /** Identity of this node as read at the monotonic time {@code nanos}. */
    private record Identity(SSLContext context, Set<String> names, long nanos) {}

    /** Called by Pekko. */
    public PemEngines(ActorSystem system) {
        this.config = system.settings().config();
    }

    @Override
    public SSLEngine createServerSSLEngine(String hostname, int port) {
        return engine(false, hostname, port);
    }

    @Override
    public SSLEngine createClientSSLEngine(String hostname, int port) {
        return engine(true, hostname, port);
    }

    private SSLEngine engine(boolean client, String hostname, int port) {
        SSLEngine engine = identity().context().createSSLEngine(hostname, port);
        engine.setUseClientMode(client);
        engine.setEnabledProtocols(PROTOCOLS);
        engine.setNeedClientAuth(true);
        return engine;
    }

    @Override
    public Option<Throwable> verifyClientSession(String hostname, SSLSession session) {
        return verify(session);
    }

    @Override
    public Option<Throwable> verifyServerSession(String hostname, SSLSession session) {
        return verify(session);
    }

    private Option<Throwable> verify(SSLSession session) {
        try {
            Set<String> names = names((X509Certificate) session.getPeerCertificates()[0]);
            names.retainAll(identity().names());
            return names.isEmpty()
                    ? Option.apply(new SSLException(
                            "the certificate of the other node has no name in common with that of this node"))
                    : Option.empty();
        } catch (SSLException | CertificateParsingException e) {
            return Option.apply(e);
        }
    }

    private synchronized Identity identity() {
        if (identity == null || System.nanoTime() - identity.nanos() > REREAD_NANOS) {
            try {
                identity = read();
            } catch (IOException | GeneralSecurityException e) {
                throw new IllegalStateException(
                        "the files of --cluster-cert, --cluster-key and --cluster-ca cannot be used: " + e.getMessage(),
                        e);
            }
        }
        return identity;
    }

    private Identity read() throws IOException, GeneralSecurityException {
        List<Certificate> own = certificates(CERTIFICATE);
        char[] none = new char[0];
        // Never written to disk. PKCS #12 would derive a key from the empty password.
        KeyStore keys = KeyStore.getInstance("JKS");
        keys.load(null, null);
        keys.setKeyEntry("own", key(), none, own.toArray(Certificate[]::new));
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(keys, none);
        KeyStore issuers = KeyStore.getInstance("PKCS12");
        issuers.load(null, null);
        int number = 0;
        for (Certificate issuer : certificates(ISSUER)) {
            issuers.setCertificateEntry("issuer-" + ++number, issuer);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(issuers);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), trust.getTrustManagers(), null);
        return new Identity(context, names((X509Certificate) own.get(0)), System.nanoTime());
    }

    private List<Certificate> certificates(String path) throws IOException, GeneralSecurityException {
        byte[] pem = Files.readAllBytes(Path.of(config.getString(path)));
        Collection<? extends Certificate> found =
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
        if (found.isEmpty()) {
            throw new GeneralSecurityException(config.getString(path) + " contains no certificate");
        }
        return List.copyOf(found);
    }

    private PrivateKey key() throws IOException, GeneralSecurityException {
        Path file = Path.of(config.getString(KEY));
        Matcher pem = PRIVATE_KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        if (!pem.find()) {
            throw new GeneralSecurityException(file + " contains no key in PKCS #8 (BEGIN PRIVATE KEY)");
        }
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
        for (String algorithm : List.of("EC", "RSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (GeneralSecurityException e) {
                // Try the next algorithm.
                continue;
            }
        }
        throw new GeneralSecurityException(file + " contains neither an EC nor an RSA key");
    }

    private static Set<String> names(X509Certificate certificate) throws CertificateParsingException {
        Set<String> names = new HashSet<>();
        commonName(certificate.getSubjectX500Principal()).ifPresent(names::add);
        Collection<List<?>> others = certificate.getSubjectAlternativeNames();
        if (others != null) {
            others.forEach(other -> names.add(String.valueOf(other.get(1))));
        }
        return names;
    }

    /** Returns the most specific common name of a certificate's subject. */
    static Optional<String> commonName(X500Principal subject) throws CertificateParsingException {
        try {
            List<Rdn> parts = new LdapName(subject.getName()).getRdns();
            // In this order the most specific part is last (RFC 2253, section 2.1).
            for (int i = parts.size() - 1; i >= 0; i--) {
                Attribute common = parts.get(i).toAttributes().get("CN");
                if (common != null) {
                    return Optional.of(String.valueOf(common.get()));
                }
            }
            return Optional.empty();
        } catch (NamingException e) {
            throw new CertificateParsingException(e);
        }
    }
}
