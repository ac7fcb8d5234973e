package org.chainwalletd.client;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts a server if and only if the SHA-256 of its leaf certificate is the pinned one, in place of a chain of authorities. */
final class PinnedTrust extends X509ExtendedTrustManager {
    private final byte[] pinned;

    private PinnedTrust(byte[] pinned) {
        this.pinned = pinned;
    }

    /**
     * @param fingerprint {@code sha256:} and 64 lower-case hex characters
     */
    static SSLContext context(String fingerprint) {
        if (!fingerprint.matches("sha256:[0-9a-f]{64}")) {
            throw new IllegalArgumentException(
                    "a fingerprint reads sha256:<64 lower-case hex>, not '" + fingerprint + "'");
        }
        byte[] pinned = HexFormat.of().parseHex(fingerprint, "sha256:".length(), fingerprint.length());
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new PinnedTrust(pinned)}, null);
            return context;
        } catch (NoSuchAlgorithmException | KeyManagementException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        try {
            byte[] actual = MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
            if (!MessageDigest.isEqual(actual, pinned)) {
                throw new MismatchException("the server's certificate is sha256:"
                        + HexFormat.of().formatHex(actual) + ", not the pinned one");
            }
        } catch (MismatchException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new CertificateException("unreadable certificate", e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("no client is trusted");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw new CertificateException("no client is trusted");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw new CertificateException("no client is trusted");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }

    /** Tells a wrong fingerprint from every other TLS failure. */
    static final class MismatchException extends CertificateException {
        private static final long serialVersionUID = 1L;

        MismatchException(String message) {
            super(message);
        }
    }
}
