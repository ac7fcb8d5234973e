package org.chainwalletd.http;

import java.util.function.IntConsumer;
import org.apache.pekko.util.ByteString;

/**
 * Reads along with the bytes of an HTTP/2 client and tells of what Pekko HTTP keeps to itself: a request whose stream is reset (RFC 9113,
 * section 6.4) while its answer is being worked on. Bytes that are no HTTP/2 are Pekko's to refuse.
 */
final class Http2FrameWatch {
    private static final int PREFACE = 24;
    private static final int FRAME_HEADER = 9;
    private static final int RST_STREAM = 3;

    private final IntConsumer reset;
    private final byte[] header = new byte[FRAME_HEADER];
    private int have;
    private long skip = PREFACE;

    /** @param reset told the number of each stream that the client resets */
    Http2FrameWatch(IntConsumer reset) {
        this.reset = reset;
    }

    void read(ByteString bytes) {
        int at = 0;
        int end = bytes.length();
        while (at < end) {
            int skipped = (int) Math.min(skip, end - at);
            skip -= skipped;
            at += skipped;
            if (at < end) {
                header[have++] = bytes.apply(at++);
                if (have == FRAME_HEADER) {
                    have = 0;
                    frame();
                }
            }
        }
    }

    private void frame() {
        skip = (header[0] & 0xff) << 16 | (header[1] & 0xff) << 8 | header[2] & 0xff;
        if (header[3] == RST_STREAM) {
            reset.accept(
                    (header[5] & 0x7f) << 24 | (header[6] & 0xff) << 16 | (header[7] & 0xff) << 8 | header[8] & 0xff);
        }
    }
}
