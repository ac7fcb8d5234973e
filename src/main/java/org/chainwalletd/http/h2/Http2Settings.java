package org.chainwalletd.http.h2;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.h2.Http2Violation.Code;

/**
 * Settings of an HTTP/2 client (RFC 9113, section 6.5.2), checked and limited before they reach Pekko HTTP, which otherwise buffers as much of an
 * answer in each stream, and keeps as many fields in its compressor, as the client says that it accepts.
 */
final class Http2Settings {
    /** Initial window, also of a client that does not set one. */
    static final int FIRST_WINDOW = 65_535;

    private static final long LARGEST_WINDOW = (1L << 31) - 1;
    private static final int ENTRY = 6;
    private static final int TABLE_SIZE = 1;
    private static final int ENABLE_PUSH = 2;
    private static final int INITIAL_WINDOW = 4;
    private static final int FRAME_SIZE = 5;
    private static final long LARGEST_FRAME_SIZE = (1 << 24) - 1;

    private final Map<Integer, Long> said = new TreeMap<>();

    private Http2Settings() {}

    /** @throws Http2Violation for a value that is not allowed */
    static Http2Settings of(Http2Frame frame) {
        if (frame.length() % ENTRY != 0) {
            throw Http2Violation.of(Code.FRAME_SIZE_ERROR, "settings of no whole number");
        }
        Http2Settings settings = new Http2Settings();
        for (int at = 0; at < frame.length(); at += ENTRY) {
            settings.take(frame.octet(at) << 8 | frame.octet(at + 1), frame.number(at + 2));
        }
        return settings;
    }

    /** @throws Http2Violation when the window becomes too large (RFC 9113, section 6.9.1) */
    static void checkWindow(long window) {
        if (window > LARGEST_WINDOW) {
            throw Http2Violation.of(Code.FLOW_CONTROL_ERROR, "a window that is too large");
        }
    }

    private void take(int id, long value) {
        switch (id) {
            case TABLE_SIZE -> said.put(id, Math.min(value, HpackTable.SIZE));
            case ENABLE_PUSH -> {
                if (value > 1) {
                    throw Http2Violation.protocol("a setting that is neither 0 nor 1");
                }
            }
            case INITIAL_WINDOW -> {
                checkWindow(value);
                said.put(id, value);
            }
            case FRAME_SIZE -> {
                if (value < Http2Frames.LONGEST || value > LARGEST_FRAME_SIZE) {
                    throw Http2Violation.protocol("a largest frame that is not allowed");
                }
            }
            default -> {}
        }
    }

    /** Returns the initial window of new streams; {@code before} if the frame does not set it. */
    long initialWindow(long before) {
        return said.getOrDefault(INITIAL_WINDOW, before);
    }

    /** Returns the frame to pass on to Pekko. */
    ByteString frame() {
        ByteBuffer payload = ByteBuffer.allocate(said.size() * ENTRY);
        said.forEach((id, value) -> payload.putShort(id.shortValue()).putInt(value.intValue()));
        return Http2Frame.of(Http2Frame.SETTINGS, 0, 0, ByteString.fromArrayUnsafe(payload.array()))
                .whole();
    }
}
