package org.chainwalletd.http;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's certificate and key: {@code cert.pem}, {@code cert.key} and {@code cert.fingerprint} in the data folder (interface.md,
 * sections 1.3 and 5.5). Made when all three are missing; taken when they belong together; otherwise the start is refused, because
 * clients pin the fingerprint and would be locked out by a new one that nobody asked for.
 */
public final class TlsIdentity {
    /** The three files do not belong together, or cannot be read. The message names them and the way out. */
    public static final class TlsException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TlsException(String message) {
            super(message);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(TlsIdentity.class);
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    private static final String[] HTTP_1 = {"http/1.1"};
    private static final String[] HTTP_2_OR_1 = {"h2", "http/1.1"};

    private final String daemonName;
    private final X509Certificate certificate;
    private final byte[] pem;
    private final String fingerprint;
    private final SSLContext context;

    private TlsIdentity(String daemonName, X509Certificate certificate, PrivateKey key, byte[] pem) {
        this.daemonName = daemonName;
        this.certificate = certificate;
        this.pem = pem;
        this.fingerprint = CertificateFiles.fingerprint(certificate);
        this.context = context(certificate, key);
    }

    /**
     * @param daemonName common name of a new certificate, and first segment of the paths it is served under
     * @param names subject alternative names of a new certificate: host names and IP addresses; for an existing one a name that it lacks is
     *     worth a warning
     * @param created told the fingerprint of a new certificate once, as a line for the operator
     * @throws TlsException when the files do not belong together
     */
    public static TlsIdentity open(Path datadir, String daemonName, List<String> names, Consumer<String> created)
            throws IOException {
        CertificateFiles files = new CertificateFiles(datadir);
        CertificateFiles.Loaded<TlsIdentity> loaded =
                (certificate, key, pem) -> new TlsIdentity(daemonName, certificate, key, pem);
        List<Path> missing =
                files.all().stream().filter(file -> !Files.exists(file)).toList();
        if (missing.size() == files.all().size()) {
            CertificateFiles.Pair made = SelfSigned.make(daemonName, names);
            files.write(made);
            TlsIdentity identity = files.load(loaded);
            created.accept("TLS certificate fingerprint: " + identity.fingerprint());
            return identity;
        }
        if (!missing.isEmpty()) {
            List<Path> present = new ArrayList<>(files.all());
            present.removeAll(missing);
            throw new TlsException(
                    "missing: " + missing + "; restore it, or delete " + present
                            + " too and restart to have a new certificate made (clients that pin the old one must then learn the new fingerprint)");
        }
        TlsIdentity identity = files.load(loaded);
        identity.warnAbout(names);
        return identity;
    }

    /**
     * The names of a new certificate: the loopback ones, the bound address unless it stands for all, this host's name, and those of the
     * operator.
     *
     * @throws IllegalArgumentException for an entry of {@code extra} that is neither a host name nor an IP address
     */
    public static List<String> names(InetAddress bound, List<String> extra) {
        List<String> names = new ArrayList<>(List.of("localhost", "127.0.0.1", "::1"));
        if (!bound.isAnyLocalAddress()) {
            names.add(bound.getHostAddress().replaceAll("%.*", ""));
        }
        hostName().ifPresent(names::add);
        names.addAll(extra);
        return names.stream().map(SelfSigned::normal).distinct().toList();
    }

    /** Not asked of the resolver, which may take long to say nothing. */
    private static Optional<String> hostName() {
        try {
            return Optional.of(SelfSigned.normal(Files.readString(Path.of("/etc/hostname"))));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** {@code sha256:} and the SHA-256 of the DER certificate in lower-case hex. */
    public String fingerprint() {
        return fingerprint;
    }

    /** {@code <brand>-walletd}: first segment of the certificate's paths. */
    public String daemonName() {
        return daemonName;
    }

    public X509Certificate certificate() {
        return certificate;
    }

    /** The certificate in PEM, and nothing else that may stand in the file. */
    byte[] pem() {
        return pem.clone();
    }

    /**
     * An engine for one connection to this server: TLS 1.2 and 1.3.
     *
     * @param http2 whether the client may choose HTTP/2
     */
    SSLEngine engine(boolean http2) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setApplicationProtocols(http2 ? HTTP_2_OR_1 : HTTP_1);
        engine.setSSLParameters(parameters);
        return new OverwritingEngine(engine);
    }

    private void warnAbout(List<String> names) {
        List<String> covered = SelfSigned.namesIn(certificate);
        for (String name : names) {
            if (!covered.contains(SelfSigned.normal(name))) {
                LOG.warn(
                        "The certificate does not name {}: delete cert.pem, cert.key and cert.fingerprint and restart to have one made that does",
                        name);
            }
        }
        if (certificate.getNotAfter().getTime() < System.currentTimeMillis()) {
            LOG.warn("The certificate has expired: clients that do not pin its fingerprint will refuse it");
        }
    }

    private static SSLContext context(X509Certificate certificate, PrivateKey key) {
        try {
            char[] none = new char[0];
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, none);
            store.setKeyEntry("walletd", key, none, new X509Certificate[] {certificate});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, none);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("every JDK can serve TLS with a P-256 key", e);
        }
    }
}
