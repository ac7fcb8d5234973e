package org.chainwalletd.crypto;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.bouncycastle.crypto.digests.Blake2bDigest;

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

    private static final int VERSION = 0x13;
    private static final int TYPE_ID = 2;
    private static final int SEED_LENGTH = 64;
    private static final int BLOCK_LENGTH = 1024;
    private static final int LONGEST_DIGEST = 64;
    private static final byte[] NOTHING = {};

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

    /** The whole function with secret and associated data, which the daemon leaves empty; fills {@code output} (RFC 9106, section 3.2). */
    void hash(byte[] passphrase, byte[] salt, byte[] secret, byte[] associatedData, byte[] output) {
        byte[] seed = seed(passphrase, salt, secret, associatedData, output.length);
        byte[] block = new byte[BLOCK_LENGTH];
        boolean kept = memoryKib == SPECIFIED.memoryKib;
        Argon2Memory memory = kept ? Argon2Memory.take(memoryKib) : new Argon2Memory(memoryKib);
        Argon2Filling filling = new Argon2Filling(this, memory);
        try {
            for (int lane = 0; lane < parallelism; lane++) {
                for (int column = 0; column < 2; column++) {
                    stretch(block, seed, word(column), word(lane));
                    filling.start(lane, column, littleEndian(block).asLongBuffer());
                }
            }
            filling.fill();
            littleEndian(block).asLongBuffer().put(filling.result());
            stretch(output, block);
        } finally {
            filling.wipe();
            memory.wipe();
            Arrays.fill(block, (byte) 0);
            Arrays.fill(seed, (byte) 0);
        }
        if (kept) {
            memory.giveBack();
        }
    }

    /** H0: everything that goes in, with its lengths. */
    private byte[] seed(byte[] passphrase, byte[] salt, byte[] secret, byte[] associatedData, int tagLength) {
        Blake2bDigest digest = new Blake2bDigest(SEED_LENGTH * Byte.SIZE);
        for (int number : new int[] {parallelism, tagLength, memoryKib, iterations, VERSION, TYPE_ID}) {
            update(digest, word(number));
        }
        for (byte[] input : new byte[][] {passphrase, salt, secret, associatedData}) {
            update(digest, word(input.length));
            update(digest, input);
        }
        byte[] seed = new byte[SEED_LENGTH];
        digest.doFinal(seed, 0);
        return seed;
    }

    /** The hash of variable length, H', of the parts' concatenation (section 3.3); fills {@code output}. */
    private static void stretch(byte[] output, byte[]... parts) {
        Blake2bDigest first = new Blake2bDigest(Math.min(output.length, LONGEST_DIGEST) * Byte.SIZE);
        update(first, word(output.length));
        for (byte[] part : parts) {
            update(first, part);
        }
        byte[] link = new byte[first.getDigestSize()];
        first.doFinal(link, 0);
        int written = 0;
        while (output.length - written > LONGEST_DIGEST) {
            System.arraycopy(link, 0, output, written, LONGEST_DIGEST / 2);
            written += LONGEST_DIGEST / 2;
            Blake2bDigest next = new Blake2bDigest(Math.min(output.length - written, LONGEST_DIGEST) * Byte.SIZE);
            update(next, link);
            Arrays.fill(link, (byte) 0);
            next.doFinal(link, 0);
        }
        System.arraycopy(link, 0, output, written, output.length - written);
        Arrays.fill(link, (byte) 0);
    }

    private static void update(Blake2bDigest digest, byte[] input) {
        digest.update(input, 0, input.length);
    }

    private static byte[] word(int value) {
        byte[] bytes = new byte[Integer.BYTES];
        littleEndian(bytes).putInt(value);
        return bytes;
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
