package org.chainwalletd.http;

/** The Huffman code of HPACK (RFC 7541, appendix B). It is canonical, so the lengths of its codes are all there is to know. */
final class HpackHuffman {
    private static final int EOS = 256;
    private static final int LONGEST = 30;
    private static final int MOST_PADDING = 7;

    /** Bits of the code of each octet, and of EOS last. */
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

    /** By length: how many codes there are, the first of them, and where its symbol stands in {@link #SYMBOLS}. */
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
        return Http2Violation.of(Http2Violation.Code.COMPRESSION_ERROR, "a string is not encoded as RFC 7541 has it");
    }
}
