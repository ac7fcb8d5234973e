package org.chainwalletd.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.chainwalletd.http.TlsIdentity.TlsException;
import org.chainwalletd.store.AtomicFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code cert.pem}, {@code cert.key} (PKCS #8 in PEM) and {@code cert.fingerprint}: reading, writing, and whether they belong together. */
final class CertificateFiles {
    record Pair(X509Certificate certificate, PrivateKey key) {}

    /** Receives what the files hold; of the PEM nothing but the certificate, whatever else stands in its file. */
    @FunctionalInterface
    interface Loaded<T> {
        T of(X509Certificate certificate, PrivateKey key, byte[] pem);
    }

    private static final Logger LOG = LoggerFactory.getLogger(CertificateFiles.class);
    private static final Pattern ANY_KEY = Pattern.compile("-----BEGIN [A-Z ]*PRIVATE KEY-----");
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String KEY = "PRIVATE KEY";
    private static final byte[] PROBE = "does this key belong to that certificate".getBytes(StandardCharsets.US_ASCII);

    private final Path pem;
    private final Path key;
    private final Path fingerprint;

    CertificateFiles(Path datadir) {
        pem = datadir.resolve("cert.pem");
        key = datadir.resolve("cert.key");
        fingerprint = datadir.resolve("cert.fingerprint");
    }

    List<Path> all() {
        return List.of(pem, key, fingerprint);
    }

    /** Writes the fingerprint last: it is what tells people that the other two can be relied on. */
    void write(Pair made) throws IOException {
        try {
            AtomicFiles.write(key, encode(KEY, made.key().getEncoded()));
            AtomicFiles.write(pem, encode(CERTIFICATE, made.certificate().getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was just made", e);
        }
        AtomicFiles.write(fingerprint, fingerprint(made.certificate()).getBytes(StandardCharsets.US_ASCII));
    }

    <T> T load(Loaded<T> loaded) throws IOException {
        String pemText = Files.readString(pem, StandardCharsets.ISO_8859_1);
        X509Certificate certificate = certificate(pemText);
        PrivateKey privateKey = privateKey();
        if (!belongTogether(certificate, privateKey)) {
            throw new TlsException(key + " is not the key of " + pem + wayOut());
        }
        String written =
                Files.readString(fingerprint, StandardCharsets.ISO_8859_1).strip();
        if (!written.equals(fingerprint(certificate))) {
            throw new TlsException(fingerprint + " is not the fingerprint of " + pem + wayOut());
        }
        if (ANY_KEY.matcher(pemText).find()) {
            LOG.warn("{} holds a private key, which is not served: take it out", pem);
        }
        try {
            return loaded.of(certificate, privateKey, encode(CERTIFICATE, certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was read", e);
        }
    }

    static String fingerprint(X509Certificate certificate) {
        try {
            return "sha256:" + HexFormat.of().formatHex(Authenticator.sha256(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was read or made", e);
        }
    }

    private X509Certificate certificate(String pemText) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(decode(CERTIFICATE, pemText)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new TlsException(pem + " holds no certificate" + wayOut());
        }
    }

    private PrivateKey privateKey() throws IOException {
        try {
            byte[] der = decode(KEY, Files.readString(key, StandardCharsets.ISO_8859_1));
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new TlsException(key + " holds no EC private key in PKCS #8" + wayOut());
        }
    }

    private static boolean belongTogether(X509Certificate certificate, PrivateKey privateKey) {
        try {
            Signature signing = Signature.getInstance("SHA256withECDSA");
            signing.initSign(privateKey);
            signing.update(PROBE);
            byte[] signature = signing.sign();
            Signature verifying = Signature.getInstance("SHA256withECDSA");
            verifying.initVerify(certificate.getPublicKey());
            verifying.update(PROBE);
            return verifying.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private String wayOut() {
        return "; restore the files, or delete " + all()
                + " and restart to have a new certificate made (clients that pin the old one must then learn the new fingerprint)";
    }

    private static byte[] encode(String label, byte[] der) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return ("-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] decode(String label, String text) {
        String begin = "-----BEGIN " + label + "-----";
        int from = text.indexOf(begin);
        int to = text.indexOf("-----END " + label + "-----");
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("no " + label);
        }
        return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
    }
}
