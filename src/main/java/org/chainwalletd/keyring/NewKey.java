package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.Mnemonic.MnemonicException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.SecretText;

/**
 * 1:1 key that is not in the keyring yet, with its secrets. Closing it overwrites them. The factory methods check the caller's input and
 * throw {@link KeyringException}.
 *
 * @param secret 32 bytes
 * @param entropy 32 bytes of entropy of a standard key's phrase; empty for any other key
 */
record NewKey(
        SecretBytes secret,
        Optional<SecretBytes> entropy,
        PublicKey publicKey,
        Address address,
        Optional<String> label,
        KeyNote note)
        implements AutoCloseable {

    /** Takes ownership of {@code secret}. */
    static NewKey alone(Sealer sealer, SecretBytes secret, KeyNote.Origin origin, Optional<String> label) {
        return of(sealer, secret, Optional.empty(), label, origin);
    }

    /** Closes {@code phrase}. */
    static NewKey standard(Sealer sealer, Mnemonic phrase, Optional<String> label) {
        try (phrase) {
            return of(
                    sealer,
                    sealer.standardSecret(phrase),
                    Optional.of(phrase.entropy()),
                    label,
                    KeyNote.Origin.STANDARD);
        }
    }

    /** @param hex 64 characters; closed here */
    static NewKey ofSecret(Sealer sealer, SecretBytes hex, Optional<String> label) {
        try (hex) {
            KeyEntry.checkLabel(label);
            return alone(sealer, SecretText.parseHex("private_key", hex), KeyNote.Origin.IMPORTED, label);
        }
    }

    /** @param words 24 words that encode the secret; closed here */
    static NewKey ofIndependentPhrase(Sealer sealer, SecretBytes words, Optional<String> label) {
        try (Mnemonic phrase = parsed(words, label)) {
            return alone(sealer, KeyDerivation.independent(phrase), KeyNote.Origin.INDEPENDENT, label);
        }
    }

    /** @param words 24 words of a standard phrase; closed here */
    static NewKey ofStandardPhrase(Sealer sealer, SecretBytes words, Optional<String> label) {
        return standard(sealer, parsed(words, label), label);
    }

    private static Mnemonic parsed(SecretBytes words, Optional<String> label) {
        try (words) {
            KeyEntry.checkLabel(label);
            return words.use(utf8 -> Mnemonic.parse(utf8, Mnemonic.KEY_WORDS));
        } catch (MnemonicException e) {
            throw new KeyringException(Reason.INVALID, "mnemonic: " + e.getMessage());
        }
    }

    private static NewKey of(
            Sealer sealer,
            SecretBytes secret,
            Optional<SecretBytes> entropy,
            Optional<String> label,
            KeyNote.Origin origin) {
        PublicKey publicKey = sealer.publicKey(secret);
        return new NewKey(secret, entropy, publicKey, sealer.addressOf(publicKey), label, KeyNote.unborn(origin));
    }

    /** Returns this newly generated key with the birth {@code height}. */
    NewKey born(OptionalLong height) {
        return new NewKey(secret, entropy, publicKey, address, label, note.born(height));
    }

    KeyEntry entry() {
        return new KeyEntry(address, Optional.of(publicKey), OptionalLong.empty(), label, true);
    }

    @Override
    public void close() {
        secret.close();
        entropy.ifPresent(SecretBytes::close);
    }

    /** Omits the secrets. */
    @Override
    public String toString() {
        return "NewKey[" + address + "]";
    }
}
