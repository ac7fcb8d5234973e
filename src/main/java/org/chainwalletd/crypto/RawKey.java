package org.chainwalletd.crypto;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.SecretKey;

/**
 * Hands a raw key to the JDK's ciphers and overwrites every copy it made on close. {@code SecretKeySpec} leaves its copies to the
 * collector, and the JDK's ChaCha20 works with the very array that it asked the key for. One thread uses it.
 */
final class RawKey implements SecretKey, AutoCloseable {
    private static final long serialVersionUID = 1L;

    private final String algorithm;
    private final transient byte[] key;
    private final transient List<byte[]> handedOut = new ArrayList<>();

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
        byte[] copy = key.clone();
        handedOut.add(copy);
        return copy;
    }

    @Override
    public void close() {
        Arrays.fill(key, (byte) 0);
        handedOut.forEach(copy -> Arrays.fill(copy, (byte) 0));
    }
}
