package org.chainwalletd.chain;

/**
 * Untrusted bytes do not follow the protocol. The message says what is wrong and at which byte offset; {@link #kind()} tells the
 * classes of failure apart for a caller that has to answer in the words of a node (chain protocol, section 10.4).
 */
public final class DecodeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Why decoding stopped. */
    public enum Kind {
        /** The bytes end before the element does. */
        UNEXPECTED_EOF,
        /** An element has a value that the encoding does not allow; {@link DecodeException#detail()} names it. */
        INVALID_DATA,
        /** Something follows the last element: {@link DecodeException#position()} of {@link DecodeException#total()} bytes were used. */
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

    /** Invalid data: {@code reason} without the offset becomes the {@link #detail()}. */
    public DecodeException(int position, String reason) {
        this(Kind.INVALID_DATA, position, -1, reason, reason + " at byte " + position);
    }

    /** The element {@code what}, which starts at {@code position}, would reach beyond the last of {@code total} bytes. */
    public static DecodeException unexpectedEof(int position, int total, String what) {
        String detail = "unexpected end of data in " + what;
        return new DecodeException(
                Kind.UNEXPECTED_EOF, position, total, detail, detail + " at byte " + position + " of " + total);
    }

    /** Failure because only {@code consumed} of {@code total} bytes belong to the element {@code what}. */
    public static DecodeException trailingBytes(int consumed, int total, String what) {
        String detail = "trailing bytes after " + what;
        return new DecodeException(
                Kind.TRAILING_BYTES, consumed, total, detail, detail + " at byte " + consumed + " of " + total);
    }

    public Kind kind() {
        return kind;
    }

    /** Offset of the element that could not be understood; for trailing bytes the number of bytes consumed. */
    public int position() {
        return position;
    }

    /** Length of the input; -1 for invalid data, where it plays no part. */
    public int total() {
        return total;
    }

    /** Fault without the offset, for example {@code non-canonical has_datum flag: 2 (expected 0 or 1)}. */
    public String detail() {
        return detail;
    }
}
