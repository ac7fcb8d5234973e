package org.chainwalletd.crypto;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Secret that is overwritten when it is closed. Equality is identity, and {@link #toString} never shows the content.
 *
 * <p>Thread-safe: {@link #close} during a running {@link #use} takes effect when that use ends, so no computation ever sees a partly overwritten
 * key, and close never blocks.
 */
public final class SecretBytes implements AutoCloseable {
    private static final int CLOSED = Integer.MIN_VALUE;

    private final byte[] content;

    /** Number of running uses; the sign bit is set once closed. */
    private final AtomicInteger uses = new AtomicInteger();

    private SecretBytes(byte[] content) {
        this.content = content;
    }

    /** Computation over the content. It must neither keep nor change the array. */
    @FunctionalInterface
    public interface Use<T, X extends Exception> {
        T apply(byte[] content) throws X;
    }

    /** Takes ownership of {@code content}: the caller must not use it again, and {@link #close} overwrites it. */
    public static SecretBytes takeOver(byte[] content) {
        return new SecretBytes(content);
    }

    /** Takes a copy of {@code content}; the caller remains responsible for overwriting the original. */
    public static SecretBytes copyOf(byte[] content) {
        return new SecretBytes(content.clone());
    }

    /** Returns {@code length} fresh random bytes. */
    public static SecretBytes random(int length, SecureRandom random) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        return new SecretBytes(content);
    }

    /**
     * Lends the content to {@code body} for the duration of the call.
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
     * Returns a copy, which the caller has to overwrite.
     *
     * @throws IllegalStateException when closed
     */
    public byte[] copy() {
        return use(byte[]::clone);
    }

    /**
     * Returns an independent copy, which has to be closed separately.
     *
     * @throws IllegalStateException when closed
     */
    public SecretBytes duplicate() {
        return takeOver(copy());
    }

    /** Returns the number of bytes, also after closing. */
    public int length() {
        return content.length;
    }

    public boolean isClosed() {
        return uses.get() < 0;
    }

    /** Overwrites the content with zeros, immediately or when the last running use ends. Idempotent. */
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
