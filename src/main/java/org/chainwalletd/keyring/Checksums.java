package org.chainwalletd.keyring;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

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
