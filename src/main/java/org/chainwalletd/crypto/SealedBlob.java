package org.chainwalletd.crypto;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import org.chainwalletd.crypto.SealedBlob.UnsealException.Reason;

/**
 * Format of all sealed data at rest (interface, section 1.6; chain protocol, appendix C): magic {@code WDV1}, version 1, salt (16), nonce (12),
 * ciphertext with its 16-byte tag. ChaCha20-Poly1305 (RFC 8439) under an Argon2id key, with the role's bytes as associated data; the header is not
 * part of the associated data.
 *
 * <p>Key derivation is a separate step, so that callers can run it elsewhere: {@code argon2.derive(passphrase, blob.salt())}, then
 * {@code blob.open(key, role)}. Immutable.
 */
public final class SealedBlob {
    public static final int SALT_LENGTH = 16;
    public static final int NONCE_LENGTH = 12;
    /** Bytes of a blob in addition to the plaintext, which is also the minimum length of a blob. */
    public static final int OVERHEAD = 49;

    private static final byte[] MAGIC = "WDV1".getBytes(StandardCharsets.US_ASCII);
    private static final byte VERSION = 1;
    private static final int SALT_AT = MAGIC.length + 1;
    private static final int NONCE_AT = SALT_AT + SALT_LENGTH;
    private static final int CIPHERTEXT_AT = NONCE_AT + NONCE_LENGTH;
    private static final String CIPHER = "ChaCha20-Poly1305";
    private static final String KEY_ALGORITHM = "ChaCha20";

    private final byte[] bytes;

    private SealedBlob(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns a copy of the magic bytes. */
    public static byte[] magic() {
        return MAGIC.clone();
    }

    /** Tests whether the bytes are long enough and begin with the magic; nothing else is checked. */
    public static boolean isMarked(byte[] bytes) {
        return bytes.length >= OVERHEAD && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /**
     * Parses a blob, which is copied. Does not derive a key.
     *
     * @throws UnsealException too short, wrong magic, or unknown version, in this order
     */
    public static SealedBlob parse(byte[] bytes) {
        if (bytes.length < OVERHEAD) {
            throw new UnsealException(Reason.TOO_SHORT);
        }
        if (!Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new UnsealException(Reason.BAD_MAGIC);
        }
        if (bytes[MAGIC.length] != VERSION) {
            throw new UnsealException(Reason.BAD_VERSION);
        }
        return new SealedBlob(bytes.clone());
    }

    /**
     * Seals {@code plaintext}. A key must never be used twice with the same nonce: every seal uses a fresh salt, hence a fresh key, and a fresh
     * nonce.
     *
     * @param key 32 bytes, derived from the passphrase and {@code salt}
     * @param salt 16 random bytes
     * @param nonce 12 random bytes
     * @param role associated data, {@code chain-walletd/v1/…}
     * @throws IllegalArgumentException for other lengths
     */
    public static SealedBlob seal(SecretBytes key, byte[] salt, byte[] nonce, byte[] role, byte[] plaintext) {
        requireLength("salt", salt.length, SALT_LENGTH);
        requireLength("nonce", nonce.length, NONCE_LENGTH);
        byte[] bytes = new byte[OVERHEAD + plaintext.length];
        ByteBuffer.wrap(bytes).put(MAGIC).put(VERSION).put(salt).put(nonce);
        try {
            byte[] ciphertext = crypt(Cipher.ENCRYPT_MODE, key, nonce, role, plaintext, 0);
            System.arraycopy(ciphertext, 0, bytes, CIPHERTEXT_AT, ciphertext.length);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("sealing failed", e);
        }
        return new SealedBlob(bytes);
    }

    /** Warms up sealing and opening while the start waits for a key derivation. Optional. */
    public static void prepare() {
        byte[] nothing = new byte[0];
        try (SecretBytes key = SecretBytes.takeOver(new byte[Argon2.KEY_LENGTH])) {
            seal(key, new byte[SALT_LENGTH], new byte[NONCE_LENGTH], nothing, nothing)
                    .open(key, nothing)
                    .close();
        }
    }

    /** Derives a key under a fresh salt and seals with it: one Argon2id computation. Arguments are only read. */
    public static SealedBlob seal(
            Argon2 argon2, byte[] passphrase, SecureRandom random, byte[] role, byte[] plaintext) {
        byte[] salt = new byte[SALT_LENGTH];
        byte[] nonce = new byte[NONCE_LENGTH];
        random.nextBytes(salt);
        random.nextBytes(nonce);
        try (SecretBytes key = argon2.derive(passphrase, salt)) {
            return seal(key, salt, nonce, role, plaintext);
        }
    }

    /** Derives the key from the passphrase and opens: one Argon2id computation. Arguments are only read. */
    public SecretBytes open(Argon2 argon2, byte[] passphrase, byte[] role) {
        try (SecretBytes key = argon2.derive(passphrase, salt())) {
            return open(key, role);
        }
    }

    /**
     * Returns the plaintext.
     *
     * @param key 32 bytes, derived from the passphrase and {@link #salt}
     * @throws UnsealException with {@link Reason#DECRYPTION_FAILED}
     * @throws IllegalArgumentException for a key of another length
     */
    public SecretBytes open(SecretBytes key, byte[] role) {
        byte[] nonce = Arrays.copyOfRange(bytes, NONCE_AT, CIPHERTEXT_AT);
        try {
            return SecretBytes.takeOver(crypt(Cipher.DECRYPT_MODE, key, nonce, role, bytes, CIPHERTEXT_AT));
        } catch (AEADBadTagException e) {
            throw new UnsealException(Reason.DECRYPTION_FAILED);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("unsealing failed", e);
        }
    }

    /** Returns a copy of the 16 bytes of the salt. */
    public byte[] salt() {
        return Arrays.copyOfRange(bytes, SALT_AT, NONCE_AT);
    }

    /** Returns a copy of the whole blob, as stored in a file. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** Returns the length of the plaintext in bytes. */
    public int plaintextLength() {
        return bytes.length - OVERHEAD;
    }

    /** Runs the cipher once, then rekeys it, which overwrites its state; {@link RawKey} overwrites the key passed to it. */
    private static byte[] crypt(int mode, SecretBytes key, byte[] nonce, byte[] role, byte[] input, int from)
            throws GeneralSecurityException {
        requireLength("key", key.length(), Argon2.KEY_LENGTH);
        Cipher cipher = Cipher.getInstance(CIPHER);
        try (RawKey noKey = new RawKey(KEY_ALGORITHM, new byte[Argon2.KEY_LENGTH])) {
            try (RawKey raw = key.use(bytes -> new RawKey(KEY_ALGORITHM, bytes))) {
                cipher.init(mode, raw, new IvParameterSpec(nonce));
                cipher.updateAAD(role);
                return cipher.doFinal(input, from, input.length - from);
            } finally {
                cipher.init(Cipher.ENCRYPT_MODE, noKey, new IvParameterSpec(inverted(nonce)));
            }
        }
    }

    /**
     * Returns another nonce, because the JDK refuses to initialise a cipher again with the same key and nonce, and the key is overwritten by then.
     */
    private static byte[] inverted(byte[] nonce) {
        byte[] other = nonce.clone();
        for (int i = 0; i < other.length; i++) {
            other[i] = (byte) ~other[i];
        }
        return other;
    }

    private static void requireLength(String what, int length, int wanted) {
        if (length != wanted) {
            throw new IllegalArgumentException(what + " must have " + wanted + " bytes, not " + length);
        }
    }

    /** Failure to open a sealed blob (chain protocol, appendix C). Never carries content, keys or a cause. */
    public static final class UnsealException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Reasons, in the order in which they are checked. */
        public enum Reason {
            /** Fewer than 49 bytes. */
            TOO_SHORT("it is too short to be a sealed file"),
            /** The first four bytes are not {@code WDV1}. */
            BAD_MAGIC("it is not a sealed file"),
            /** The version byte is not 1. */
            BAD_VERSION("it is a sealed file of an unknown version"),
            /** Wrong passphrase, another role, or damaged; these cannot be distinguished. */
            DECRYPTION_FAILED("wrong passphrase, another kind of sealed file, or damaged");

            private final String text;

            Reason(String text) {
                this.text = text;
            }
        }

        private final Reason reason;

        UnsealException(Reason reason) {
            super(reason.text);
            this.reason = reason;
        }

        public Reason reason() {
            return reason;
        }
    }
}
