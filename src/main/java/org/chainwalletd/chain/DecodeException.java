package org.chainwalletd.chain;

/**
 * Failure to decode untrusted bytes. The message names the fault and its byte offset; {@link #kind()} distinguishes the classes of failure for a
 * caller that must use a node's error texts (chain protocol, section 10.4).
 */
public final class DecodeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Reason why decoding stopped. */
    public enum Kind {
        /** The bytes end before the element does. */
        UNEXPECTED_EOF,
        /** An element has a value that the encoding does not allow; {@link DecodeException#detail()} names the fault. */
        INVALID_DATA,
        /** Bytes follow the last element: {@link DecodeException#position()} of {@link DecodeException#total()} bytes were consumed. */
        TRAILING_BYTES
    }

    private final Kind kind;
    private final int position;
    private final int total;
    private final String detail;

    private DecodeException(Kind kind, int position, int total, String detail, String message) {
        super(message);
        this.kind = kind;
        this.position = position;
        this.total = total;
        this.detail = detail;
    }

    /** Creates a failure for invalid data; {@code reason} without the offset becomes the {@link #detail()}. */
    public DecodeException(int position, String reason) {
        this(Kind.INVALID_DATA, position, -1, reason, reason + " at byte " + position);
    }

    /** Returns the failure when the element {@code what}, which starts at {@code position}, extends beyond the last of {@code total} bytes. */
    public static DecodeException unexpectedEof(int position, int total, String what) {
        String detail = "unexpected end of data in " + what;
        return new DecodeException(
                Kind.UNEXPECTED_EOF, position, total, detail, detail + " at byte " + position + " of " + total);
    }

    /** Returns the failure when only {@code consumed} of {@code total} bytes belong to the element {@code what}. */
    public static DecodeException trailingBytes(int consumed, int total, String what) {
        String detail = "trailing bytes after " + what;
        return new DecodeException(
                Kind.TRAILING_BYTES, consumed, total, detail, detail + " at byte " + consumed + " of " + total);
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the offset of the invalid element; for trailing bytes the number of bytes consumed. */
    public int position() {
        return position;
    }

    /** Returns the length of the input; -1 for invalid data, where it is not relevant. */
    public int total() {
        return total;
    }

    /** Returns the fault without the offset, for example {@code non-canonical has_datum flag: 2 (expected 0 or 1)}. */
    public String detail() {
        return detail;
    }
}
