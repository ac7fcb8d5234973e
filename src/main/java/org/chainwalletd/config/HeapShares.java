package org.chainwalletd.config;

/**
 * Division of a process's heap between its largest users, which together must leave room for everything else, because a full heap ends the
 * process: bytes buffered on behalf of nodes and clients, TLS connections, and Argon2id computations.
 *
 * @param heap maximum heap in bytes
 */
public record HeapShares(long heap) {
    /** Memory of one Argon2id computation (interface.md, section 1.6). */
    private static final long ARGON2_BYTES = 64L << 20;

    /** Least part that is left for everything else. */
    private static final long REST = 32L << 20;

    public static HeapShares ofThisProcess() {
        return new HeapShares(Runtime.getRuntime().maxMemory());
    }

    /** Returns the bytes that may be buffered on behalf of nodes and clients: of each a quarter of the heap, together three eighths. */
    public long peers() {
        return heap / 8 * 3;
    }

    /** Returns the bytes that TLS connections may use. */
    public long tls() {
        return heap / 3;
    }

    /** Returns the number of concurrent Argon2id computations for which the other shares leave room. */
    public int argon2() {
        return (int) (Math.max(0, heap - peers() - tls() - REST) / ARGON2_BYTES);
    }

    /** Returns the default number of concurrent Argon2id computations: as many as cores, as far as there is room; at least one. */
    public int argon2(int cores) {
        return Math.max(1, Math.min(cores, argon2()));
    }
}
