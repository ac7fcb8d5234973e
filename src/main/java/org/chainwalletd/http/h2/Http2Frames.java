package org.chainwalletd.http.h2;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.door.MemoryReservation;

/**
 * Splits the input of an HTTP/2 client into frames (RFC 9113, sections 3.4 and 4.1). An incomplete frame uses no more memory than its received
 * bytes, which count as held.
 */
final class Http2Frames {
    private static final int HEADER = Http2Frame.HEADER;

    /** Maximum frame size; the daemon advertises no more (section 4.2). */
    static final int LONGEST = 1 << 14;

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final MemoryReservation held;
    private int preface;
    private ByteString input = ByteString.emptyByteString();
    /** Received part of an incomplete frame; empty between frames. */
    private byte[] part = new byte[0];

    private int have;

    Http2Frames(MemoryReservation held) {
        this.held = held;
    }

    void add(ByteString bytes) {
        input = bytes;
    }

    /** Whether a frame or the preface is incomplete. */
    boolean within() {
        return have > 0 || preface < PREFACE.length;
    }

    /**
     * Reads the available part of the client's preface; returns whether it is complete.
     *
     * @throws Http2Violation when it is none
     */
    boolean prefaceSaid() {
        int said = 0;
        while (preface < PREFACE.length && said < input.length()) {
            if (input.apply(said++) != PREFACE[preface++]) {
                throw Http2Violation.protocol("no preface of HTTP/2");
            }
        }
        input = input.drop(said);
        return preface == PREFACE.length;
    }

    static ByteString preface() {
        return ByteString.fromArray(PREFACE);
    }

    /**
     * Returns the next whole frame, or null.
     *
     * @throws Http2Violation for a frame that is too long, and when too much is held already
     */
    Http2Frame next() {
        if (have == 0 && input.length() >= HEADER) {
            int length = HEADER + length(input.apply(0), input.apply(1), input.apply(2));
            if (input.length() >= length) {
                Http2Frame frame = Http2Frame.of(input.take(length));
                input = input.drop(length);
                return frame;
            }
        }
        if (have < HEADER && !keepUpTo(HEADER)) {
            return null;
        }
        int length = HEADER + length(part[0], part[1], part[2]);
        if (!keepUpTo(length)) {
            return null;
        }
        Http2Frame frame = Http2Frame.of(ByteString.fromArrayUnsafe(part, 0, length));
        held.giveBack(part.length);
        part = new byte[0];
        have = 0;
        return frame;
    }

    /** Returns whether {@code bytes} bytes of the frame have arrived. */
    private boolean keepUpTo(int bytes) {
        int more = Math.min(bytes - have, input.length());
        if (more > 0) {
            room(have + more, bytes);
            input.take(more).copyToArray(part, have);
            input = input.drop(more);
            have += more;
        }
        return have == bytes;
    }

    private void room(int needed, int most) {
        if (needed <= part.length) {
            return;
        }
        int size = Math.max(needed, Math.min(most, 2 * part.length));
        if (!held.take(size - part.length)) {
            throw Http2Violation.memory();
        }
        part = Arrays.copyOf(part, size);
    }

    private static int length(byte high, byte middle, byte low) {
        int length = (high & 0xff) << 16 | (middle & 0xff) << 8 | low & 0xff;
        if (length > LONGEST) {
            throw Http2Violation.of(Http2Violation.Code.FRAME_SIZE_ERROR, "a frame is longer than was offered");
        }
        return length;
    }
}
