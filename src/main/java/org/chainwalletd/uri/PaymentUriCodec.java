package org.chainwalletd.uri;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.api.PaymentUris.PaymentRequest;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;

/**
 * Codec of payment URIs: {@code <brand>:<address>[?amount=N&memo=…&hash_lock=…&timeout=N&label=…]} (interface.md, section 4.12). Fields are written
 * in this order and read in any.
 *
 * <p>Section 4.12 leaves open: the scheme is case-insensitive (RFC 3986, section 3.1), field names are not. Unknown fields are ignored, even when
 * repeated, but a repeated known field is refused, because two readers could take two different amounts from it. A known field without {@code =} is
 * refused. Every URI that can be decoded can be encoded again and then decodes to the same value.
 */
public final class PaymentUriCodec {
    /** Maximum length of the text, in characters, when reading and writing. */
    public static final int MAX_LENGTH = 65_536;

    private final String scheme;

    public PaymentUriCodec(ChainProfile chain) {
        this.scheme = chain.brand();
    }

    private enum Field {
        AMOUNT,
        MEMO,
        HASH_LOCK,
        TIMEOUT,
        LABEL;

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Optional<Field> of(String key) {
            for (Field field : values()) {
                if (field.key().equals(key)) {
                    return Optional.of(field);
                }
            }
            return Optional.empty();
        }
    }

    /**
     * Returns the canonical form.
     *
     * @throws RefusedException for a timeout without a hash lock, a text that is not valid Unicode, or a result longer than {@link #MAX_LENGTH}
     */
    public String encode(PaymentRequest uri) {
        refuseTimeoutAlone(uri);
        Map<Field, String> fields = new EnumMap<>(Field.class);
        uri.amount().ifPresent(amount -> fields.put(Field.AMOUNT, amount.toString()));
        uri.memo().ifPresent(memo -> fields.put(Field.MEMO, PercentEncoding.encode(memo)));
        uri.hashLock().ifPresent(hashLock -> fields.put(Field.HASH_LOCK, hashLock.hex()));
        uri.timeout().ifPresent(height -> fields.put(Field.TIMEOUT, U64.toString(height)));
        uri.label().ifPresent(label -> fields.put(Field.LABEL, PercentEncoding.encode(label)));
        StringBuilder text =
                new StringBuilder(scheme).append(':').append(uri.address().hex());
        char separator = '?';
        for (Map.Entry<Field, String> field : fields.entrySet()) {
            text.append(separator).append(field.getKey().key()).append('=').append(field.getValue());
            separator = '&';
        }
        refuseLongerThanAllowed(text.length());
        return text.toString();
    }

    /** @throws RefusedException for any text that is not a payment URI of this brand */
    public PaymentRequest decode(String text) {
        refuseLongerThanAllowed(text.length());
        int colon = text.indexOf(':');
        if (colon < 0 || !text.substring(0, colon).equalsIgnoreCase(scheme)) {
            throw RefusedException.invalidParams("a payment URI begins with " + scheme + ":");
        }
        int question = text.indexOf('?', colon);
        String address = text.substring(colon + 1, question < 0 ? text.length() : question);
        Map<Field, byte[]> fields = question < 0 ? Map.of() : fields(text.substring(question + 1));
        PaymentRequest uri = new PaymentRequest(
                address(address),
                Optional.ofNullable(fields.get(Field.AMOUNT)).map(value -> Amount.of(number(value, Field.AMOUNT))),
                Optional.ofNullable(fields.get(Field.MEMO)).map(value -> PercentEncoding.text(value, "memo")),
                Optional.ofNullable(fields.get(Field.HASH_LOCK)).map(PaymentUriCodec::hashLock),
                height(fields.get(Field.TIMEOUT)),
                Optional.ofNullable(fields.get(Field.LABEL)).map(value -> PercentEncoding.text(value, "label")));
        refuseTimeoutAlone(uri);
        return uri;
    }

    private static void refuseLongerThanAllowed(int length) {
        if (length > MAX_LENGTH) {
            throw RefusedException.invalidParams(
                    "a payment URI has at most " + MAX_LENGTH + " characters, not " + length);
        }
    }

    private static Map<Field, byte[]> fields(String query) {
        Map<Field, byte[]> fields = new EnumMap<>(Field.class);
        for (String part : query.split("&", -1)) {
            int equals = part.indexOf('=');
            String key = equals < 0 ? part : part.substring(0, equals);
            byte[] name = PercentEncoding.decode(key, "the name of a field");
            Optional<Field> known = Field.of(new String(name, StandardCharsets.ISO_8859_1));
            byte[] value = PercentEncoding.decode(
                    part.substring(equals + 1), known.map(Field::key).orElse("an unknown field"));
            if (known.isEmpty()) {
                continue;
            }
            if (equals < 0) {
                throw RefusedException.invalidParams(known.get().key() + " has no value");
            }
            if (fields.put(known.get(), value) != null) {
                throw RefusedException.invalidParams(known.get().key() + " is there twice");
            }
        }
        return fields;
    }

    private static Address address(String hex) {
        try {
            return Address.parse(hex);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalidParams("after the scheme comes an address of 64 hex characters");
        }
    }

    private static Hash256 hashLock(byte[] hex) {
        try {
            return Hash256.parse(new String(hex, StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalidParams("hash_lock must be 64 hex characters");
        }
    }

    private static OptionalLong height(byte[] digits) {
        return digits == null
                ? OptionalLong.empty()
                : OptionalLong.of(U64.fromBigInteger(number(digits, Field.TIMEOUT)));
    }

    /** Parses decimal digits only: no sign, blank or decimal point. */
    private static BigInteger number(byte[] digits, Field field) {
        boolean plain = digits.length > 0;
        for (byte digit : digits) {
            plain &= digit >= '0' && digit <= '9';
        }
        // No u64 has more digits; this also avoids big integers for long runs of zeros.
        if (plain && digits.length <= U64.MAX.toString().length()) {
            BigInteger number = new BigInteger(new String(digits, StandardCharsets.US_ASCII));
            if (number.compareTo(U64.MAX) <= 0) {
                return number;
            }
        }
        throw RefusedException.invalidParams(field.key() + " must be an integer from 0 to " + U64.MAX);
    }

    /** Refuses a timeout without a hash lock. */
    private static void refuseTimeoutAlone(PaymentRequest uri) {
        if (uri.timeout().isPresent() && uri.hashLock().isEmpty()) {
            throw RefusedException.invalidParams("timeout has a meaning only together with hash_lock");
        }
    }

    /** Percent-encoding of UTF-8 text (RFC 3986, section 2.1). A plus sign is literal: only form encoding uses it for a blank. */
    static final class PercentEncoding {
        private static final HexFormat UPPER = HexFormat.of().withUpperCase();
        private static final String UNRESERVED_MARKS = "-._~";

        /** Characters besides the unreserved ones that may appear unescaped in a query (RFC 3986, section 3.4); separators were removed before. */
        private static final String ALLOWED_IN_QUERY = "!$'()*+,;:@/?=";

        private PercentEncoding() {}

        /**
         * Keeps the unreserved characters (RFC 3986, section 2.3) and escapes the bytes of all others, in upper case.
         *
         * @throws RefusedException for an unpaired surrogate, which has no UTF-8 encoding
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
         * Returns the bytes that {@code encoded} represents.
         *
         * @param part name of the decoded part, for messages
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
         * Decodes strict UTF-8.
         *
         * @param part name of the decoded part, for messages
         * @throws RefusedException for any other bytes
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
}
