package org.chainwalletd.crypto;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * The blocks of one Argon2 computation, overwritten after it and kept for the next one: 64 MiB of small arrays that are made anew each time
 * fill the new space of a small heap, and the collector then copies them while they are still in use, which takes as long as the
 * computation. Used by one computation at a time.
 */
final class Argon2Memory {
    /** Memory that nobody uses, at most as many as ran at once; given up when the heap gets short. */
    private static final Deque<SoftReference<Argon2Memory>> IDLE = new ArrayDeque<>();

    private static boolean begun;

    private final long[][] blocks;

    /** @param blocks how many there may be: 1 KiB each, made when they are first asked for */
    Argon2Memory(int blocks) {
        this.blocks = new long[blocks][];
    }

    /** Memory of at least so many blocks that was kept, or else new. */
    static Argon2Memory take(int blocks) {
        synchronized (IDLE) {
            while (!IDLE.isEmpty()) {
                Argon2Memory kept = IDLE.pop().get();
                if (kept != null && kept.blocks.length >= blocks) {
                    return kept;
                }
            }
        }
        return new Argon2Memory(blocks);
    }

    /** A block with whatever it had before, zeros at first. */
    long[] block(int index) {
        long[] block = blocks[index];
        if (block == null) {
            block = new long[Argon2Block.LONGS];
            blocks[index] = block;
        }
        return block;
    }

    /** Overwrites every block. */
    void wipe() {
        for (long[] block : blocks) {
            if (block != null) {
                Arrays.fill(block, 0);
            }
        }
    }

    /**
     * Keeps this memory, which was overwritten, for the next computation. Not after the first one of the process, which proves the
     * passphrase: keeping it would cost the start of the daemon a garbage collection.
     */
    void giveBack() {
        synchronized (IDLE) {
            if (begun) {
                IDLE.push(new SoftReference<>(this));
            }
            begun = true;
        }
    }
}
