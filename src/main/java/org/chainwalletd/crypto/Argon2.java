package org.chainwalletd.crypto;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.Block;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.BlockPool;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * Argon2id, version 0x13 (RFC 9106), as the sealed files use it. A computation with the {@link #SPECIFIED} cost takes a few tenths of a second and
 * 64 MiB of heap: never on an actor's thread.
 *
 * @param memoryKib memory in KiB, at least {@code 8 * parallelism}
 * @param iterations passes over the memory, at least 1
 * @param parallelism lanes, at least 1
 */
public record Argon2(int memoryKib, int iterations, int parallelism) {
    /** The cost of every sealed file (chain protocol, appendix C). A blob does not carry its cost: files of another cost open nowhere else. */
    public static final Argon2 SPECIFIED = new Argon2(65_536, 3, 1);

    /** Length of a derived key in bytes. */
    public static final int KEY_LENGTH = 32;

    /** Blocks beside the memory that a computation works with. */
    private static final int WORKING_BLOCKS = 8;

    /** @throws IllegalArgumentException for values outside the ranges above */
    public Argon2 {
        if (parallelism < 1 || iterations < 1 || memoryKib / 8 < parallelism) {
            throw new IllegalArgumentException(
                    "Argon2 needs parallelism and iterations of at least 1 and memory of at least 8 KiB per lane");
        }
    }

    /**
     * The 32-byte key of a passphrase; no secret, no associated data.
     *
     * @param passphrase UTF-8 bytes as given, without Unicode normalisation; only read, may be empty
     * @param salt at least 8 bytes (16 in sealed files)
     */
    public SecretBytes derive(byte[] passphrase, byte[] salt) {
        byte[] key = new byte[KEY_LENGTH];
        hash(passphrase, salt, new byte[0], new byte[0], key);
        return SecretBytes.takeOver(key);
    }

    /** The whole function with secret and associated data, which the daemon leaves empty; fills {@code output}. */
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
     * The blocks of one Argon2 computation, overwritten after it and kept for the next one: 64 MiB of small arrays that are made anew each time
     * fill the new space of a small heap, and the collector then copies them while they are still in use, which takes as long as the
     * computation. Used by one computation at a time.
     */
    static final class Argon2Memory implements BlockPool {
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
}
