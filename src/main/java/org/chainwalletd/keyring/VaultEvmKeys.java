package org.chainwalletd.keyring;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.MnemonicException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.EvmKeyRecord.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The account-chain keys in a vault, its member {@code evm_keys}: {@code [{"address","secret_hex","source","mnemonic"}, …]}, the current one
 * first. Replaced keys are in it too. {@code mnemonic} is there for a key with a phrase of its own. Readers that know no such member skip it.
 */
final class VaultEvmKeys {
    static final String MEMBER = "evm_keys";

    private static final Logger LOG = LoggerFactory.getLogger(VaultEvmKeys.class);

    private VaultEvmKeys() {}

    /** Keys stay open. */
    static void write(SecretBuffer json, List<NewEvmKey> keys) {
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

    /**
     * Reads the array at which {@code parser} stands.
     *
     * @param keys gets what was read, also when this fails
     */
    static void read(JsonParser parser, List<NewEvmKey> keys) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw VaultText.malformed("its " + MEMBER + " are not an array");
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                throw VaultText.malformed("account-chain key " + (keys.size() + 1) + " is not an object");
            }
            keys.add(readKey(parser, keys.size() + 1));
        }
    }

    private static NewEvmKey readKey(JsonParser parser, int number) throws IOException {
        String address = "";
        String source = "";
        byte[] secret = new byte[0];
        byte[] phrase = new byte[0];
        try {
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                boolean string = parser.nextToken() == JsonToken.VALUE_STRING;
                switch (string ? name : "") {
                    case "address" -> address = parser.getText();
                    case "source" -> source = parser.getText();
                    case "secret_hex" -> secret = VaultText.secret(parser);
                    case "mnemonic" -> phrase = VaultText.secret(parser);
                    default -> parser.skipChildren();
                }
            }
            return made(number, address, source, secret, phrase);
        } finally {
            Arrays.fill(secret, (byte) 0);
            Arrays.fill(phrase, (byte) 0);
        }
    }

    private static NewEvmKey made(int number, String address, String source, byte[] hex, byte[] phrase) {
        NewEvmKey raw = ofSecret(number, SecretHex.parse("secret_hex of account-chain key " + number, hex));
        if (!address.isEmpty() && !isOf(raw.address(), address)) {
            LOG.warn(
                    "vault: an account-chain key says that it is of another address than {}, whose secret it is",
                    raw.address());
        }
        Optional<NewEvmKey> spelt = phrase.length == 0 ? Optional.empty() : ofPhrase(phrase, source);
        if (spelt.isPresent() && spelt.get().address().equals(raw.address())) {
            raw.close();
            return spelt.get();
        }
        if (phrase.length > 0) {
            LOG.warn("vault: the phrase of {} is not the one of its secret and is left out", raw.address());
            spelt.ifPresent(NewEvmKey::close);
        }
        return raw;
    }

    private static NewEvmKey ofSecret(int number, SecretBytes secret) {
        try {
            return NewEvmKey.ofSecret(secret);
        } catch (EvmKeyException e) {
            throw VaultText.malformed("account-chain key " + number + " is no secp256k1 secret");
        }
    }

    private static boolean isOf(EvmAddress address, String text) {
        return text.equalsIgnoreCase(address.toString());
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
