package org.chainwalletd.chain;

/** Writer into an array of known length, in the chain's little-endian encoding. */
final class ByteWriter {
    private final byte[] bytes;
    private int position;

    /** @throws IllegalArgumentException if the length exceeds that of an array */
    ByteWriter(long length) {
        if (length > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(length + " bytes do not fit into one array");
        }
        bytes = new byte[(int) length];
    }

    ByteWriter u8(int value) {
        bytes[position++] = (byte) value;
        return this;
    }

    ByteWriter u16(int value) {
        return u8(value).u8(value >>> 8);
    }

    ByteWriter u32(long value) {
        LittleEndian.putInt(bytes, position, (int) value);
        position += 4;
        return this;
    }

    ByteWriter u64(long value) {
        LittleEndian.putLong(bytes, position, value);
        position += 8;
        return this;
    }

    ByteWriter raw(byte[] value) {
        System.arraycopy(value, 0, bytes, position, value.length);
        position += value.length;
        return this;
    }

    /**
     * @throws IllegalArgumentException when {@code value} is longer than {@code limit}
     */
    ByteWriter varBytes(Bytes value, int limit, String what) {
        if (value.length() > limit) {
            throw new IllegalArgumentException(what + " too long: " + value.length() + " bytes (max " + limit + ")");
        }
        return u16(value.length()).raw(value.unsafe());
    }

    /** Returns the filled array itself, without a copy. */
    byte[] finish() {
        if (position != bytes.length) {
            throw new IllegalStateException("wrote " + position + " of " + bytes.length + " bytes");
        }
        return bytes;
    }
}
