package org.chainwalletd.uri;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.chainwalletd.api.RefusedException;

/** Percent-encoding of UTF-8 text (RFC 3986, section 2.1). A plus sign is a plus sign: forms write blanks so, URIs do not. */
final class PercentEncoding {
    private static final HexFormat UPPER = HexFormat.of().withUpperCase();
    private static final String UNRESERVED_MARKS = "-._~";

    /** Besides the unreserved ones, what may stand in a query as it is (RFC 3986, section 3.4); the separators are gone by then. */
    private static final String ALLOWED_IN_QUERY = "!$'()*+,;:@/?=";

    private PercentEncoding() {}

    /**
     * Keeps the unreserved characters (RFC 3986, section 2.3) and escapes the bytes of all others, in upper case.
     *
     * @throws RefusedException for half of a surrogate pair, which has no UTF-8
     */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        ByteBuffer utf8 = utf8(text);
        while (utf8.hasRemaining()) {
            byte next = utf8.get();
            if (isUnreserved((char) (next & 0xFF))) {
                encoded.append((char) next);
            } else {
                UPPER.toHexDigits(encoded.append('%'), next);
            }
        }
        return encoded.toString();
    }

    private static ByteBuffer utf8(String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw RefusedException.invalidParams("a text has half of a surrogate pair, which UTF-8 cannot carry");
        }
    }

    /**
     * The bytes that {@code encoded} stands for.
     *
     * @param part what it is, for messages
     * @throws RefusedException for an escape that is not {@code %} and two hexadecimal digits, and for a character that must be escaped
     */
    static byte[] decode(String encoded, String part) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char next = encoded.charAt(i);
            if (next == '%') {
                bytes.write(escaped(encoded, i + 1, part));
                i += 2;
            } else if (isUnreserved(next) || ALLOWED_IN_QUERY.indexOf(next) >= 0) {
                bytes.write(next);
            } else {
                throw RefusedException.invalidParams(part + " has a character that must be percent-encoded");
            }
        }
        return bytes.toByteArray();
    }

    private static int escaped(String encoded, int at, String part) {
        if (at + 2 > encoded.length()
                || !HexFormat.isHexDigit(encoded.charAt(at))
                || !HexFormat.isHexDigit(encoded.charAt(at + 1))) {
            throw RefusedException.invalidParams(part + " has a % that is not followed by two hex digits");
        }
        return HexFormat.fromHexDigits(encoded, at, at + 2);
    }

    /**
     * Strict UTF-8.
     *
     * @param part what it is, for messages
     * @throws RefusedException for anything else
     */
    static String text(byte[] utf8, String part) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException e) {
            throw RefusedException.invalidParams(part + " is not UTF-8");
        }
    }

    private static boolean isUnreserved(char letter) {
        return (letter >= 'a' && letter <= 'z')
                || (letter >= 'A' && letter <= 'Z')
                || (letter >= '0' && letter <= '9')
                || UNRESERVED_MARKS.indexOf(letter) >= 0;
    }
}
