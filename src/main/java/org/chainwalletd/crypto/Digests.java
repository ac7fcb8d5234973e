package org.chainwalletd.crypto;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;

/** SHA-2 and HMAC of the JDK. */
final class Digests {
    private static final String HMAC_SHA512 = "HmacSHA512";

    private Digests() {}

    /** SHA-256 over the concatenation of the parts, without joining them in memory. */
    static byte[] sha256(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks SHA-256", e);
        }
    }

    /** HMAC-SHA-512 under {@code key}; the key is only read. An empty key is allowed and equals a key of zeros (RFC 2104). */
    static Mac hmacSha512(byte[] key) {
        try (RawKey raw = new RawKey(HMAC_SHA512, key)) {
            Mac mac = Mac.getInstance(HMAC_SHA512);
            mac.init(raw);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks HMAC-SHA-512", e);
        }
    }
}
