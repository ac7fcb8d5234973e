package org.chainwalletd.http.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Locale;
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

/** Makes the daemon's certificate: P-256, signed by itself, for servers only, good for ten years (RFC 5280). */
final class SelfSigned {
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
        builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
        builder.addExtension(
                Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(keys.getPublic()));
        builder.addExtension(
                Extension.authorityKeyIdentifier, false, extensions.createAuthorityKeyIdentifier(keys.getPublic()));
        builder.addExtension(Extension.subjectAlternativeName, false, generalNames(names));
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    }

    private static GeneralNames generalNames(List<String> names) {
        return new GeneralNames(names.stream()
                .map(SelfSigned::normal)
                .distinct()
                .map(name -> new GeneralName(isAddress(name) ? GeneralName.iPAddress : GeneralName.dNSName, name))
                .toArray(GeneralName[]::new));
    }

    /** The names that {@code certificate} is good for, as {@link #normal} writes them. */
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
     * One spelling per name: host names in lower case, addresses as Java prints them.
     *
     * @throws IllegalArgumentException for what is neither a host name nor an address
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
