package org.chainwalletd.crypto;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.Block;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.BlockPool;

/**
 * The blocks of one Argon2 computation, overwritten after it and kept for the next one: 64 MiB of small arrays that are made anew each time
 * fill the new space of a small heap, and the collector then copies them while they are still in use, which takes as long as the
 * computation. Used by one computation at a time.
 */
final class Argon2Memory implements BlockPool {
    /** Memory that nobody uses, at most as many as ran at once; given up when the heap gets short. */
    private static final Deque<SoftReference<Argon2Memory>> IDLE = new ArrayDeque<>();

    private static boolean begun;

    private final Block[] free;
    private int size;

    /** @param blocks how many are kept: 1 KiB each */
    Argon2Memory(int blocks) {
        free = new Block[blocks];
    }

    /** Memory that was kept, or else new. */
    static Argon2Memory take(int blocks) {
        synchronized (IDLE) {
            while (!IDLE.isEmpty()) {
                Argon2Memory kept = IDLE.pop().get();
                if (kept != null) {
                    return kept;
                }
            }
        }
        return new Argon2Memory(blocks);
    }

    /**
     * Keeps this memory for the next computation. Not after the first one of the process, which proves the passphrase: keeping it would cost
     * the start of the daemon a garbage collection.
     */
    void giveBack() {
        synchronized (IDLE) {
            if (begun) {
                IDLE.push(new SoftReference<>(this));
            }
            begun = true;
        }
    }

    @Override
    public Block allocate() {
        return size > 0 ? free[--size] : new Block();
    }

    @Override
    public void deallocate(Block block) {
        block.clear();
        if (size < free.length) {
            free[size++] = block;
        }
    }
}
