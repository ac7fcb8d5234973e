package org.chainwalletd.rpc;

/** Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF. */
final class Utf8 {
    private Utf8() {}

    /** Whether all of {@code text} is well formed. */
    static boolean isValid(byte[] text) {
        int at = 0;
        while (at < text.length) {
            if (text[at] >= 0) {
                at++;
                continue;
            }
            int length = sequenceLength(text, at);
            if (length == 0) {
                return false;
            }
            at += length;
        }
        return true;
    }

    /** Bytes of the sequence that starts at {@code at} with a byte above 0x7F, or 0 when it is malformed (RFC 3629, section 4). */
    private static int sequenceLength(byte[] text, int at) {
        int lead = text[at] & 0xFF;
        if (lead < 0xC2 || lead > 0xF4) {
            return 0;
        }
        int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (text.length - at < length) {
            return 0;
        }
        int second = text[at + 1] & 0xFF;
        int lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        int highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (second < lowest || second > highest) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if ((text[at + i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }
}
