package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.OptionalLong;
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

/** Makes 1:1 keys of randomness or of what a caller gives, which is checked here; nothing is stored yet. Fails with {@link KeyringException}. */
final class KeyMaker {
    private final Sealer sealer;

    KeyMaker(Sealer sealer) {
        this.sealer = sealer;
    }

    NewKey standard(Optional<String> label, OptionalLong birth) {
        return NewKey.standard(sealer, sealer.newPhrase(), label).born(birth);
    }

    NewKey independent(Optional<String> label, OptionalLong birth) {
        return NewKey.alone(sealer, sealer.newSecret(), KeyNote.Origin.INDEPENDENT, label)
                .born(birth);
    }

    /** @param hex 64 characters; closed here */
    NewKey ofSecret(SecretBytes hex, Optional<String> label) {
        try (hex) {
            KeyEntry.checkLabel(label);
            return NewKey.alone(sealer, SecretText.parseHex("private_key", hex), KeyNote.Origin.IMPORTED, label);
        }
    }

    /** @param words phrase of 24 words that spells the secret; closed here */
    NewKey ofIndependentPhrase(SecretBytes words, Optional<String> label) {
        try (Mnemonic phrase = parsed(words, label)) {
            return NewKey.alone(sealer, KeyDerivation.independent(phrase), KeyNote.Origin.INDEPENDENT, label);
        }
    }

    /** @param words phrase of 24 words; closed here */
    NewKey ofStandardPhrase(SecretBytes words, Optional<String> label) {
        return NewKey.standard(sealer, parsed(words, label), label);
    }

    private static Mnemonic parsed(SecretBytes words, Optional<String> label) {
        try (words) {
            KeyEntry.checkLabel(label);
            return words.use(utf8 -> Mnemonic.parse(utf8, Mnemonic.KEY_WORDS));
        } catch (MnemonicException e) {
            throw new KeyringException(Reason.INVALID, "mnemonic: " + e.getMessage());
        }
    }
}
