package org.chainwalletd.crypto;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.SecretKey;

/**
 * Passes a raw key to the JDK's ciphers and on close overwrites every copy that it made. {@code SecretKeySpec} leaves its copies to the garbage
 * collector, and the JDK's ChaCha20 works directly on the array that it got from the key. Used by one thread.
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
