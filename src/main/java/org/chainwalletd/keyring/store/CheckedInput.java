package org.chainwalletd.keyring.store;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Reads a file in portions that are small enough to stay in the processor's cache, adds up its checksums on the way, and puts the bytes
 * straight where they are wanted: pages of fresh memory are most of what reading a large file costs a JVM that has just started.
 */
final class CheckedInput implements AutoCloseable {
    private static final int PORTION = 64 * 1024;

    private final InputStream in;
    private final Checksums.Sum sum = new Checksums.Sum();
    private long left;

    CheckedInput(Path file) throws IOException {
        this.left = Files.size(file);
        this.in = Files.newInputStream(file);
    }

    /** How many bytes there were to read after the last one that was read. */
    long left() {
        return left;
    }

    Checksums checksums() {
        return sum.checksums();
    }

    byte[] bytes(long length) throws IOException {
        if (length < 0 || length > left) {
            throw new EOFException("cut short");
        }
        byte[] target = new byte[(int) length];
        for (int at = 0; at < target.length; at += PORTION) {
            read(target, at, Math.min(PORTION, target.length - at));
        }
        return target;
    }

    int[] ints(int count) throws IOException {
        int[] target = new int[count];
        ByteBuffer.wrap(bytes((long) count * Integer.BYTES)).asIntBuffer().get(target);
        return target;
    }

    int nextInt() throws IOException {
        return ByteBuffer.wrap(bytes(Integer.BYTES)).getInt();
    }

    long nextLong() throws IOException {
        return ByteBuffer.wrap(bytes(Long.BYTES)).getLong();
    }

    /** Reads on to the end, keeps nothing, and answers the checksums of everything. */
    Checksums checksumsOfAll() throws IOException {
        byte[] portion = new byte[PORTION];
        while (left > 0) {
            read(portion, 0, (int) Math.min(PORTION, left));
        }
        return checksums();
    }

    private void read(byte[] target, int at, int count) throws IOException {
        if (in.readNBytes(target, at, count) < count) {
            throw new EOFException("cut short");
        }
        sum.add(target, at, count);
        left -= count;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /**
     * Tells whether bytes are the ones that were seen before: their number and two independent checksums, which together miss an accidental
     * change once in 2^64. They keep nobody out who can write the files; no unkeyed hash would. Unlike a cryptographic one they are quick in a
     * JVM that has just started.
     *
     * @param length in bytes
     */
    record Checksums(long length, int crc32, int crc32c) {
        static final int LENGTH = Long.BYTES + 2 * Integer.BYTES;

        static Checksums of(byte[] bytes, int length) {
            Sum sum = new Sum();
            sum.add(bytes, 0, length);
            return sum.checksums();
        }

        static Checksums readFrom(ByteBuffer source) {
            return new Checksums(source.getLong(), source.getInt(), source.getInt());
        }

        void writeTo(ByteBuffer target) {
            target.putLong(length).putInt(crc32).putInt(crc32c);
        }

        /** Adds up bytes that come in parts. */
        static final class Sum {
            private final CRC32 crc32 = new CRC32();
            private final CRC32C crc32c = new CRC32C();
            private long length;

            void add(byte[] bytes, int from, int count) {
                crc32.update(bytes, from, count);
                crc32c.update(bytes, from, count);
                length += count;
            }

            Checksums checksums() {
                return new Checksums(length, (int) crc32.getValue(), (int) crc32c.getValue());
            }
        }
    }
}
