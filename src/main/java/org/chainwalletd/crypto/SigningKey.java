package org.chainwalletd.crypto;

/**
 * Secret seed with its public key, which is derived once. Closing it overwrites the seed.
 *
 * <p>Any number of threads may sign concurrently; see {@link SecretBytes} for closing it meanwhile.
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

    /** Returns a copy of the 32 bytes of the public key. */
    public byte[] publicKey() {
        return publicKey.clone();
    }

    /**
     * Returns the 64-byte Ed25519 signature of {@code message}.
     *
     * @throws IllegalStateException when closed
     */
    public byte[] sign(byte[] message) {
        return seed.use(secret -> Ed25519.sign(secret, publicKey, message));
    }

    /**
     * Returns an independent copy of the secret, for sealing or revealing it; it has to be closed separately.
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
