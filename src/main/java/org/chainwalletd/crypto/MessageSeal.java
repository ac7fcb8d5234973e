package org.chainwalletd.crypto;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Authenticated encryption of messages under a shared key: a random nonce of 12 bytes, then the ciphertext with its tag of 16 bytes.
 * ChaCha20-Poly1305 (RFC 8439). Thread-safe.
 */
public final class MessageSeal {
    /** Length of a key in bytes. */
    public static final int KEY_BYTES = 32;

    /** Length of the nonce at the start of a sealed message, in bytes. */
    public static final int NONCE_BYTES = 12;

    /** Length that sealing adds to a message, in bytes. */
    public static final int SEAL_BYTES = 28;

    private static final String CIPHER = "ChaCha20-Poly1305";

    private final SecretKeySpec key;
    private final SecureRandom random = new SecureRandom();

    /** @param key {@link #KEY_BYTES} random bytes; copied */
    public MessageSeal(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("a key has " + KEY_BYTES + " bytes, not " + key.length);
        }
        this.key = new SecretKeySpec(key, "ChaCha20");
    }

    /**
     * Seals a message.
     *
     * @param context associated data, bound to the message but not sent with it; needed again to open the message
     */
    public byte[] seal(byte[] message, byte[] context) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce, context).doFinal(message);
            byte[] whole = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
            System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
            return whole;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Opens a message; empty when it was not sealed with this key and context, or was modified. */
    public Optional<byte[]> open(byte[] sealed, byte[] context) {
        if (sealed.length < SEAL_BYTES) {
            return Optional.empty();
        }
        try {
            return Optional.of(cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(sealed, NONCE_BYTES), context)
                    .doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES));
        } catch (GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, byte[] nonce, byte[] context) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, key, new IvParameterSpec(nonce));
        cipher.updateAAD(context);
        return cipher;
    }
}
