package org.chainwalletd.http.h2;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes the header blocks of one HTTP/2 client (RFC 7541) within bounds. One byte can refer to a table entry of thousands of bytes, so
 * the length of a block does not bound its decoded size.
 */
final class HpackDecoder {
    /** Maximum number of fields in a request. */
    static final int MOST_FIELDS = 128;

    private static final int MOST_SIZE_UPDATES = 2;
    private static final int LONGEST_NUMBER = 28;

    private final HpackTable table = new HpackTable();
    private final int maxListBytes;
    private byte[] block;
    private int at;

    /** @param maxListBytes names and values and 32 for each field of a block (RFC 9113, section 6.5.2) */
    HpackDecoder(int maxListBytes) {
        this.maxListBytes = maxListBytes;
    }

    /** @throws Http2Violation for a block that is not valid HPACK or decodes to too much; no further block can be decoded then */
    List<HpackTable.Field> decode(byte[] bytes) {
        block = bytes;
        at = 0;
        List<HpackTable.Field> fields = new ArrayList<>();
        int updates = 0;
        int size = 0;
        while (at < block.length) {
            int first = block[at] & 0xff;
            if ((first & 0xe0) == 0x20) {
                if (!fields.isEmpty() || ++updates > MOST_SIZE_UPDATES) {
                    throw broken("the table's size changes within a block");
                }
                table.limit(number(0x1f));
                continue;
            }
            HpackTable.Field field = field(first);
            size += field.size();
            if (size > maxListBytes || fields.size() == MOST_FIELDS) {
                throw Http2Violation.excess("the list of header fields is too long");
            }
            fields.add(field);
        }
        block = null;
        return fields;
    }

    private HpackTable.Field field(int first) {
        if ((first & 0x80) != 0) {
            return table.at(number(0x7f));
        }
        boolean indexed = (first & 0x40) != 0;
        int name = number(indexed ? 0x3f : 0x0f);
        HpackTable.Field field =
                new HpackTable.Field(name == 0 ? string() : table.at(name).name(), string());
        if (indexed) {
            table.add(field);
        }
        return field;
    }

    /** An integer with the prefix that {@code mask} leaves of its first byte (section 5.1). */
    private int number(int mask) {
        int number = next() & mask;
        if (number < mask) {
            return number;
        }
        for (int shift = 0; shift < LONGEST_NUMBER; shift += 7) {
            int bits = next();
            number += (bits & 0x7f) << shift;
            if (number < 0) {
                break;
            }
            if ((bits & 0x80) == 0) {
                return number;
            }
        }
        throw broken("a number is too large");
    }

    /** Section 5.2. */
    private String string() {
        boolean huffman = at < block.length && (block[at] & 0x80) != 0;
        int length = number(0x7f);
        if (length > block.length - at) {
            throw broken("a block ends within a string");
        }
        int from = at;
        at += length;
        return huffman
                ? HpackHuffman.decode(block, from, at)
                : new String(block, from, length, StandardCharsets.ISO_8859_1);
    }

    private int next() {
        if (at == block.length) {
            throw broken("a block ends within a field");
        }
        return block[at++] & 0xff;
    }

    private static Http2Violation broken(String message) {
        return Http2Violation.of(Http2Violation.Code.COMPRESSION_ERROR, message);
    }

    /** The Huffman code of HPACK (RFC 7541, appendix B). It is canonical, so the code lengths define it. */
    private static final class HpackHuffman {
        private static final int EOS = 256;
        private static final int LONGEST = 30;
        private static final int MOST_PADDING = 7;

        /** Code length of each octet in bits; EOS last. */
        private static final int[] LENGTHS = {
            13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
            28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
            5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7,
            7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
            15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7,
            7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
            24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
            23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
            26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
            21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
            26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
        };

        /** For each code length: number of codes, first code, and index of its symbol in {@link #SYMBOLS}. */
        private static final int[] COUNT = new int[LONGEST + 1];

        private static final int[] FIRST = new int[LONGEST + 1];
        private static final int[] PLACE = new int[LONGEST + 1];
        private static final int[] SYMBOLS = new int[LENGTHS.length];

        static {
            for (int length : LENGTHS) {
                COUNT[length]++;
            }
            for (int length = 1; length <= LONGEST; length++) {
                FIRST[length] = (FIRST[length - 1] + COUNT[length - 1]) << 1;
                PLACE[length] = PLACE[length - 1] + COUNT[length - 1];
            }
            int[] next = PLACE.clone();
            for (int symbol = 0; symbol < LENGTHS.length; symbol++) {
                SYMBOLS[next[LENGTHS[symbol]]++] = symbol;
            }
        }

        private HpackHuffman() {}

        /**
         * Decodes {@code bytes} from {@code from} to before {@code to}, each octet as one character.
         *
         * @throws Http2Violation for EOS within the string, and for padding that is longer than 7 bits or no beginning of EOS (section 5.2)
         */
        static String decode(byte[] bytes, int from, int to) {
            StringBuilder text = new StringBuilder((to - from) * 8 / 5);
            int code = 0;
            int length = 0;
            for (int at = from; at < to; at++) {
                for (int bit = 7; bit >= 0; bit--) {
                    code = code << 1 | bytes[at] >>> bit & 1;
                    length++;
                    int place = code - FIRST[length];
                    if (place < COUNT[length]) {
                        int symbol = SYMBOLS[PLACE[length] + place];
                        if (symbol == EOS) {
                            throw broken();
                        }
                        text.append((char) symbol);
                        code = 0;
                        length = 0;
                    }
                }
            }
            if (length > MOST_PADDING || code != (1 << length) - 1) {
                throw broken();
            }
            return text.toString();
        }

        private static Http2Violation broken() {
            return Http2Violation.of(
                    Http2Violation.Code.COMPRESSION_ERROR, "a string is not encoded as RFC 7541 has it");
        }
    }
}
