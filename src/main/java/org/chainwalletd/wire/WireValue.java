package org.chainwalletd.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.U64;
import org.chainwalletd.crypto.SecretBytes;

/**
 * Type of a value in the wire format. {@link #all} is the only table of types; it is used to read parameters, write results and describe both.
 *
 * @param classes the type, and its primitive type if it has one
 * @param words the type in the specification's notation
 * @param title schema title, from which generated clients take the type's name
 * @param schema creates the JSON schema, a new one each time
 * @param reader reads a value that is present and not null
 * @param writer empty if {@link WireTypes} or Jackson has one
 */
record WireValue<T>(
        List<Class<T>> classes,
        String words,
        String title,
        Supplier<ObjectNode> schema,
        Reader reader,
        Optional<Writer<T>> writer) {
    private static final long U32_MAX = 0xFFFF_FFFFL;

    /** Reads a value that is present and not null. */
    @FunctionalInterface
    interface Reader {
        /**
         * @param path the member's full name, for messages
         * @throws WireException when the value is not of the type
         */
        Object read(JsonNode value, String path);
    }

    interface Writer<T> {
        void write(T value, JsonGenerator out) throws IOException;
    }

    private static final Map<Class<?>, WireValue<?>> BY_CLASS = table();

    /** Returns the wire format of {@code type}; empty for a type composed of others. */
    static Optional<WireValue<?>> of(Class<?> type) {
        return Optional.ofNullable(BY_CLASS.get(type));
    }

    static Collection<WireValue<?>> all() {
        return List.copyOf(new LinkedHashSet<>(BY_CLASS.values()));
    }

    private static Map<Class<?>, WireValue<?>> table() {
        Map<Class<?>, WireValue<?>> table = new LinkedHashMap<>();
        add(table, hex64(Address.class, Address::parse, Address::hex));
        add(table, hex64(Hash256.class, Hash256::parse, Hash256::hex));
        add(table, hex64(PublicKey.class, PublicKey::parse, PublicKey::hex));
        add(
                table,
                new WireValue<>(
                        List.of(Ed25519Signature.class),
                        "hex128",
                        "Signature",
                        () -> hexText(128),
                        (value, path) -> Ed25519Signature.parse(hex(value, path, 128)),
                        Optional.of((value, out) -> out.writeString(value.hex()))));
        add(
                table,
                new WireValue<>(
                        List.of(Bytes.class),
                        "hex",
                        "Hex",
                        () -> typed("string").put("pattern", "^([0-9a-fA-F]{2})*$"),
                        WireValue::bytes,
                        Optional.of((value, out) -> out.writeString(value.hex()))));
        add(
                table,
                new WireValue<>(
                        List.of(Amount.class),
                        "u64",
                        "Amount",
                        WireValue::u64Schema,
                        (value, path) -> Amount.ofUnsigned(u64(value, path)),
                        Optional.of((value, out) -> writeUnsigned(value.bits(), out))));
        add(
                table,
                new WireValue<>(
                        List.of(AmountOrMax.class),
                        "u64 or `max`",
                        "AmountOrMax",
                        WireValue::amountOrMaxSchema,
                        (value, path) -> value.isTextual() && value.textValue().equals(AmountOrMax.WORD)
                                ? AmountOrMax.MAX
                                : AmountOrMax.of(Amount.ofUnsigned(u64(value, path))),
                        Optional.of(WireValue::writeAmountOrMax)));
        add(
                table,
                new WireValue<>(
                        List.of(Long.class, Long.TYPE),
                        "u64",
                        "U64",
                        WireValue::u64Schema,
                        WireValue::u64,
                        Optional.of(WireValue::writeUnsigned)));
        add(
                table,
                new WireValue<>(
                        List.of(Integer.class, Integer.TYPE),
                        "i32",
                        "I32",
                        () -> integer(null, BigInteger.valueOf(Integer.MAX_VALUE)),
                        WireValue::smallInteger,
                        Optional.empty()));
        add(
                table,
                new WireValue<>(
                        List.of(Boolean.class, Boolean.TYPE),
                        "bool",
                        "Flag",
                        () -> typed("boolean"),
                        WireValue::truth,
                        Optional.empty()));
        add(
                table,
                new WireValue<>(
                        List.of(String.class),
                        "string",
                        "Text",
                        () -> typed("string"),
                        WireValue::text,
                        Optional.empty()));
        add(
                table,
                new WireValue<>(
                        List.of(SecretBytes.class),
                        "string (secret)",
                        "SecretText",
                        () -> typed("string").put("format", "password"),
                        WireValue::secret,
                        Optional.empty()));
        table.put(OptionalLong.class, table.get(Long.class));
        table.put(OptionalInt.class, table.get(Integer.class));
        return table;
    }

    private static void add(Map<Class<?>, WireValue<?>> table, WireValue<?> value) {
        value.classes().forEach(type -> table.put(type, value));
    }

    private static <T> WireValue<T> hex64(Class<T> type, Function<String, T> parse, Function<T, String> hex) {
        return new WireValue<>(
                List.of(type),
                "hex64",
                type.getSimpleName(),
                () -> hexText(64),
                (value, path) -> parse.apply(hex(value, path, 64)),
                Optional.of((value, out) -> out.writeString(hex.apply(value))));
    }

    static ObjectNode integer(BigInteger minimum, BigInteger maximum) {
        ObjectNode schema = typed("integer");
        if (minimum != null) {
            schema.put("minimum", minimum);
        }
        return schema.put("maximum", maximum);
    }

    private static ObjectNode u64Schema() {
        return integer(BigInteger.ZERO, U64.MAX);
    }

    /** Accepts upper and lower case; writes lower case. */
    private static ObjectNode hexText(int length) {
        ObjectNode schema = typed("string")
                .put("pattern", "^[0-9a-fA-F]{" + length + "}$")
                .put("minLength", length)
                .put("maxLength", length);
        schema.putArray("examples").add("0123456789abcdef".repeat(length / 16));
        return schema;
    }

    private static ObjectNode typed(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    private static ObjectNode amountOrMaxSchema() {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        schema.putArray("oneOf")
                .add(u64Schema().put("title", "Amount"))
                .add(typed("string").put("const", AmountOrMax.WORD).put("title", "Max"));
        return schema;
    }

    private static void writeAmountOrMax(AmountOrMax value, JsonGenerator out) throws IOException {
        if (value.amount().isPresent()) {
            writeUnsigned(value.amount().get().bits(), out);
        } else {
            out.writeString(AmountOrMax.WORD);
        }
    }

    static void writeUnsigned(long bits, JsonGenerator out) throws IOException {
        if (bits >= 0) {
            out.writeNumber(bits);
        } else {
            out.writeNumber(Long.toUnsignedString(bits));
        }
    }

    static Long u64(JsonNode value, String path) {
        if (value.isIntegralNumber()) {
            if (!value.isBigInteger()) {
                if (value.longValue() >= 0) {
                    return value.longValue();
                }
            } else {
                BigInteger number = value.bigIntegerValue();
                if (number.signum() >= 0 && number.bitLength() <= 64) {
                    return U64.fromBigInteger(number);
                }
            }
        }
        throw WireException.wrong(path, "an integer from 0 to 18446744073709551615");
    }

    static Object u32(JsonNode value, String path) {
        if (value.isIntegralNumber()
                && value.canConvertToLong()
                && value.longValue() >= 0
                && value.longValue() <= U32_MAX) {
            return value.longValue();
        }
        throw WireException.wrong(path, "an integer from 0 to 4294967295");
    }

    static Object i64(JsonNode value, String path) {
        if (value.isIntegralNumber() && value.canConvertToLong()) {
            return value.longValue();
        }
        throw WireException.wrong(path, "an integer from -9223372036854775808 to 9223372036854775807");
    }

    /** Reads a secret of an answer, from text that the client's JSON library has read. */
    static Object secretText(JsonNode value, String path) {
        if (value.isArray()) {
            List<String> words = new ArrayList<>();
            value.forEach(word -> words.add(text(word, path)));
            return SecretBytes.takeOver(String.join(" ", words).getBytes(StandardCharsets.UTF_8));
        }
        return SecretBytes.takeOver(text(value, path).getBytes(StandardCharsets.UTF_8));
    }

    private static Object smallInteger(JsonNode value, String path) {
        if (value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= 0) {
            return value.intValue();
        }
        throw WireException.wrong(path, "an integer from 0 to 2147483647");
    }

    private static Object truth(JsonNode value, String path) {
        if (!value.isBoolean()) {
            throw WireException.wrong(path, "true or false");
        }
        return value.booleanValue();
    }

    private static String text(JsonNode value, String path) {
        if (!value.isTextual()) {
            throw WireException.wrong(path, "a string");
        }
        return value.textValue();
    }

    /** Reads a string, or an array of words, which are joined with single spaces. */
    private static Object secret(JsonNode value, String path) {
        if (value.isBinary()) {
            return SecretBytes.copyOf(((BinaryNode) value).binaryValue());
        }
        if (!value.isArray()) {
            throw WireException.wrong(path, "a string");
        }
        if (value.isEmpty()) {
            throw WireException.wrong(path, "a string or an array of at least one string");
        }
        int length = value.size() - 1;
        for (JsonNode word : value) {
            if (!word.isBinary()) {
                throw WireException.wrong(path, "a string or an array of strings");
            }
            length += ((BinaryNode) word).binaryValue().length;
        }
        byte[] joined = new byte[length];
        int at = 0;
        for (int i = 0; i < value.size(); i++) {
            if (i > 0) {
                joined[at++] = ' ';
            }
            byte[] letters = ((BinaryNode) value.get(i)).binaryValue();
            System.arraycopy(letters, 0, joined, at, letters.length);
            at += letters.length;
        }
        return SecretBytes.takeOver(joined);
    }

    private static String hex(JsonNode value, String path, int length) {
        if (!value.isTextual()) {
            throw WireException.wrong(path, "a string of " + length + " hex characters");
        }
        String hex = value.textValue();
        if (hex.length() != length) {
            throw WireException.wrong(path, length + " hex characters, got " + hex.length());
        }
        refuseOtherThanHex(hex, path);
        return hex;
    }

    private static Object bytes(JsonNode value, String path) {
        if (!value.isTextual()) {
            throw WireException.wrong(path, "a string of hex characters");
        }
        String hex = value.textValue();
        if (hex.length() % 2 != 0) {
            throw new WireException("", path, " must have an even number of hex characters, got " + hex.length());
        }
        refuseOtherThanHex(hex, path);
        return Bytes.parse(hex);
    }

    private static void refuseOtherThanHex(String hex, String path) {
        for (int i = 0; i < hex.length(); i++) {
            if (Character.digit(hex.charAt(i), 16) < 0 || hex.charAt(i) > 'f') {
                throw WireException.wrong(path, "hex characters only; character " + (i + 1) + " is not");
            }
        }
    }
}
