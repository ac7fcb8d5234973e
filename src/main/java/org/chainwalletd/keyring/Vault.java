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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.Mnemonic.MnemonicException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.evm.NewEvmKey;
import org.chainwalletd.keyring.store.EvmKeyRecord.Source;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.SecretText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JSON inside a vault (chain protocol, appendix C): {@code {"version":1,"keys":[{"address","secret_hex","label"}, …]}}. This daemon adds
 * {@code mnemonic} (the phrase of a standard key), {@code state} (the contents of {@code state.json}) and {@code evm_keys}, see {@link
 * EvmKeysMember}; readers ignore unknown members.
 */
final class Vault {
    private static final Logger LOG = LoggerFactory.getLogger(Vault.class);
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();
    private static final int VERSION = 1;

    private Vault() {}

    /** Writes a vault key by key. Closing it overwrites the text. */
    static final class Writer implements AutoCloseable {
        private final SecretText json = new SecretText();
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
                EvmKeysMember.write(json, evmKeys);
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

    /** Contents of a vault, with its secrets. Closing it overwrites them. */
    record Contents(List<NewKey> keys, List<NewEvmKey> evmKeys) implements AutoCloseable {
        @Override
        public void close() {
            keys.forEach(NewKey::close);
            evmKeys.forEach(NewEvmKey::close);
        }
    }

    /**
     * Reads the keys of a vault in its order. Each address is computed from its secret.
     *
     * @throws KeyringException with {@link Reason#INVALID} when the content is not a vault
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
            throw malformed("it is not the JSON of a vault");
        } catch (IOException e) {
            found.close();
            throw malformed("it cannot be read");
        } catch (RuntimeException e) {
            found.close();
            throw e;
        }
    }

    private record Reader(JsonParser parser, Sealer sealer, Contents found) {
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
                        throw malformed("its version is not " + VERSION);
                    }
                } else if (name.equals("keys")) {
                    array = true;
                    readAll(parser, name, "key", found.keys(), this::made);
                } else if (name.equals(EvmKeysMember.MEMBER)) {
                    readAll(parser, name, "account-chain key", found.evmKeys(), EvmKeysMember::made);
                } else {
                    parser.skipChildren();
                }
            }
            if (!version || !array || parser.nextToken() != null) {
                throw malformed("version or keys are missing, or there is text after the end");
            }
        }

        private NewKey made(int number, Members members) {
            Optional<String> label = members.text("label").flatMap(text -> usable(text, number));
            byte[] hex =
                    members.secret("secret_hex").orElseThrow(() -> malformed("key " + number + " has no secret_hex"));
            NewKey key = NewKey.alone(
                    sealer, SecretText.parseHex("secret_hex of key " + number, hex), KeyNote.Origin.IMPORTED, label);
            if (members.text("address")
                    .filter(text -> !text.equalsIgnoreCase(key.address().hex()))
                    .isPresent()) {
                // Does not log the text itself, which is untrusted.
                LOG.warn(
                        "vault: key {} names another address than that of its secret, {}, which is imported",
                        number,
                        key.address());
            }
            return members.secret("mnemonic")
                    .map(words -> withPhrase(key, words))
                    .orElse(key);
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
                LOG.debug("vault: invalid phrase: {}", e.reason());
            }
            LOG.warn("vault: the phrase of {} does not match its secret and is ignored", key.address());
            return key;
        }

        private Optional<String> usable(String label, int number) {
            try {
                KeyEntry.checkLabel(Optional.of(label));
                return Optional.of(label);
            } catch (KeyringException e) {
                LOG.warn("vault: the label of key {} is ignored: {}", number, e.getMessage());
                return Optional.empty();
            }
        }
    }

    private static void expect(JsonToken actual, JsonToken expected, String otherwise) {
        if (actual != expected) {
            throw malformed(otherwise);
        }
    }

    /**
     * Reads the array of keys at the parser's current token.
     *
     * @param keys gets the keys read so far, also when this fails
     */
    private static <K> void readAll(
            JsonParser parser, String array, String key, List<K> keys, BiFunction<Integer, Members, K> made)
            throws IOException {
        expect(parser.currentToken(), JsonToken.START_ARRAY, "its " + array + " are not an array");
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            int number = keys.size() + 1;
            expect(parser.currentToken(), JsonToken.START_OBJECT, key + " " + number + " is not an object");
            try (Members members = new Members()) {
                members.read(parser);
                keys.add(made.apply(number, members));
            }
        }
    }

    /** Members of one key; others and those that are not strings are skipped. Closing it overwrites the secrets. */
    private static final class Members implements AutoCloseable {
        private final Map<String, String> texts = new HashMap<>();
        private final Map<String, byte[]> secrets = new HashMap<>();

        void read(JsonParser parser) throws IOException {
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                boolean string = parser.nextToken() == JsonToken.VALUE_STRING;
                switch (string ? name : "") {
                    case "address", "label", "source" -> texts.put(name, parser.getText());
                    case "secret_hex", "mnemonic" -> secrets.put(name, takeSecret(parser));
                    default -> parser.skipChildren();
                }
            }
        }

        Optional<String> text(String name) {
            return Optional.ofNullable(texts.get(name));
        }

        Optional<byte[]> secret(String name) {
            return Optional.ofNullable(secrets.get(name));
        }

        @Override
        public void close() {
            secrets.values().forEach(secret -> Arrays.fill(secret, (byte) 0));
        }
    }

    /**
     * Account-chain keys of a vault, in its member {@code evm_keys}: {@code [{"address","secret_hex","source","mnemonic"}, …]}, the current
     * one first, replaced keys included. {@code mnemonic} is present for a key with its own phrase. Readers that do not know the member
     * skip it.
     */
    static final class EvmKeysMember {
        static final String MEMBER = "evm_keys";

        private EvmKeysMember() {}

        /** Leaves the keys open. */
        static void write(SecretText json, List<NewEvmKey> keys) {
            json.add("\"" + MEMBER + "\":[");
            String separator = "";
            for (NewEvmKey key : keys) {
                json.add(separator + "{\"address\":\"" + key.address() + "\",\"source\":\""
                        + key.source().word() + "\"");
                json.add(",\"secret_hex\":\"").addHex(key.secret()).add("\"");
                if (key.entropy().isPresent()) {
                    try (SecretBytes words = key.words()) {
                        json.add(",\"mnemonic\":\"").add(words).add("\"");
                    }
                }
                json.add("}");
                separator = ",";
            }
            json.add("]");
        }

        private static NewEvmKey made(int number, Members members) {
            byte[] hex = members.secret("secret_hex").orElseGet(() -> new byte[0]);
            NewEvmKey raw = ofSecret(number, SecretText.parseHex("secret_hex of account-chain key " + number, hex));
            String address = members.text("address").orElse("");
            if (!address.isEmpty() && !address.equalsIgnoreCase(raw.address().toString())) {
                LOG.warn(
                        "vault: an account-chain key names another address than that of its secret, {}, which is imported",
                        raw.address());
            }
            Optional<byte[]> phrase = members.secret("mnemonic").filter(words -> words.length > 0);
            Optional<NewEvmKey> spelt = phrase.flatMap(
                    words -> ofPhrase(words, members.text("source").orElse("")));
            if (spelt.isPresent() && spelt.get().address().equals(raw.address())) {
                raw.close();
                return spelt.get();
            }
            if (phrase.isPresent()) {
                LOG.warn("vault: the phrase of {} does not match its secret and is ignored", raw.address());
                spelt.ifPresent(NewEvmKey::close);
            }
            return raw;
        }

        private static NewEvmKey ofSecret(int number, SecretBytes secret) {
            try {
                return NewEvmKey.ofSecret(secret);
            } catch (RefusedException e) {
                throw malformed("account-chain key " + number + " is no secp256k1 secret");
            }
        }

        private static Optional<NewEvmKey> ofPhrase(byte[] words, String source) {
            boolean generated = source.equals(Source.GENERATED.word());
            try {
                Mnemonic phrase = Mnemonic.parse(words);
                if (!NewEvmKey.isWordCount(phrase.wordCount())) {
                    phrase.close();
                    return Optional.empty();
                }
                return Optional.of(NewEvmKey.ofPhrase(phrase, generated ? Source.GENERATED : Source.IMPORTED_MNEMONIC));
            } catch (MnemonicException e) {
                return Optional.empty();
            }
        }
    }

    /** Returns the current string as bytes and overwrites the parser's own buffer, so that no other copy remains. */
    private static byte[] takeSecret(JsonParser parser) throws IOException {
        char[] buffer = parser.getTextCharacters();
        int from = parser.getTextOffset();
        byte[] text = new byte[parser.getTextLength()];
        for (int i = 0; i < text.length; i++) {
            char c = buffer[from + i];
            text[i] = (byte) (c < 0x80 ? c : '?');
            buffer[from + i] = 0;
        }
        return text;
    }

    /** @param why completes the sentence */
    private static KeyringException malformed(String why) {
        return new KeyringException(Reason.INVALID, "the vault opens, but " + why);
    }
}
