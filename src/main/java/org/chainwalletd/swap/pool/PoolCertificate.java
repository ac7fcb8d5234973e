package org.chainwalletd.swap.pool;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trust in a single certificate for connections to the pool, instead of the system's trust store. */
public final class PoolCertificate {
    private static final long LONGEST_FILE = 65_536;

    private PoolCertificate() {}

    /**
     * Returns a client context that trusts only the certificate in {@code pem} as an anchor. Blocks; called at start.
     *
     * @throws IllegalArgumentException with the file's name, unless it holds exactly one X.509 certificate
     */
    public static SSLContext trustOnly(Path pem) {
        try {
            if (Files.size(pem) > LONGEST_FILE) {
                throw new IllegalArgumentException(pem + " is too long for a certificate");
            }
            Collection<? extends Certificate> found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(pem)));
            if (found.size() != 1) {
                throw new IllegalArgumentException(pem + " holds " + found.size() + " certificates instead of one");
            }
            KeyStore anchors = KeyStore.getInstance("PKCS12");
            anchors.load(null, null);
            anchors.setCertificateEntry("pool", found.iterator().next());
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(anchors);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(pem + " is no certificate in PEM form: " + e.getMessage(), e);
        }
    }
}
