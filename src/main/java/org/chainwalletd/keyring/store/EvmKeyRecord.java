package org.chainwalletd.keyring.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.chainwalletd.evm.EvmAddress;

/**
 * Record of the account-chain key in {@code state.json}, in its member {@code evm_key} (swap.md, section 5): {@code
 * {"address":"0x…","created_at":<Unix seconds>,"source":"Generated"}}.
 *
 * @param createdAt Unix seconds; 0 when another implementation wrote something else
 */
public record EvmKeyRecord(EvmAddress address, long createdAt, Source source) {
    static final String MEMBER = "evm_key";

    private static final JsonFactory FACTORY = new JsonFactory();

    /** Origin of the key; the words are those in the file. */
    public enum Source {
        GENERATED("Generated"),
        IMPORTED_MNEMONIC("ImportedMnemonic"),
        IMPORTED_KEY("ImportedKey");

        private final String word;

        Source(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }

        /** Whether the key has a phrase. */
        public boolean hasPhrase() {
            return this != IMPORTED_KEY;
        }

        /** @throws IllegalArgumentException for an unknown word */
        static Source ofWord(String word) {
            for (Source source : values()) {
                if (source.word.equals(word)) {
                    return source;
                }
            }
            throw new IllegalArgumentException("the source of " + MEMBER + " is none that is known");
        }
    }

    /** @throws IllegalArgumentException when {@code json} is not such a member; the message says why */
    static EvmKeyRecord parse(byte[] json) {
        String address = null;
        String source = null;
        long createdAt = 0;
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException(MEMBER + " is not an object");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (name.equals("address") && value == JsonToken.VALUE_STRING) {
                    address = parser.getText();
                } else if (name.equals("source") && value == JsonToken.VALUE_STRING) {
                    source = parser.getText();
                } else if (name.equals("created_at") && value == JsonToken.VALUE_NUMBER_INT) {
                    createdAt = parser.getLongValue();
                } else {
                    parser.skipChildren();
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(MEMBER + " is no JSON", e);
        }
        if (address == null || source == null) {
            throw new IllegalArgumentException(MEMBER + " has no address or no source");
        }
        return new EvmKeyRecord(EvmAddress.parse(address), createdAt, Source.ofWord(source));
    }

    /** Returns the member as JSON in UTF-8. */
    byte[] json() {
        return ("{\"address\":\"" + address + "\",\"created_at\":" + createdAt + ",\"source\":\"" + source.word()
                        + "\"}")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
