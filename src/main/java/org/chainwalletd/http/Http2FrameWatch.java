package org.chainwalletd.http;

import java.util.function.IntConsumer;
import org.apache.pekko.util.ByteString;

/**
 * Reads along with the bytes of an HTTP/2 client (RFC 9113) and tells of what Pekko HTTP keeps to itself or does not bound: a request whose
 * stream is reset while its answer is being worked on, and header blocks that cost the daemon more than any request needs. Bytes that are no
 * HTTP/2 are Pekko's to refuse.
 */
final class Http2FrameWatch {
    /** Compressed, all frames of a block together: Pekko collects them before it looks at the first. */
    static final int LONGEST_BLOCK = 32 << 10;

    /** With the decoder's table of 4 KiB a block of so many fields becomes half a MiB at most. */
    static final int MOST_FIELDS = 128;

    private static final int PREFACE = 24;
    private static final int FRAME_HEADER = 9;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int CONTINUATION = 9;
    private static final int PADDED = 0x8;
    private static final int PRIORITY = 0x20;

    private final IntConsumer reset;
    private final HpackFields fields = new HpackFields();
    private final byte[] header = new byte[FRAME_HEADER];
    private int have;
    private long skip = PREFACE;
    /** Bytes of the present frame that belong to a header block and have not come yet. */
    private int block;
    /** Of the present block, over all its frames. */
    private int blockLength;

    private boolean padded;
    /** Bytes of padding and priority around the block's part of the present frame. */
    private int before;

    private int after;

    /** @param reset told the number of each stream that the client resets */
    Http2FrameWatch(IntConsumer reset) {
        this.reset = reset;
    }

    /** Returns whether the client has stayed within the bounds; after the first time that it has not, nothing more is to be read. */
    boolean read(ByteString bytes) {
        int at = 0;
        int end = bytes.length();
        while (at < end) {
            if (padded) {
                padded = false;
                after = bytes.apply(at++) & 0xff;
                block = Math.max(0, block - 1 - after);
                skip = before + (block == 0 ? after : 0);
            } else if (skip > 0) {
                int skipped = (int) Math.min(skip, end - at);
                skip -= skipped;
                at += skipped;
            } else if (block > 0) {
                fields.read(bytes.apply(at++));
                block--;
                blockLength++;
                if (blockLength > LONGEST_BLOCK || fields.fields() > MOST_FIELDS) {
                    return false;
                }
                skip = block == 0 ? after : 0;
            } else {
                header[have++] = bytes.apply(at++);
                if (have == FRAME_HEADER) {
                    have = 0;
                    frame();
                }
            }
        }
        return true;
    }

    private void frame() {
        int length = (header[0] & 0xff) << 16 | (header[1] & 0xff) << 8 | header[2] & 0xff;
        int flags = header[4];
        switch (header[3]) {
            case HEADERS -> {
                blockLength = 0;
                fields.begin();
                padded = (flags & PADDED) != 0 && length > 0;
                before = (flags & PRIORITY) != 0 ? Math.min(5, length) : 0;
                after = 0;
                block = length - before;
                skip = padded ? 0 : before;
            }
            case CONTINUATION -> {
                block = length;
                after = 0;
            }
            case RST_STREAM -> {
                reset.accept((header[5] & 0x7f) << 24
                        | (header[6] & 0xff) << 16
                        | (header[7] & 0xff) << 8
                        | header[8] & 0xff);
                skip = length;
            }
            default -> skip = length;
        }
    }
}
