package org.chainwalletd.testkit.evm;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Encoder and decoder of recursive length prefix (RLP), independent of the daemon's encoder so that the two can be compared. */
sealed interface RlpItem {
    record Text(byte[] bytes) implements RlpItem {}

    record Items(List<RlpItem> items) implements RlpItem {}

    static RlpItem text(byte[] bytes) {
        return new Text(bytes);
    }

    /** Encodes a number without leading zeros. */
    static RlpItem number(BigInteger number) {
        byte[] bytes = number.toByteArray();
        int zeros = bytes[0] == 0 ? 1 : 0;
        return new Text(Arrays.copyOfRange(bytes, zeros, bytes.length));
    }

    static RlpItem number(long number) {
        return number(BigInteger.valueOf(number));
    }

    static RlpItem list(RlpItem... items) {
        return new Items(List.of(items));
    }

    default byte[] encode() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (this instanceof Text text) {
            if (text.bytes.length == 1 && text.bytes[0] >= 0) {
                return text.bytes;
            }
            head(out, 0x80, text.bytes.length);
            out.writeBytes(text.bytes);
        } else {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            ((Items) this).items.forEach(item -> content.writeBytes(item.encode()));
            head(out, 0xc0, content.size());
            out.writeBytes(content.toByteArray());
        }
        return out.toByteArray();
    }

    private static void head(ByteArrayOutputStream out, int kind, int length) {
        if (length <= 55) {
            out.write(kind + length);
            return;
        }
        byte[] size = ((Text) number(length)).bytes;
        out.write(kind + 55 + size.length);
        out.writeBytes(size);
    }

    /**
     * Decodes exactly one item from {@code from} to the end.
     *
     * @throws IllegalArgumentException for anything but its shortest encoding
     */
    static RlpItem decode(byte[] encoded, int from) {
        Reader reader = new Reader(encoded, from);
        RlpItem item = reader.item(0);
        if (reader.at != encoded.length
                || !Arrays.equals(item.encode(), Arrays.copyOfRange(encoded, from, reader.at))) {
            throw new IllegalArgumentException("not one item in its shortest form");
        }
        return item;
    }

    /** Sequential reader; lists are nested at most four deep. */
    final class Reader {
        private static final int DEEPEST = 4;

        private final byte[] bytes;
        private int at;

        private Reader(byte[] bytes, int at) {
            this.bytes = bytes;
            this.at = at;
        }

        private RlpItem item(int depth) {
            int head = take(1)[0] & 0xff;
            if (head < 0x80) {
                return new Text(new byte[] {(byte) head});
            }
            if (head < 0xc0) {
                return new Text(take(length(head - 0x80)));
            }
            int end = length(head - 0xc0) + at;
            List<RlpItem> items = new ArrayList<>();
            while (at < end) {
                if (depth == DEEPEST) {
                    throw new IllegalArgumentException("lists are nested too deep");
                }
                items.add(item(depth + 1));
            }
            if (at != end) {
                throw new IllegalArgumentException("an item goes beyond its list");
            }
            return new Items(items);
        }

        private int length(int code) {
            if (code <= 55) {
                return code;
            }
            BigInteger length = new BigInteger(1, take(code - 55));
            if (length.bitLength() > 24) {
                throw new IllegalArgumentException("an item is too long");
            }
            return length.intValueExact();
        }

        private byte[] take(int count) {
            if (count > bytes.length - at) {
                throw new IllegalArgumentException("the bytes end within an item");
            }
            at += count;
            return Arrays.copyOfRange(bytes, at - count, at);
        }
    }
}
