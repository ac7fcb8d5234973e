package org.chainwalletd.crypto;

import java.util.Arrays;
import javax.crypto.SecretKey;

/**
 * Hands a raw key to the JDK's ciphers. Unlike {@code SecretKeySpec}, which keeps a copy until the collector takes it, the copy here is
 * overwritten on close. (The JDK's HMAC overwrites the copy it asks for by itself, its ChaCha20 does not.)
 */
final class RawKey implements SecretKey, AutoCloseable {
    private static final long serialVersionUID = 1L;

    private final String algorithm;
    private final transient byte[] key;

    RawKey(String algorithm, byte[] key) {
        this.algorithm = algorithm;
        this.key = key.clone();
    }

    @Override
    public String getAlgorithm() {
        return algorithm;
    }

    @Override
    public String getFormat() {
        return "RAW";
    }

    @Override
    public byte[] getEncoded() {
        return key.clone();
    }

    @Override
    public void close() {
        Arrays.fill(key, (byte) 0);
    }
}
