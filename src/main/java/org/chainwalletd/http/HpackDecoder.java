package org.chainwalletd.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes the header blocks of one HTTP/2 client (RFC 7541) within bounds. A field of one byte can stand for one of thousands, kept in the
 * table, so the length of a block says nothing about what it becomes.
 */
final class HpackDecoder {
    /** No request needs more. */
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

    /** @throws Http2Violation for a block that is no HPACK or decodes to too much; no further one can be decoded then */
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
}
