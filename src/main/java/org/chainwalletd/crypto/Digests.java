package org.chainwalletd.crypto;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;

/**
 * SHA-2 and HMAC of the JDK. They keep the last block and the padded key in their buffers after the result was computed, so a digest of a secret
 * would leave the secret on the heap; resetting and rekeying overwrites these buffers.
 */
final class Digests {
    private static final String HMAC_SHA512 = "HmacSHA512";
    private static final byte[] NO_KEY = new byte[64];

    private Digests() {}

    /** Computes SHA-256 over the concatenation of the parts, without joining them in memory. */
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

    /** Returns HMAC-SHA-512 under {@code key}, which is only read. The caller must end its use with {@link #forget}. */
    static Mac hmacSha512(byte[] key) {
        try {
            Mac mac = Mac.getInstance(HMAC_SHA512);
            init(mac, key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks HMAC-SHA-512", e);
        }
    }

    /** Returns the HMAC of {@code data}, 64 bytes that belong to the caller. (Passing {@code Mac} an output array would leave a second copy.) */
    static byte[] hmacSha512(byte[] key, byte[] data) {
        Mac mac = hmacSha512(key);
        try {
            return mac.doFinal(data);
        } finally {
            forget(mac);
        }
    }

    /** Overwrites the key and the last input in the buffers of {@code mac}. */
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
