package org.chainwalletd.crypto;

/**
 * A secret seed together with its own public key, which is derived once. Closing it overwrites the seed.
 *
 * <p>Any number of threads may sign at the same time; see {@link SecretBytes} for what happens when one of them closes it.
 */
public final class SigningKey implements AutoCloseable {
    private final SecretBytes seed;
    private final byte[] publicKey;

    private SigningKey(SecretBytes seed, byte[] publicKey) {
        this.seed = seed;
        this.publicKey = publicKey;
    }

    /**
     * Takes over {@code seed}, 32 bytes, and derives its public key (RFC 8032, section 5.1.5). The seed is closed when this fails.
     *
     * @throws IllegalArgumentException unless there are 32 bytes
     */
    public static SigningKey takeOver(SecretBytes seed) {
        try {
            return new SigningKey(seed, seed.use(Ed25519::publicKey));
        } catch (RuntimeException e) {
            seed.close();
            throw e;
        }
    }

    /** A copy of the 32 bytes of the public key. */
    public byte[] publicKey() {
        return publicKey.clone();
    }

    /**
     * The 64-byte Ed25519 signature of {@code message}.
     *
     * @throws IllegalStateException when closed
     */
    public byte[] sign(byte[] message) {
        return seed.use(secret -> Ed25519.sign(secret, publicKey, message));
    }

    /**
     * A copy of the secret with a life of its own, for sealing or revealing it.
     *
     * @throws IllegalStateException when closed
     */
    public SecretBytes secret() {
        return seed.duplicate();
    }

    @Override
    public void close() {
        seed.close();
    }
}
