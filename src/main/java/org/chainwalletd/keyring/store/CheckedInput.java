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
 * Reads a file in portions that fit into the processor's cache, computes checksums on the way, and puts the bytes directly into the target
 * arrays: in a freshly started JVM, touching new memory pages is most of the cost of reading a large file.
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

    /** Number of bytes left to read. */
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

    /** Reads to the end without keeping the bytes and returns the checksums of the whole file. */
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
     * Fingerprint for recognizing unchanged bytes: their number and two independent checksums, which together miss an accidental change
     * with probability 2^-64. No protection against anyone who can write the files; no unkeyed hash would be. Faster than a cryptographic
     * hash in a freshly started JVM.
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

        /** Checksums of bytes that are added in parts. */
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
