package org.chainwalletd.rpc;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.chainwalletd.wire.MemberNames;
import org.chainwalletd.wire.WipedBuffers;

/**
 * Strict JSON reader: RFC 8259 in well-formed UTF-8, no duplicate members, no unpaired surrogates, bounded nesting and numbers. Refuses
 * ambiguous input. Strings under a secret's name are kept as UTF-8 bytes in a {@link BinaryNode}.
 *
 * <p>The nodes of a text can take up to fifty times as much memory as the text, so each node is counted: see {@link JsonWeight}.
 */
final class StrictJson implements AutoCloseable {
    static final int MAX_DEPTH = 64;
    static final int MAX_NUMBER_LENGTH = 128;
    private static final int MAX_NAME_LENGTH = 256;
    private static final int MAX_TOKENS = 500_000;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .recyclerPool(new WipedBuffers.Pool())
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(MAX_NAME_LENGTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxTokenCount(MAX_TOKENS)
                    .build())
            .build();

    private final JsonParser parser;
    private final JsonWeight weight;
    private List<byte[]> secrets = List.of();
    private int secretsTaken;

    /** @param room budget for the heap bytes of values, which are not returned here */
    StrictJson(byte[] text, AnswerRoom room) throws IOException {
        if (!Utf8.isValid(text)) {
            throw new Malformed("the body is not valid UTF-8");
        }
        this.weight = new JsonWeight(room);
        // Marked whatever the names of the members are: a caller may misspell the name of a secret.
        WipedBuffers.markSecret();
        this.parser = FACTORY.createParser(text);
    }

    /** Signals a text that is not JSON, or JSON that is refused although the grammar allows it. The message never quotes values. */
    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    /** Advances to the next token; null at the end of the text. */
    JsonToken next() throws IOException {
        return parser.nextToken();
    }

    JsonToken current() {
        return parser.currentToken();
    }

    /** Advances to the value of the next member of the current object and returns the member's name; null after the last one. */
    String nextMember() throws IOException {
        String name = parser.nextFieldName();
        if (name != null) {
            parser.nextToken();
        }
        return name;
    }

    /** Returns the text of the current number unchanged. */
    String numberText() throws IOException {
        return parser.getText();
    }

    /** Returns the secrets read since the last call of this method; the caller overwrites them. */
    List<byte[]> takeSecrets() {
        if (secretsTaken == secrets.size()) {
            return List.of();
        }
        List<byte[]> taken = List.copyOf(secrets.subList(secretsTaken, secrets.size()));
        secretsTaken = secrets.size();
        return taken;
    }

    boolean hasSecrets() {
        return !secrets.isEmpty();
    }

    /** Overwrites all secrets read, whether taken or not, because the whole text is refused. */
    void overwriteSecrets() {
        secrets.forEach(secret -> Arrays.fill(secret, (byte) 0));
    }

    /**
     * Reads the whole current value.
     *
     * @param secret whether its strings are secrets
     */
    JsonNode value(boolean secret) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object();
            case START_ARRAY -> array(secret);
            case VALUE_STRING -> secret ? secretText() : plainText();
            case VALUE_NUMBER_INT -> integer();
            case VALUE_NUMBER_FLOAT -> decimal();
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            default -> throw new Malformed("the body is not valid JSON");
        };
    }

    /** Returns the current string. */
    String text() throws IOException {
        String text = parser.getText();
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSurrogatePair(text.charAt(i), i + 1 < text.length() ? text.charAt(i + 1) : 0)) {
                    throw halfPair();
                }
                i++;
            }
        }
        return text;
    }

    static Malformed duplicate(String name) {
        return new Malformed("the member `" + name + "` is there twice");
    }

    @Override
    public void close() throws IOException {
        parser.close();
        WipedBuffers.done();
    }

    private JsonNode plainText() throws IOException {
        weight.text(parser.getTextLength());
        return NODES.textNode(text());
    }

    private ObjectNode object() throws IOException {
        weight.object();
        ObjectNode object = NODES.objectNode();
        for (String name = nextMember(); name != null; name = nextMember()) {
            weight.member(name.length());
            if (object.replace(name, value(MemberNames.SECRETS.contains(name))) != null) {
                throw duplicate(name);
            }
        }
        return object;
    }

    private ArrayNode array(boolean secret) throws IOException {
        weight.array();
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            weight.element();
            array.add(value(secret));
        }
        return array;
    }

    private JsonNode integer() throws IOException {
        weight.integer(parser.getTextLength());
        return switch (parser.getNumberType()) {
            case INT, LONG -> NODES.numberNode(parser.getLongValue());
            default -> NODES.numberNode(parser.getBigIntegerValue());
        };
    }

    private JsonNode decimal() throws IOException {
        weight.decimal(parser.getTextLength());
        try {
            return NODES.numberNode(parser.getDecimalValue());
        } catch (IOException | ArithmeticException | NumberFormatException e) {
            throw new Malformed("a number is out of any range");
        }
    }

    /** Returns the UTF-8 bytes of the current string without creating a {@code String}; the parser's buffer is overwritten. */
    private BinaryNode secretText() throws IOException {
        char[] buffer = parser.getTextCharacters();
        int offset = parser.getTextOffset();
        int length = parser.getTextLength();
        weight.text(2 * length);
        ByteBuffer encoded = ByteBuffer.allocate(3 * length);
        boolean malformed = StandardCharsets.UTF_8
                .newEncoder()
                .encode(CharBuffer.wrap(buffer, offset, length), encoded, true)
                .isError();
        Arrays.fill(buffer, offset, offset + length, '\0');
        byte[] utf8 = Arrays.copyOf(encoded.array(), encoded.position());
        Arrays.fill(encoded.array(), (byte) 0);
        if (secrets.isEmpty()) {
            secrets = new ArrayList<>();
        }
        secrets.add(utf8);
        if (malformed) {
            throw halfPair();
        }
        return new BinaryNode(utf8);
    }

    private static Malformed halfPair() {
        return new Malformed("a string holds half a surrogate pair");
    }

    /** Validation of strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF. */
    private static final class Utf8 {
        private Utf8() {}

        /** Whether {@code text} is well-formed. */
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

        /** Length in bytes of the sequence that starts at {@code at} with a byte above 0x7F, or 0 if malformed (RFC 3629, section 4). */
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
}
