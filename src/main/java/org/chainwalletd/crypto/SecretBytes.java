package org.chainwalletd.crypto;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A secret that is overwritten when it is closed. Equality is identity, and {@link #toString} never shows the content.
 *
 * <p>Safe for use by several threads: {@link #close} during a running {@link #use} takes effect when that use ends, so nobody ever
 * computes with a half overwritten key, and close never blocks.
 */
public final class SecretBytes implements AutoCloseable {
    private static final int CLOSED = Integer.MIN_VALUE;

    private final byte[] content;

    /** Number of running uses; the sign bit is set once closed. */
    private final AtomicInteger uses = new AtomicInteger();

    private SecretBytes(byte[] content) {
        this.content = content;
    }

    /** A computation over the content. It must neither keep nor change the array. */
    @FunctionalInterface
    public interface Use<T, X extends Exception> {
        T apply(byte[] content) throws X;
    }

    /** Owns {@code content} from now on: the caller must not touch it again, {@link #close} overwrites it. */
    public static SecretBytes takeOver(byte[] content) {
        return new SecretBytes(content);
    }

    /** Owns a copy of {@code content}; the original stays the caller's to overwrite. */
    public static SecretBytes copyOf(byte[] content) {
        return new SecretBytes(content.clone());
    }

    /** {@code length} fresh random bytes. */
    public static SecretBytes random(int length, SecureRandom random) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        return new SecretBytes(content);
    }

    /**
     * Lends the content to {@code body} for the length of the call.
     *
     * @throws IllegalStateException when closed
     */
    public <T, X extends Exception> T use(Use<T, X> body) throws X {
        acquire();
        try {
            return body.apply(content);
        } finally {
            release();
        }
    }

    /**
     * A copy that the caller overwrites.
     *
     * @throws IllegalStateException when closed
     */
    public byte[] copy() {
        return use(byte[]::clone);
    }

    /**
     * A second owner with a life of its own.
     *
     * @throws IllegalStateException when closed
     */
    public SecretBytes duplicate() {
        return takeOver(copy());
    }

    /** Number of bytes, known even after closing. */
    public int length() {
        return content.length;
    }

    public boolean isClosed() {
        return uses.get() < 0;
    }

    /** Overwrites the content with zeros, at once or when the last running use ends. Closing twice is harmless. */
    @Override
    public void close() {
        int before = uses.getAndUpdate(count -> count | CLOSED);
        if (before == 0) {
            wipe();
        }
    }

    @Override
    public String toString() {
        return "SecretBytes[" + content.length + " bytes]";
    }

    private void acquire() {
        int before = uses.getAndUpdate(count -> count < 0 ? count : count + 1);
        if (before < 0) {
            throw new IllegalStateException("secret is closed");
        }
    }

    private void release() {
        if (uses.decrementAndGet() == CLOSED) {
            wipe();
        }
    }

    private void wipe() {
        Arrays.fill(content, (byte) 0);
    }
}
