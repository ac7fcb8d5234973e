package org.chainwalletd.config;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Division of a process's heap between its largest users, which together must leave room for everything else, because a full heap ends the
 * process: bytes buffered on behalf of nodes and clients, TLS connections, and an Argon2id computation for each core.
 *
 * @param heap maximum heap in bytes
 * @param cores number of processors
 */
public record HeapShares(long heap, int cores) {
    /** Memory of one Argon2id computation (interface.md, section 1.6). */
    private static final long ARGON2_BYTES = 64L << 20;

    private static final long MIB = 1L << 20;

    private static final long LEAST_REST = 32L << 20;
    private static final long MOST_REST = 128L << 20;

    /** Memory of the longest answer of a peer: one of the account chain with events (swap.md). */
    private static final long LONGEST_ANSWER = 36L << 20;

    /** Least heap with which swaps start: the account chain may use an eighth of it, which must hold its longest answer (swap.md). */
    private static final long LEAST_WITH_SWAPS = 8 * LONGEST_ANSWER;

    /** Least share of connections with such a heap: nodes can still send the largest block beside that answer. */
    private static final long LEAST_CONNECTIONS = 116L << 20;

    public static HeapShares ofThisProcess() {
        return new HeapShares(
                Runtime.getRuntime().maxMemory(), Runtime.getRuntime().availableProcessors());
    }

    /** Returns the bytes that may be buffered on behalf of nodes and clients: at most three eighths of the heap. */
    public long peers() {
        return connections() / 17 * 9;
    }

    /**
     * Returns the part of {@link #peers} that peers of one kind may use, such as clients or nodes: what is left to the others is a third, and
     * enough for the longest of their answers where swaps can run.
     */
    public long peersOfOneKind() {
        long others = heap < LEAST_WITH_SWAPS ? 0 : Math.min(peers() / 5 * 4, LONGEST_ANSWER);
        return peers() - Math.max(peers() / 3, others);
    }

    /** Returns the bytes that clients may use: as many as configured, but none of the part of other peers. */
    public long clients(OptionalLong configured) {
        return Math.min(configured.orElse(Long.MAX_VALUE), peersOfOneKind());
    }

    /** Returns a warning, as text, if clients may use fewer bytes than configured. */
    public Optional<String> complaint(OptionalLong configured) {
        long most = clients(configured);
        return configured.orElse(most) <= most
                ? Optional.empty()
                : Optional.of("clients may use only " + most + " bytes of " + heap / MIB
                        + " MiB of heap, because nodes need the rest: raise WALLETD_HEAP or lower --max-held-bytes");
    }

    /** Returns the bytes that TLS connections may use: at most a third of the heap. */
    public long tls() {
        return connections() / 17 * 8;
    }

    /** Returns the number of concurrent Argon2id computations for which the other shares leave room. */
    public int argon2() {
        return (int) ((heap - connections() - rest()) / ARGON2_BYTES);
    }

    /** Returns both shares: the rest beside the computations, but a least part of a heap that is too small for these. */
    private long connections() {
        long least = Math.max(heap / 10 * 3, heap < LEAST_WITH_SWAPS ? 0 : LEAST_CONNECTIONS);
        return Math.max(least, Math.min(heap / 24 * 17, heap - rest() - cores * ARGON2_BYTES));
    }

    /** Returns the least part that is left for everything else: more with more cores, for which the heap is larger. */
    private long rest() {
        return Math.max(LEAST_REST, Math.min(MOST_REST, heap / 17));
    }
}
