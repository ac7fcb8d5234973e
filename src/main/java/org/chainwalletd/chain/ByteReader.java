package org.chainwalletd.chain;

import java.util.Arrays;

/**
 * Cursor over untrusted bytes in the chain's little-endian encoding. Every method throws {@link DecodeException} instead of reading beyond the end,
 * and checks the length before it allocates.
 */
final class ByteReader {
    private final byte[] bytes;
    private int position;

    ByteReader(byte[] bytes) {
        this.bytes = bytes;
    }

    int position() {
        return position;
    }

    int remaining() {
        return bytes.length - position;
    }

    int total() {
        return bytes.length;
    }

    /** Fails unless at least {@code count} bytes are left; {@code what} names the element that needs them. */
    void require(long count, String what) {
        if (count > remaining()) {
            throw DecodeException.unexpectedEof(position, bytes.length, what);
        }
    }

    int u8(String what) {
        require(1, what);
        return bytes[position++] & 0xff;
    }

    int u16(String what) {
        require(2, what);
        int value = bytes[position] & 0xff | (bytes[position + 1] & 0xff) << 8;
        position += 2;
        return value;
    }

    /** Returns 0 … 2^32-1. */
    long u32(String what) {
        require(4, what);
        return LittleEndian.getInt(bytes, advance(4)) & 0xffff_ffffL;
    }

    long u64(String what) {
        require(8, what);
        return LittleEndian.getLong(bytes, advance(8));
    }

    Hash256 hash(String what) {
        return Hash256.wrap(take(Hash256.LENGTH, what));
    }

    byte[] take(int count, String what) {
        require(count, what);
        int from = advance(count);
        return Arrays.copyOfRange(bytes, from, from + count);
    }

    void skip(long count, String what) {
        require(count, what);
        position += (int) count;
    }

    /** Reads {@code VarBytes}: a u16 length, then that many bytes; a length above {@code limit} is invalid data. */
    Bytes varBytes(int limit, String what) {
        int start = position;
        int length = u16(what);
        if (length > limit) {
            throw new DecodeException(start, what + " size " + length + " exceeds maximum " + limit);
        }
        return Bytes.wrap(take(length, what));
    }

    /** Reads a byte that must be 0 or 1; {@code name} is the node's name for it, such as {@code has_datum}. */
    boolean flag(String name) {
        int start = position;
        int value = u8(name);
        if (value > 1) {
            throw new DecodeException(start, "non-canonical " + name + " flag: " + value + " (expected 0 or 1)");
        }
        return value == 1;
    }

    /** Fails unless all bytes were consumed. */
    void end(String what) {
        if (remaining() > 0) {
            throw DecodeException.trailingBytes(position, bytes.length, what);
        }
    }

    private int advance(int count) {
        int from = position;
        position += count;
        return from;
    }
}
