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
 * The one format of everything at rest (interface, section 1.6; chain protocol, appendix C): magic {@code WDV1}, version 1, salt (16), nonce (12),
 * ciphertext with its 16-byte tag. ChaCha20-Poly1305 (RFC 8439) under an Argon2id key, with the role's bytes as associated data; the
 * header is not part of it.
 *
 * <p>The key derivation is a step of its own, so that callers can run it elsewhere: {@code argon2.derive(passphrase, blob.salt())}, then
 * {@code blob.open(key, role)}. Immutable.
 */
public final class SealedBlob {
    public static final int SALT_LENGTH = 16;
    public static final int NONCE_LENGTH = 12;
    /** Bytes of a blob beside the plaintext, and so the smallest blob. */
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

    /** Its first bytes. */
    public static byte[] magic() {
        return MAGIC.clone();
    }

    /** Whether these bytes say that they are sealed; nothing else of them is looked at. */
    public static boolean isMarked(byte[] bytes) {
        return bytes.length >= OVERHEAD && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /**
     * Reads a blob, which is copied. Costs no key derivation.
     *
     * @throws UnsealException too short, other magic, or other version, in this order
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
     * Seals {@code plaintext}. A key must never meet the same nonce twice: every seal takes a fresh salt, hence a fresh key, and a fresh nonce.
     *
     * @param key 32 bytes, derived from the passphrase and this very salt
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

    /** Loads what sealing and opening need, for a start that waits for a key derivation meanwhile. Not needed before either. */
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
     * The plaintext.
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

    /** A copy of the 16 bytes of the salt. */
    public byte[] salt() {
        return Arrays.copyOfRange(bytes, SALT_AT, NONCE_AT);
    }

    /** A copy of the whole blob, as it stands in a file. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** Length of the plaintext in bytes. */
    public int plaintextLength() {
        return bytes.length - OVERHEAD;
    }

    /** Runs the cipher once, then keys it anew, which overwrites its state; {@link RawKey} overwrites the key it was given. */
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

    /** Another nonce: the JDK refuses to key a cipher anew with the pair that it has, and the key is overwritten by then. */
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

    /** A sealed blob that does not open (chain protocol, appendix C). Never carries content, keys or a cause. */
    public static final class UnsealException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Why not, in the order in which the reasons are checked. */
        public enum Reason {
            /** Fewer than 49 bytes. */
            TOO_SHORT("it is too short to be a sealed file"),
            /** The first four bytes are not {@code WDV1}. */
            BAD_MAGIC("it is not a sealed file"),
            /** The version byte is not 1. */
            BAD_VERSION("it is a sealed file of an unknown version"),
            /** Wrong passphrase, another role, or damaged: cannot be told apart. */
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
