package org.chainwalletd.account.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.HexFormat;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * Values in the account chain's JSON-RPC encoding: {@code 0x} and hexadecimal digits, numbers without leading zeros. Malformed values cause
 * an {@link IllegalArgumentException} whose message quotes only the beginning of the value.
 */
public final class Quantities {
    private static final String PREFIX = "0x";
    private static final int WORD_DIGITS = 64;
    private static final int READABLE = 40;

    private Quantities() {}

    public static String text(long number) {
        return PREFIX + Long.toHexString(number);
    }

    public static String text(BigInteger number) {
        return PREFIX + number.toString(16);
    }

    public static String text(Hash256 hash) {
        return PREFIX + hash.hex();
    }

    public static String text(Bytes bytes) {
        return PREFIX + bytes.hex();
    }

    public static String text(EvmAddress address) {
        return PREFIX + HexFormat.of().formatHex(address.toArray());
    }

    /** Reads a number of at most 256 bits. */
    static BigInteger number(JsonNode value) {
        String digits = digits(value);
        if (digits.isEmpty() || digits.length() > WORD_DIGITS) {
            throw new IllegalArgumentException("no number: " + beginning(value));
        }
        try {
            return new BigInteger(1, HexFormat.of().parseHex(digits.length() % 2 == 0 ? digits : "0" + digits));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("no number: " + beginning(value), e);
        }
    }

    /** Reads a number of at most 63 bits, enough for heights, times, gas and nonces. */
    static long count(JsonNode value) {
        BigInteger number = number(value);
        if (number.bitLength() >= Long.SIZE) {
            throw new IllegalArgumentException("too large a number: " + beginning(value));
        }
        return number.longValue();
    }

    static Bytes bytes(JsonNode value) {
        try {
            return Bytes.parse(digits(value));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("no bytes: " + beginning(value), e);
        }
    }

    static Hash256 hash(JsonNode value) {
        Bytes bytes = bytes(value);
        if (bytes.length() != Hash256.LENGTH) {
            throw new IllegalArgumentException("not 32 bytes: " + beginning(value));
        }
        return Hash256.of(bytes.toArray());
    }

    static EvmAddress address(JsonNode value) {
        Bytes bytes = bytes(value);
        if (bytes.length() != EvmAddress.LENGTH) {
            throw new IllegalArgumentException("not 20 bytes: " + beginning(value));
        }
        return EvmAddress.of(bytes.toArray());
    }

    private static String digits(JsonNode value) {
        String text = value.isTextual() ? value.textValue() : "";
        if (!text.startsWith(PREFIX)) {
            throw new IllegalArgumentException("not 0x and digits: " + beginning(value));
        }
        return text.substring(PREFIX.length());
    }

    static String beginning(JsonNode value) {
        return readable(
                value.isTextual() ? value.textValue() : value.getNodeType().toString(), READABLE);
    }

    /** Makes an endpoint's text safe to log and display: one line, printable characters only, cut to {@code longest}. */
    static String readable(String words, int longest) {
        StringBuilder text = new StringBuilder();
        words.codePoints()
                .limit(longest)
                .map(c -> Character.isISOControl(c) || !Character.isDefined(c) ? ' ' : c)
                .forEach(text::appendCodePoint);
        return words.length() > longest ? text + "…" : text.toString();
    }
}
