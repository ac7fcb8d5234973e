package org.chainwalletd.keyring;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.MnemonicException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringException.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JSON inside a vault (chain protocol, appendix C): {@code {"version":1,"keys":[{"address","secret_hex","label"}, …]}}. This daemon adds
 * {@code mnemonic}, the phrase of a standard key, {@code state}, what {@code state.json} holds, and {@code evm_keys}, see {@link VaultEvmKeys};
 * readers ignore what they do not know.
 */
final class Vault {
    private static final Logger LOG = LoggerFactory.getLogger(Vault.class);
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();
    private static final int VERSION = 1;

    private Vault() {}

    /** Writes a vault key by key. Closing it overwrites what was written. */
    static final class Writer implements AutoCloseable {
        private final SecretBuffer json = new SecretBuffer();
        private boolean empty = true;

        Writer() {
            json.add("{\"version\":" + VERSION + ",\"keys\":[");
        }

        /** @param entropy of the phrase of a standard key; both secrets stay open */
        void add(KeyEntry entry, SecretBytes secret, Optional<SecretBytes> entropy) {
            json.add(empty ? "{\"address\":\"" : ",{\"address\":\"")
                    .add(entry.address().hex());
            empty = false;
            json.add("\",\"secret_hex\":\"").addHex(secret).add("\",\"label\":");
            json.add(entry.label().map(Vault::quoted).orElse("null"));
            entropy.ifPresent(this::addPhrase);
            json.add("}");
        }

        private void addPhrase(SecretBytes entropy) {
            try (Mnemonic phrase = entropy.use(Mnemonic::ofEntropy);
                    SecretBytes words = phrase.phrase()) {
                json.add(",\"mnemonic\":\"").add(words).add("\"");
            }
        }

        /**
         * @param state empty for the vault of a single key
         * @param evmKeys stay open
         */
        SecretBytes end(Optional<KeyringView> state, List<NewEvmKey> evmKeys) {
            json.add("]");
            state.ifPresent(this::addState);
            if (!evmKeys.isEmpty()) {
                json.add(",");
                VaultEvmKeys.write(json, evmKeys);
            }
            return json.add("}").toSecret();
        }

        private void addState(KeyringView view) {
            List<String> derived = new ArrayList<>();
            List<String> labels = new ArrayList<>();
            List<String> imported = new ArrayList<>();
            for (KeyEntry entry : view.entries()) {
                String address = '"' + entry.address().hex() + '"';
                entry.index().ifPresent(index -> derived.add(address + ":" + index));
                entry.label().ifPresent(label -> labels.add(address + ":" + quoted(label)));
                if (entry.imported()) {
                    imported.add(address);
                }
            }
            json.add(",\"state\":{\"next_index\":" + view.nextIndex());
            json.add(",\"derived\":{" + String.join(",", derived) + "}");
            json.add(",\"labels\":{" + String.join(",", labels) + "}");
            json.add(",\"imported\":[" + String.join(",", imported) + "]}");
        }

        @Override
        public void close() {
            json.close();
        }
    }

    private static String quoted(String text) {
        return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
    }

    /** What a vault holds, with its secrets. Closing it overwrites them. */
    record Contents(List<NewKey> keys, List<NewEvmKey> evmKeys) implements AutoCloseable {
        @Override
        public void close() {
            keys.forEach(NewKey::close);
            evmKeys.forEach(NewEvmKey::close);
        }
    }

    /**
     * The keys of a vault in its order. Each address is computed from its secret.
     *
     * @throws KeyringException with {@link Reason#INVALID} when this is no vault
     */
    static Contents read(SecretBytes content, Sealer sealer) {
        Contents found = new Contents(new ArrayList<>(), new ArrayList<>());
        try {
            content.<Void, IOException>use(utf8 -> {
                try (JsonParser parser = FACTORY.createParser(utf8)) {
                    new Reader(parser, sealer, found).read();
                }
                return null;
            });
            return found;
        } catch (JsonProcessingException e) {
            found.close();
            throw VaultText.malformed("it is not the JSON of a vault");
        } catch (IOException e) {
            found.close();
            throw VaultText.malformed("it cannot be read");
        } catch (RuntimeException e) {
            found.close();
            throw e;
        }
    }

    private static final class Reader {
        private final JsonParser parser;
        private final Sealer sealer;
        private final List<NewKey> keys;
        private final List<NewEvmKey> evmKeys;

        Reader(JsonParser parser, Sealer sealer, Contents found) {
            this.parser = parser;
            this.sealer = sealer;
            this.keys = found.keys();
            this.evmKeys = found.evmKeys();
        }

        void read() throws IOException {
            boolean version = false;
            boolean array = false;
            expect(parser.nextToken(), JsonToken.START_OBJECT, "it is not a JSON object");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (name.equals("version")) {
                    version = value == JsonToken.VALUE_NUMBER_INT
                            && parser.getText().equals("1");
                    if (!version) {
                        throw VaultText.malformed("its version is not " + VERSION);
                    }
                } else if (name.equals("keys")) {
                    expect(value, JsonToken.START_ARRAY, "its keys are not an array");
                    array = true;
                    readKeys();
                } else if (name.equals(VaultEvmKeys.MEMBER)) {
                    VaultEvmKeys.read(parser, evmKeys);
                } else {
                    parser.skipChildren();
                }
            }
            if (!version || !array || parser.nextToken() != null) {
                throw VaultText.malformed("version or keys are missing, or there is text after the end");
            }
        }

        private void readKeys() throws IOException {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                expect(parser.currentToken(), JsonToken.START_OBJECT, "key " + (keys.size() + 1) + " is not an object");
                keys.add(readKey(keys.size() + 1));
            }
        }

        private NewKey readKey(int number) throws IOException {
            String address = null;
            Optional<String> label = Optional.empty();
            byte[] secret = null;
            byte[] phrase = null;
            try {
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    JsonToken value = parser.nextToken();
                    boolean text = value == JsonToken.VALUE_STRING;
                    switch (text ? name : "") {
                        case "address" -> address = parser.getText();
                        case "label" -> label = usable(parser.getText(), number);
                        case "secret_hex" -> secret = VaultText.secret(parser);
                        case "mnemonic" -> phrase = VaultText.secret(parser);
                        default -> parser.skipChildren();
                    }
                }
                if (secret == null) {
                    throw VaultText.malformed("key " + number + " has no secret_hex");
                }
                return made(number, address, label, secret, phrase);
            } finally {
                overwrite(secret);
                overwrite(phrase);
            }
        }

        private NewKey made(int number, String address, Optional<String> label, byte[] hex, byte[] phrase) {
            NewKey key = NewKey.alone(
                    sealer, SecretHex.parse("secret_hex of key " + number, hex), KeyOrigin.IMPORTED, label);
            if (address != null && !address.equalsIgnoreCase(key.address().hex())) {
                // Never the text itself, which may be anything.
                LOG.warn(
                        "vault: key {} says that it is of another address than {}, whose secret it is",
                        number,
                        key.address());
            }
            return phrase == null ? key : withPhrase(key, phrase);
        }

        private NewKey withPhrase(NewKey key, byte[] words) {
            try {
                NewKey standard = NewKey.standard(sealer, Mnemonic.parse(words, Mnemonic.KEY_WORDS), key.label());
                if (standard.address().equals(key.address())) {
                    key.close();
                    return standard;
                }
                standard.close();
            } catch (MnemonicException e) {
                LOG.debug("no phrase: {}", e.reason());
            }
            LOG.warn("vault: the phrase of {} is not the one of its secret and is left out", key.address());
            return key;
        }

        private Optional<String> usable(String label, int number) {
            try {
                Labels.check(Optional.of(label));
                return Optional.of(label);
            } catch (KeyringException e) {
                LOG.warn("vault: the label of key {} is left out: {}", number, e.getMessage());
                return Optional.empty();
            }
        }

        private static void overwrite(byte[] text) {
            if (text != null) {
                Arrays.fill(text, (byte) 0);
            }
        }

        private static void expect(JsonToken actual, JsonToken expected, String otherwise) {
            if (actual != expected) {
                throw VaultText.malformed(otherwise);
            }
        }
    }
}
