package org.chainwalletd.http.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.store.files.AtomicFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Certificate and key of the daemon: {@code cert.pem}, {@code cert.key} and {@code cert.fingerprint} in the data folder (interface.md, sections 1.3
 * and 5.5). Created if all three are missing, loaded if they belong together; otherwise the start is refused, because clients pin the fingerprint,
 * and an unexpected new one would lock them out.
 */
public final class TlsIdentity {
    /** The three files do not belong together, or cannot be read. The message names them and the remedy. */
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
     * @param daemonName common name of a new certificate, and first segment of the paths at which it is served
     * @param names subject alternative names of a new certificate: host names and IP addresses; one that an existing certificate lacks causes a
     *     warning
     * @param created called once with the fingerprint of a new certificate, as a line for the operator
     * @throws TlsException if the files do not belong together
     */
    public static TlsIdentity open(Path datadir, String daemonName, List<String> names, Consumer<String> created)
            throws IOException {
        CertificateFiles files = new CertificateFiles(datadir);
        List<Path> missing =
                files.all().stream().filter(file -> !Files.exists(file)).toList();
        if (missing.size() == files.all().size()) {
            SelfSigned.Pair made = SelfSigned.make(daemonName, names);
            files.write(made);
            TlsIdentity identity = files.load(daemonName);
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
        TlsIdentity identity = files.load(daemonName);
        identity.warnAbout(names);
        return identity;
    }

    /** Tests whether the data folder has any of the three files. */
    public static boolean hasFiles(Path datadir) {
        return new CertificateFiles(datadir).all().stream().anyMatch(Files::exists);
    }

    /** Returns the content of {@code cert.fingerprint}, without reading the other files; empty if it is missing. */
    public static Optional<String> fingerprintIn(Path datadir) throws IOException {
        Path file = new CertificateFiles(datadir).fingerprint;
        return Files.exists(file)
                ? Optional.of(
                        Files.readString(file, StandardCharsets.ISO_8859_1).strip())
                : Optional.empty();
    }

    /** Returns certificate and key as stored in the data folder, for {@link #write}; the caller closes them. */
    public static SecretBytes read(Path datadir) throws IOException {
        return new CertificateFiles(datadir).read();
    }

    /**
     * Creates the three files, none of which exists, from what {@link #read} has returned for another data folder.
     *
     * @throws TlsException if that is not a certificate with its key
     */
    public static void write(Path datadir, SecretBytes certificateAndKey) throws IOException {
        CertificateFiles files = new CertificateFiles(datadir);
        String text = certificateAndKey.use(bytes -> new String(bytes, StandardCharsets.ISO_8859_1));
        files.write(new SelfSigned.Pair(files.certificate(text), files.privateKey(text)));
    }

    /** Deletes the three files of a certificate that was created here and never used by a server. */
    public static void delete(Path datadir) throws IOException {
        for (Path file : new CertificateFiles(datadir).all()) {
            AtomicFiles.delete(file);
        }
    }

    /**
     * Names of a new certificate: the loopback names, the bound address unless it is a wildcard, this host's name, and those of the operator.
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

    /** Returns the machine's host name without asking the resolver, which may be slow to fail. */
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

    /** The certificate in PEM, without anything else that the file may contain. */
    public byte[] pem() {
        return pem.clone();
    }

    /**
     * Engine for one connection to this server: TLS 1.2 and 1.3.
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
            // It stays in memory. PKCS #12 would stretch the empty password twice: a tenth of a second of the start.
            KeyStore store = KeyStore.getInstance("JKS");
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

    /** {@code cert.pem}, {@code cert.key} (PKCS #8 in PEM) and {@code cert.fingerprint}: reading, writing, and checking that they belong together. */
    private static final class CertificateFiles {
        private static final Pattern ANY_KEY = Pattern.compile("-----BEGIN [A-Z ]*PRIVATE KEY-----");
        private static final String CERTIFICATE = "CERTIFICATE";
        private static final String KEY = "PRIVATE KEY";
        private static final byte[] PROBE =
                "does this key belong to that certificate".getBytes(StandardCharsets.US_ASCII);

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

        SecretBytes read() throws IOException {
            byte[] certificate = Files.readAllBytes(pem);
            byte[] secret = Files.readAllBytes(key);
            byte[] both = Arrays.copyOf(certificate, certificate.length + secret.length);
            System.arraycopy(secret, 0, both, certificate.length, secret.length);
            Arrays.fill(secret, (byte) 0);
            return SecretBytes.takeOver(both);
        }

        /** Writes the fingerprint last: its presence shows that the other two are complete. */
        void write(SelfSigned.Pair made) throws IOException {
            AtomicFiles.write(key, encode(KEY, made.key().getEncoded()));
            AtomicFiles.write(pem, encode(CERTIFICATE, der(made.certificate())));
            AtomicFiles.write(fingerprint, fingerprint(made.certificate()).getBytes(StandardCharsets.US_ASCII));
        }

        /** Uses only the bytes of the certificate itself, whatever else its file contains. */
        TlsIdentity load(String daemonName) throws IOException {
            String pemText = Files.readString(pem, StandardCharsets.ISO_8859_1);
            X509Certificate certificate = certificate(pemText);
            PrivateKey privateKey = privateKey(Files.readString(key, StandardCharsets.ISO_8859_1));
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
            return new TlsIdentity(daemonName, certificate, privateKey, encode(CERTIFICATE, der(certificate)));
        }

        static String fingerprint(X509Certificate certificate) {
            return "sha256:" + Hash256.sha256(der(certificate)).hex();
        }

        private static byte[] der(X509Certificate certificate) {
            try {
                return certificate.getEncoded();
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

        private PrivateKey privateKey(String text) {
            try {
                byte[] der = decode(KEY, text);
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

    /** Creates the daemon's certificate: P-256, self-signed, for servers only, valid for ten years (RFC 5280). */
    static final class SelfSigned {
        record Pair(X509Certificate certificate, PrivateKey key) {}

        private static final int YEARS = 10;
        private static final int SERIAL_BITS = 127;
        private static final int DNS_NAME = 2;
        private static final int IP_ADDRESS = 7;
        private static final String HOST =
                "(\\*\\.)?[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\\.?";

        private SelfSigned() {}

        /**
         * @param names host names and IP addresses
         * @throws IllegalArgumentException for a name that is neither
         */
        static Pair make(String daemonName, List<String> names) {
            try {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(new ECGenParameterSpec("secp256r1"));
                KeyPair keys = generator.generateKeyPair();
                return new Pair(certificate(keys, daemonName, names), keys.getPrivate());
            } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
                throw new IllegalStateException("every JDK can sign with P-256", e);
            }
        }

        private static X509Certificate certificate(KeyPair keys, String daemonName, List<String> names)
                throws GeneralSecurityException, OperatorCreationException, IOException {
            X500Name self = new X500Name("CN=" + daemonName);
            Instant now = Instant.now();
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    self,
                    new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(SERIAL_BITS - 1),
                    Date.from(now.minus(1, ChronoUnit.DAYS)),
                    Date.from(now.plus(YEARS * 365L, ChronoUnit.DAYS)),
                    self,
                    keys.getPublic());
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(
                    Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(keys.getPublic()));
            builder.addExtension(
                    Extension.authorityKeyIdentifier, false, extensions.createAuthorityKeyIdentifier(keys.getPublic()));
            builder.addExtension(Extension.subjectAlternativeName, false, generalNames(names));
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        }

        private static GeneralNames generalNames(List<String> names) {
            return new GeneralNames(names.stream()
                    .map(SelfSigned::normal)
                    .distinct()
                    .map(name -> new GeneralName(isAddress(name) ? GeneralName.iPAddress : GeneralName.dNSName, name))
                    .toArray(GeneralName[]::new));
        }

        /** Names for which {@code certificate} is valid, as written by {@link #normal}. */
        static List<String> namesIn(X509Certificate certificate) {
            List<String> names = new ArrayList<>();
            try {
                Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
                for (List<?> name : alternatives == null ? List.<List<?>>of() : alternatives) {
                    int kind = (Integer) name.get(0);
                    if (kind == DNS_NAME || kind == IP_ADDRESS) {
                        names.add(normal((String) name.get(1)));
                    }
                }
            } catch (CertificateParsingException e) {
                return List.of();
            }
            return names;
        }

        /**
         * Normalised form of a name: host names in lower case, addresses as Java prints them.
         *
         * @throws IllegalArgumentException if it is neither a host name nor an address
         */
        static String normal(String name) {
            String bare = name.strip();
            if (bare.startsWith("[") && bare.endsWith("]")) {
                bare = bare.substring(1, bare.length() - 1);
            }
            if (isAddress(bare)) {
                try {
                    return InetAddress.getByName(bare).getHostAddress();
                } catch (UnknownHostException e) {
                    throw new IllegalArgumentException("not an IP address: '" + name + "'", e);
                }
            }
            if (bare.length() > 253 || !bare.matches(HOST)) {
                throw new IllegalArgumentException("neither a host name nor an IP address: '" + name + "'");
            }
            return bare.toLowerCase(Locale.ROOT);
        }

        private static boolean isAddress(String name) {
            return name.indexOf(':') >= 0 || name.matches("\\d{1,3}(\\.\\d{1,3}){3}");
        }
    }
}
