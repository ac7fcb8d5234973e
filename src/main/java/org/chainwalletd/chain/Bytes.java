package org.chainwalletd.chain;

import java.util.Arrays;
import java.util.HexFormat;

/** An immutable byte string of any length. Never used for secrets, since it cannot be overwritten. */
public final class Bytes {
    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private final byte[] value;

    private Bytes(byte[] value) {
        this.value = value;
    }

    /** Copies {@code value}. */
    public static Bytes of(byte[] value) {
        return value.length == 0 ? EMPTY : new Bytes(value.clone());
    }

    /** Takes over {@code value} without a copy; the caller must not use it again. */
    public static Bytes wrap(byte[] value) {
        return value.length == 0 ? EMPTY : new Bytes(value);
    }

    /**
     * Reads hexadecimal text of either case without a prefix.
     *
     * @throws IllegalArgumentException for an odd number of digits or another character
     */
    public static Bytes parse(String hex) {
        return wrap(HexFormat.of().parseHex(hex));
    }

    public int length() {
        return value.length;
    }

    public boolean isEmpty() {
        return value.length == 0;
    }

    public byte at(int index) {
        return value[index];
    }

    /** Returns a copy. */
    public byte[] toArray() {
        return value.clone();
    }

    /** Returns a copy of the bytes from {@code from} (inclusive) to {@code to} (exclusive). */
    public byte[] slice(int from, int to) {
        return Arrays.copyOfRange(value, from, to);
    }

    /** Returns the content itself, for read-only use inside this package. */
    byte[] unsafe() {
        return value;
    }

    /** Returns lower-case hexadecimal. */
    public String hex() {
        return HexFormat.of().formatHex(value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(value);
    }

    @Override
    public String toString() {
        return hex();
    }
}
