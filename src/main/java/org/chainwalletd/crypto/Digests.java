package org.chainwalletd.crypto;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;

/**
 * SHA-2 and HMAC of the JDK, which keep the last block and the padded key in their buffers after the result is there. A digest of a secret
 * would so leave the secret on the heap; resetting and keying anew overwrites those buffers.
 */
final class Digests {
    private static final String HMAC_SHA512 = "HmacSHA512";
    private static final byte[] NO_KEY = new byte[64];

    private Digests() {}

    /** SHA-256 over the concatenation of the parts, without joining them in memory. */
    static byte[] sha256(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            byte[] hash = digest.digest();
            digest.reset();
            return hash;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks SHA-256", e);
        }
    }

    /** HMAC-SHA-512 under {@code key}, which is only read. End its use with {@link #forget}. */
    static Mac hmacSha512(byte[] key) {
        try {
            Mac mac = Mac.getInstance(HMAC_SHA512);
            init(mac, key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks HMAC-SHA-512", e);
        }
    }

    /**
     * The HMAC of {@code data}, 64 bytes that belong to the caller. (Giving {@code Mac} an array to write to would leave a second copy behind.)
     */
    static byte[] hmacSha512(byte[] key, byte[] data) {
        Mac mac = hmacSha512(key);
        try {
            return mac.doFinal(data);
        } finally {
            forget(mac);
        }
    }

    /** Overwrites what {@code mac} remembers of its key and its last input. */
    static void forget(Mac mac) {
        try {
            init(mac, NO_KEY);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA-512 refuses a key of zeros", e);
        }
        mac.update((byte) 0);
        mac.reset();
    }

    private static void init(Mac mac, byte[] key) throws GeneralSecurityException {
        try (RawKey raw = new RawKey(HMAC_SHA512, key)) {
            mac.init(raw);
        }
    }
}
