package org.chainwalletd.http.h2;

import java.nio.ByteBuffer;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.h2.Http2Violation.Code;

/**
 * Frame of HTTP/2 (RFC 9113, sections 4.1 and 6), and the rules that can be checked without knowing any other.
 *
 * @param stream 0 for the connection itself
 * @param whole with its header
 */
record Http2Frame(int type, int flags, int stream, ByteString whole) {
    /** Octets before the payload. */
    static final int HEADER = 9;

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 0x1;
    static final int ACK = 0x1;
    static final int END_HEADERS = 0x4;
    static final int PADDED = 0x8;
    static final int PRIORITISED = 0x20;

    /** Octets of a priority. */
    static final int PRIORITY_BYTES = 5;

    static Http2Frame of(ByteString whole) {
        return new Http2Frame(
                whole.apply(3) & 0xff,
                whole.apply(4) & 0xff,
                (whole.apply(5) & 0x7f) << 24
                        | (whole.apply(6) & 0xff) << 16
                        | (whole.apply(7) & 0xff) << 8
                        | whole.apply(8) & 0xff,
                whole);
    }

    /** Creates a frame that the daemon writes. */
    static Http2Frame of(int type, int flags, int stream, ByteString payload) {
        byte[] header = new byte[HEADER];
        ByteBuffer.wrap(header)
                .putInt(payload.length() << 8 | type)
                .put((byte) flags)
                .putInt(stream);
        return new Http2Frame(
                type, flags, stream, ByteString.fromArrayUnsafe(header).concat(payload));
    }

    int length() {
        return whole.length() - HEADER;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** An octet of the payload. */
    int octet(int at) {
        return whole.apply(HEADER + at) & 0xff;
    }

    /** Four octets of the payload, without sign. */
    long number(int at) {
        return (long) octet(at) << 24 | octet(at + 1) << 16 | octet(at + 2) << 8 | octet(at + 3);
    }

    /** Number of padding octets, including the octet of the padding length, after {@code before} other octets. */
    int padding(int before) {
        int padding = 0;
        if (has(PADDED)) {
            Http2Violation.require(length() > 0, "padding that is longer than its frame");
            padding = 1 + octet(0);
        }
        Http2Violation.require(padding + before <= length(), "padding that is longer than its frame");
        return padding;
    }

    /** Header block fragment of a HEADERS frame, without padding and priority. */
    ByteString fragment() {
        int before = has(PRIORITISED) ? PRIORITY_BYTES : 0;
        int padding = padding(before);
        if (before > 0) {
            requireOtherStream(has(PADDED) ? 1 : 0);
        }
        int from = HEADER + before + (has(PADDED) ? 1 : 0);
        return whole.slice(from, from + length() - before - padding);
    }

    /** Returns the frame with the reserved bit of the stream identifier cleared (section 4.1). */
    ByteString masked() {
        if (whole.apply(5) >= 0) {
            return whole;
        }
        byte[] bytes = whole.toArray();
        bytes[5] &= 0x7f;
        return ByteString.fromArrayUnsafe(bytes);
    }

    void requireConnection() {
        Http2Violation.require(stream == 0, "a frame of the connection on a stream");
    }

    void requireStream() {
        Http2Violation.require(stream != 0, "a frame of a stream on none");
    }

    void requireLength(int octets) {
        if (length() != octets) {
            throw Http2Violation.of(Code.FRAME_SIZE_ERROR, "a frame that has not the length of its kind");
        }
    }

    /** @param at offset in the payload of the stream dependency */
    void requireOtherStream(int at) {
        Http2Violation.require((number(at) & Integer.MAX_VALUE) != stream, "a stream that depends on itself");
    }
}
