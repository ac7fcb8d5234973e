package org.chainwalletd.keyring.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;

/**
 * Contents of {@code state.json} (interface.md, section 1.4). Also reads files of other implementations: members in any order, any white
 * space. Unknown members are kept unchanged, so that the next write contains them.
 *
 * @param nextIndex u32, index of the next legacy HD key; above every listed index, unless that is the maximum
 * @param derived index by address
 * @param unknownMembers by name, as JSON text
 */
public record StateJson(
        long nextIndex,
        Map<Address, Long> derived,
        Map<Address, String> labels,
        List<Address> imported,
        Map<String, byte[]> unknownMembers) {
    public static final long MAX_U32 = 0xffff_ffffL;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    /** @throws IOException when this is not such a file; the message says where */
    public static StateJson parse(byte[] utf8) throws IOException {
        try (JsonParser parser = FACTORY.createParser(utf8)) {
            return new Reader(parser).read();
        } catch (JsonProcessingException e) {
            String where = e.getLocation() == null
                    ? ""
                    : " at line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr();
            throw new IOException(e.getOriginalMessage() + where, e);
        }
    }

    private static final class Reader {
        private final JsonParser parser;
        private final Map<Address, Long> derived = new LinkedHashMap<>();
        private final Map<Address, String> labels = new HashMap<>();
        private final LinkedHashSet<Address> imported = new LinkedHashSet<>();
        private final Map<String, byte[]> unknown = new LinkedHashMap<>();
        private long nextIndex;

        Reader(JsonParser parser) {
            this.parser = parser;
        }

        StateJson read() throws IOException {
            expect(parser.nextToken(), JsonToken.START_OBJECT, "an object");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                switch (name) {
                    case "next_index" -> nextIndex = index(value);
                    case "derived" -> readDerived(value);
                    case "labels" -> readLabels(value);
                    case "imported" -> readImported(value);
                    default -> keep(name);
                }
            }
            if (parser.nextToken() != null) {
                throw broken("text after the end of the object");
            }
            long highest =
                    derived.values().stream().mapToLong(Long::longValue).max().orElse(-1);
            long next = Math.min(MAX_U32, Math.max(nextIndex, highest + 1));
            return new StateJson(next, derived, labels, new ArrayList<>(imported), unknown);
        }

        private void readDerived(JsonToken value) throws IOException {
            expect(value, JsonToken.START_OBJECT, "an object of indexes");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                Address address = address(parser.currentName());
                derived.put(address, index(parser.nextToken()));
            }
        }

        private void readLabels(JsonToken value) throws IOException {
            expect(value, JsonToken.START_OBJECT, "an object of labels");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                Address address = address(parser.currentName());
                JsonToken label = parser.nextToken();
                if (label != JsonToken.VALUE_NULL) {
                    expect(label, JsonToken.VALUE_STRING, "a label");
                    labels.put(address, parser.getText());
                }
            }
        }

        private void readImported(JsonToken value) throws IOException {
            expect(value, JsonToken.START_ARRAY, "an array of addresses");
            for (JsonToken item = parser.nextToken(); item != JsonToken.END_ARRAY; item = parser.nextToken()) {
                expect(item, JsonToken.VALUE_STRING, "an address");
                imported.add(address(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength()));
            }
        }

        private void keep(String name) throws IOException {
            ByteArrayOutputStream copy = new ByteArrayOutputStream();
            try (JsonGenerator json = FACTORY.createGenerator(copy)) {
                json.copyCurrentStructureExact(parser);
            }
            unknown.put(name, copy.toByteArray());
        }

        private long index(JsonToken value) throws IOException {
            expect(value, JsonToken.VALUE_NUMBER_INT, "an index");
            long index = parser.getLongValue();
            if (index < 0 || index > MAX_U32) {
                throw broken("an index outside 0 … 2^32-1");
            }
            return index;
        }

        private Address address(String hex) throws IOException {
            return address(hex.toCharArray(), 0, hex.length());
        }

        /** Decodes an address without a library: in a JVM that is not warmed up, this dominates the start of a large keyring. */
        private Address address(char[] text, int from, int length) throws IOException {
            if (length != 2 * Address.LENGTH) {
                throw broken("not an address");
            }
            byte[] address = new byte[Address.LENGTH];
            for (int i = 0; i < address.length; i++) {
                address[i] = (byte) (nibble(text[from + 2 * i]) << 4 | nibble(text[from + 2 * i + 1]));
            }
            return Address.of(address);
        }

        private int nibble(char digit) throws IOException {
            if (digit >= '0' && digit <= '9') {
                return digit - '0';
            }
            if (digit >= 'a' && digit <= 'f') {
                return digit - 'a' + 10;
            }
            if (digit >= 'A' && digit <= 'F') {
                return digit - 'A' + 10;
            }
            throw broken("not an address");
        }

        private void expect(JsonToken actual, JsonToken expected, String what) throws IOException {
            if (actual != expected) {
                throw broken("expected " + what);
            }
        }

        private JsonParseException broken(String what) {
            return new JsonParseException(parser, what, parser.currentLocation());
        }
    }
}
