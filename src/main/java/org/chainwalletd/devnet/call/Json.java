package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.U64;

/** JSON as a node writes it: compact, members in alphabetical order, numbers in the forms of its library. */
public final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(128).build())
                    .build())
            .build();

    private static final BigInteger I64_MIN = BigInteger.valueOf(Long.MIN_VALUE);
    private static final int LONGEST_PLAIN = 16;

    private Json() {}

    /** An object whose members are in alphabetical order, as all are that a node writes. */
    public static ObjectNode object() {
        return new ObjectNode(JsonNodeFactory.instance, new TreeMap<>());
    }

    public static ArrayNode array() {
        return new ArrayNode(JsonNodeFactory.instance);
    }

    /**
     * Reads a JSON text in UTF-8 without a byte order mark.
     *
     * @throws IOException when the text is not JSON
     */
    public static JsonNode read(byte[] text) throws IOException {
        try (JsonParser in = parser(text)) {
            in.nextToken();
            JsonNode value = value(in);
            if (in.nextToken() != null) {
                throw new IOException("not one JSON text");
            }
            return value;
        }
    }

    /**
     * A parser that refuses every encoding but UTF-8, as a node does.
     *
     * @throws IOException when the bytes are not UTF-8
     */
    static JsonParser parser(byte[] text) throws IOException {
        String decoded = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(ByteBuffer.wrap(text))
                .toString();
        if (decoded.startsWith("\ufeff")) {
            throw new IOException("a byte order mark");
        }
        return MAPPER.createParser(decoded);
    }

    /**
     * Returns the value at the parser's position as a node's library reads it: {@code -0} is a floating point number, a number beyond its
     * range is none, and so is text with half a surrogate pair.
     */
    static JsonNode value(JsonParser in) throws IOException {
        JsonToken token = in.currentToken();
        if (token == null) {
            throw new IOException("no value");
        }
        return switch (token) {
            case START_OBJECT -> {
                ObjectNode object = object();
                while (in.nextToken() == JsonToken.FIELD_NAME) {
                    String name = whole(in.currentName());
                    in.nextToken();
                    object.set(name, value(in));
                }
                yield object;
            }
            case START_ARRAY -> {
                ArrayNode array = array();
                while (in.nextToken() != JsonToken.END_ARRAY) {
                    array.add(value(in));
                }
                yield array;
            }
            case VALUE_STRING -> TextNode.valueOf(whole(in.getText()));
            case VALUE_NUMBER_INT -> in.getText().equals("-0") ? DoubleNode.valueOf(-0.0) : integer(in);
            case VALUE_NUMBER_FLOAT -> DoubleNode.valueOf(finite(in.getDoubleValue()));
            case VALUE_TRUE, VALUE_FALSE -> BooleanNode.valueOf(token == JsonToken.VALUE_TRUE);
            case VALUE_NULL -> NullNode.getInstance();
            default -> throw new IOException("unexpected " + token);
        };
    }

    /** Reads an integer; beyond 64 bits it becomes a floating point number. */
    private static JsonNode integer(JsonParser in) throws IOException {
        BigInteger value = in.getBigIntegerValue();
        finite(value.doubleValue());
        return BigIntegerNode.valueOf(value);
    }

    private static double finite(double value) throws IOException {
        if (Double.isInfinite(value)) {
            throw new IOException("number out of range");
        }
        return value;
    }

    private static String whole(String text) throws IOException {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IOException("half a surrogate pair");
        }
        return text;
    }

    public static JsonNode u64(long value) {
        return value >= 0 ? LongNode.valueOf(value) : BigIntegerNode.valueOf(U64.toBigInteger(value));
    }

    public static JsonNode amount(Amount amount) {
        return u64(amount.bits());
    }

    public static byte[] bytes(StringBuilder text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Appends {@code node}. */
    public static void write(JsonNode node, StringBuilder out) {
        switch (node.getNodeType()) {
            case OBJECT -> {
                out.append('{');
                String separator = "";
                for (Map.Entry<String, JsonNode> member : node.properties()) {
                    out.append(separator);
                    writeString(member.getKey(), out);
                    out.append(':');
                    write(member.getValue(), out);
                    separator = ",";
                }
                out.append('}');
            }
            case ARRAY -> {
                out.append('[');
                String separator = "";
                for (JsonNode element : node) {
                    out.append(separator);
                    write(element, out);
                    separator = ",";
                }
                out.append(']');
            }
            case STRING -> writeString(node.textValue(), out);
            case NUMBER -> out.append(number(node));
            default -> out.append(node.asText("null"));
        }
    }

    static void writeString(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                default -> {
                    if (c < 0x20) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    /** Whether a node's library holds this number as an integer: signed or unsigned 64 bits. */
    static boolean isInteger(JsonNode number) {
        if (!number.isIntegralNumber()) {
            return false;
        }
        BigInteger value = number.bigIntegerValue();
        return value.compareTo(I64_MIN) >= 0 && value.compareTo(U64.MAX) <= 0;
    }

    /** Integers of 64 bits as they are, everything else as a floating point number. */
    static String number(JsonNode number) {
        return isInteger(number) ? number.bigIntegerValue().toString() : floatingPoint(number.doubleValue());
    }

    /** The shortest decimal form: plain up to 16 digits before and 5 zeros after the point, otherwise with an exponent. */
    private static String floatingPoint(double value) {
        if (value == 0) {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        BigDecimal exact = new BigDecimal(Double.toString(Math.abs(value))).stripTrailingZeros();
        String digits = exact.unscaledValue().toString();
        int point = digits.length() - exact.scale();
        String sign = value < 0 ? "-" : "";
        if (point > LONGEST_PLAIN || point <= -5) {
            String tail = digits.length() > 1 ? "." + digits.substring(1) : "";
            int exponent = point - 1;
            return sign + digits.charAt(0) + tail + "e" + (exponent < 0 ? "" : "+") + exponent;
        }
        if (point <= 0) {
            return sign + "0." + "0".repeat(-point) + digits;
        }
        return digits.length() > point
                ? sign + digits.substring(0, point) + "." + digits.substring(point)
                : sign + digits + "0".repeat(point - digits.length()) + ".0";
    }
}
