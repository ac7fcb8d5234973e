package org.chainwalletd.node;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.HexFormat;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.U64;

/**
 * Strict streaming reader for the JSON of a node or an indexer. Typed read methods take the value already read for the same member, or null, as
 * first argument and reject a repeated member. A wrong shape is a {@link NodeException.BadAnswer}; text that is not JSON is an {@link IOException}.
 * Unknown members are skipped (chain protocol, section 14).
 */
public final class AnswerJson {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(32)
                    .maxNumberLength(40)
                    .maxNameLength(1000)
                    .maxStringLength(4 * 1024 * 1024)
                    .build())
            .build();

    private final JsonParser parser;
    private final String noun;
    private final String what;
    private String member = "result";

    private AnswerJson(JsonParser parser, String noun, String what) {
        this.parser = parser;
        this.noun = noun;
        this.what = what;
    }

    /**
     * @param noun name for the upstream in messages
     * @param what name of the answered call in messages
     */
    static AnswerJson of(byte[] text, String noun, String what) throws IOException {
        return new AnswerJson(FACTORY.createParser(text), noun, what);
    }

    /** Advances to the next token; at the start, to the first one. */
    JsonToken advance() throws IOException {
        return parser.nextToken();
    }

    /** Starts the object at the current token. */
    public void beginObject() {
        expect(JsonToken.START_OBJECT, "an object");
    }

    /** Returns the name of the next member and makes its value the current token; null at the end of the object. */
    public String nextMember() throws IOException {
        if (parser.nextToken() != JsonToken.FIELD_NAME) {
            return null;
        }
        String name = parser.currentName();
        parser.nextToken();
        member = name;
        return name;
    }

    public void beginArray(Object earlier) {
        once(earlier);
        expect(JsonToken.START_ARRAY, "an array");
    }

    /** Returns whether there is another element, and makes it the current token. */
    public boolean nextElement() throws IOException {
        return parser.nextToken() != JsonToken.END_ARRAY;
    }

    public void skip() throws IOException {
        parser.skipChildren();
    }

    boolean isText(String expected) throws IOException {
        return parser.currentToken() == JsonToken.VALUE_STRING
                && parser.getText().equals(expected);
    }

    public boolean isNull() {
        return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    public Long u64(Long earlier) throws IOException {
        once(earlier);
        return readU64();
    }

    public Long u32(Long earlier) throws IOException {
        once(earlier);
        long value = readU64();
        if (value < 0 || value > Outpoint.MAX_INDEX) {
            throw bad("is not an unsigned 32-bit number");
        }
        return value;
    }

    Long i32(Long earlier) throws IOException {
        once(earlier);
        expect(JsonToken.VALUE_NUMBER_INT, "an integer");
        if (parser.getNumberType() != JsonParser.NumberType.INT) {
            throw bad("is not a signed 32-bit number");
        }
        return (long) parser.getIntValue();
    }

    public Long i64(Long earlier) throws IOException {
        once(earlier);
        expect(JsonToken.VALUE_NUMBER_INT, "an integer");
        if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
            throw bad("is not a signed 64-bit number");
        }
        return parser.getLongValue();
    }

    public Amount amount(Amount earlier) throws IOException {
        once(earlier);
        return Amount.ofUnsigned(readU64());
    }

    public Hash256 hash(Hash256 earlier) throws IOException {
        once(earlier);
        return readHash();
    }

    /** Reads 32 bytes, written as 64 hex characters or as an array of 32 numbers. */
    public Hash256 bytes32(Hash256 earlier) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            return hash(earlier);
        }
        once(earlier);
        byte[] id = new byte[Hash256.LENGTH];
        int length = 0;
        for (; nextElement(); length++) {
            long value = readU64();
            if (length == id.length || value < 0 || value > 0xff) {
                throw bad("is not 32 bytes");
            }
            id[length] = (byte) value;
        }
        if (length != id.length) {
            throw bad("is not 32 bytes");
        }
        return Hash256.of(id);
    }

    /** Reads a genesis id; null for JSON null. Any other value means a chain for which nothing may be signed. */
    Hash256 genesis(Hash256 earlier) throws IOException {
        if (isNull()) {
            return null;
        }
        try {
            Hash256 genesis = hash(earlier);
            if (!genesis.isZero()) {
                return genesis;
            }
        } catch (NodeException.BadAnswer e) {
            throw NodeException.WrongChain.unasked(e.getMessage());
        }
        throw NodeException.WrongChain.unasked("node reports a genesis id of zero");
    }

    Address address(Address earlier) throws IOException {
        once(earlier);
        String text = readText();
        try {
            return Address.parse(text);
        } catch (IllegalArgumentException e) {
            throw bad("is not an address of 64 hex characters");
        }
    }

    public Bytes bytes(Bytes earlier) throws IOException {
        once(earlier);
        String text = readText();
        try {
            return Bytes.parse(text);
        } catch (IllegalArgumentException e) {
            throw bad("is not hex");
        }
    }

    public String text(String earlier) throws IOException {
        once(earlier);
        return readText();
    }

    public Boolean flag(Boolean earlier) {
        once(earlier);
        return switch (parser.currentToken()) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> throw bad("is not a boolean");
        };
    }

    /** Checks that a member, if present, repeats the request's value. */
    void echo(String name, Object value, Object asked) {
        if (value != null && !value.equals(asked)) {
            throw bad(name, "is not what was asked for");
        }
    }

    /** Returns the value of a mandatory member. */
    public <T> T required(T value, String name) {
        if (value == null) {
            throw new NodeException.BadAnswer(noun + " answered " + what + " without `" + name + "`");
        }
        return value;
    }

    /**
     * Returns the complaint about the member that was read last.
     *
     * @param complaint continues the sentence "`member` …"
     */
    NodeException.BadAnswer bad(String complaint) {
        return bad(member, complaint);
    }

    /** Returns the complaint about a member that was read before. */
    public NodeException.BadAnswer bad(String name, String complaint) {
        return new NodeException.BadAnswer(noun + " answered " + what + " badly: `" + name + "` " + complaint);
    }

    void once(Object earlier) {
        if (earlier != null) {
            throw bad("occurs twice");
        }
    }

    private void expect(JsonToken token, String name) {
        if (parser.currentToken() != token) {
            throw bad("is not " + name);
        }
    }

    private String readText() throws IOException {
        expect(JsonToken.VALUE_STRING, "a string");
        return parser.getText();
    }

    /** Reads the hex digits directly from the parser's buffer, because a listing has a thousand ids. */
    private Hash256 readHash() throws IOException {
        expect(JsonToken.VALUE_STRING, "a string");
        char[] text = parser.getTextCharacters();
        int at = parser.getTextOffset();
        if (parser.getTextLength() != 2 * Hash256.LENGTH) {
            throw bad("is not an id of 64 hex characters");
        }
        byte[] id = new byte[Hash256.LENGTH];
        for (int i = 0; i < id.length; i++) {
            int value = digit(text[at + 2 * i]) << 4 | digit(text[at + 2 * i + 1]);
            if (value < 0) {
                throw bad("is not an id of 64 hex characters");
            }
            id[i] = (byte) value;
        }
        return Hash256.of(id);
    }

    private static int digit(char character) {
        return HexFormat.isHexDigit(character) ? HexFormat.fromHexDigit(character) : -1;
    }

    private long readU64() throws IOException {
        expect(JsonToken.VALUE_NUMBER_INT, "an integer");
        if (parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            long value = parser.getLongValue();
            if (value < 0) {
                throw bad("is negative");
            }
            return value;
        }
        try {
            return U64.fromBigInteger(parser.getBigIntegerValue());
        } catch (ArithmeticException e) {
            throw bad("is not an unsigned 64-bit number");
        }
    }

    /** Parses the {@code result} of an answer into a value. */
    @FunctionalInterface
    public interface ResultReader<T> {
        /**
         * @param in at the first token of the result; left at its last token
         * @throws NodeException.BadAnswer if the result has another shape
         * @throws IOException if the text is not JSON
         */
        T read(AnswerJson in) throws IOException;

        /** Adds the URL of the answering node to values that include it. */
        default T saidBy(String url, T value) {
            return value;
        }
    }
}
