package org.chainwalletd.crypto;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.Block;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.BlockPool;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * Argon2id, version 0x13 (RFC 9106), as used for sealed files. A computation with the {@link #SPECIFIED} cost takes a few tenths of a second and 64
 * MiB of heap, so it must not run on an actor's thread.
 *
 * @param memoryKib memory in KiB, at least {@code 8 * parallelism}
 * @param iterations passes over the memory, at least 1
 * @param parallelism lanes, at least 1
 */
public record Argon2(int memoryKib, int iterations, int parallelism) {
    /**
     * Cost parameters of every sealed file (chain protocol, appendix C). A blob does not contain its parameters, so a file sealed with others could
     * not be opened.
     */
    public static final Argon2 SPECIFIED = new Argon2(65_536, 3, 1);

    /** Length of a derived key in bytes. */
    public static final int KEY_LENGTH = 32;

    /** Blocks that a computation uses in addition to its memory. */
    private static final int WORKING_BLOCKS = 8;

    /** @throws IllegalArgumentException for values outside the ranges above */
    public Argon2 {
        if (parallelism < 1 || iterations < 1 || memoryKib / 8 < parallelism) {
            throw new IllegalArgumentException(
                    "Argon2 needs parallelism and iterations of at least 1 and memory of at least 8 KiB per lane");
        }
    }

    /**
     * Derives a 32-byte key from a passphrase, without secret and associated data.
     *
     * @param passphrase UTF-8 bytes as given, without Unicode normalisation; only read, may be empty
     * @param salt at least 8 bytes (16 in sealed files)
     */
    public SecretBytes derive(byte[] passphrase, byte[] salt) {
        byte[] key = new byte[KEY_LENGTH];
        hash(passphrase, salt, new byte[0], new byte[0], key);
        return SecretBytes.takeOver(key);
    }

    /** Computes the full function with secret and associated data, which the daemon leaves empty; fills {@code output}. */
    void hash(byte[] passphrase, byte[] salt, byte[] secret, byte[] associatedData, byte[] output) {
        Argon2Parameters.Builder parameters = new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                .withMemoryAsKB(memoryKib)
                .withIterations(iterations)
                .withParallelism(parallelism)
                .withSalt(salt)
                .withSecret(secret)
                .withAdditional(associatedData);
        Argon2Memory memory = memoryKib == SPECIFIED.memoryKib
                ? Argon2Memory.take(memoryKib + WORKING_BLOCKS)
                : new Argon2Memory(memoryKib + WORKING_BLOCKS);
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(parameters.withBlockPool(memory).build());
        generator.generateBytes(passphrase, output);
        if (memoryKib == SPECIFIED.memoryKib) {
            memory.giveBack();
        }
    }

    /**
     * Block pool of one Argon2 computation, overwritten afterwards and reused for the next one. Allocating 64 MiB of small arrays each time would
     * fill the young generation of a small heap, and the collector would copy them while in use, which takes as long as the computation itself.
     * Used by one computation at a time.
     */
    static final class Argon2Memory implements BlockPool {
        /** Idle pools, at most as many as ran concurrently; softly referenced, so they are released under memory pressure. */
        private static final Deque<SoftReference<Argon2Memory>> IDLE = new ArrayDeque<>();

        private static boolean begun;

        private final Block[] free;
        private int size;

        /** @param blocks maximum number of pooled blocks, 1 KiB each */
        Argon2Memory(int blocks) {
            free = new Block[blocks];
        }

        /** Returns an idle pool, or a new one. */
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
         * Makes this pool available for the next computation, except after the first one of the process, which checks the passphrase: keeping its
         * memory would add a garbage collection to the start of the daemon.
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
}
