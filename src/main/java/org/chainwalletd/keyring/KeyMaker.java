package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.MnemonicException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringException.Reason;

/**
 * Makes 1:1 keys, of randomness or of what a caller gives, which is checked here; nothing is stored yet. Stages fail with {@link
 * KeyringException}.
 */
final class KeyMaker {
    private final Sealer sealer;
    private final Births births;
    private final Executor crypto;

    KeyMaker(KeyringSetup setup, Births births) {
        this.sealer = setup.sealer();
        this.births = births;
        this.crypto = setup.executors().crypto();
    }

    CompletableFuture<NewKey> generateStandard(Optional<String> label) {
        return made(() -> {
            Labels.check(label);
            return NewKey.standard(sealer, sealer.newPhrase(), label).born(births.now());
        });
    }

    CompletableFuture<NewKey> generateIndependent(Optional<String> label) {
        return made(() -> {
            Labels.check(label);
            return NewKey.alone(sealer, sealer.newSecret(), KeyOrigin.INDEPENDENT, label)
                    .born(births.now());
        });
    }

    /** @param hex 64 characters; closed here */
    CompletableFuture<NewKey> ofSecret(SecretBytes hex, Optional<String> label) {
        return made(() -> {
            try (hex) {
                Labels.check(label);
                return NewKey.alone(sealer, SecretHex.parse("private_key", hex), KeyOrigin.IMPORTED, label);
            }
        });
    }

    /** @param words phrase of 24 words that spells the secret; closed here */
    CompletableFuture<NewKey> ofIndependentPhrase(SecretBytes words, Optional<String> label) {
        return made(() -> {
            try (Mnemonic phrase = parsed(words, label)) {
                return NewKey.alone(sealer, KeyDerivation.independent(phrase), KeyOrigin.INDEPENDENT, label);
            }
        });
    }

    /** @param words phrase of 24 words; closed here */
    CompletableFuture<NewKey> ofStandardPhrase(SecretBytes words, Optional<String> label) {
        return made(() -> NewKey.standard(sealer, parsed(words, label), label));
    }

    private static Mnemonic parsed(SecretBytes words, Optional<String> label) {
        try (words) {
            Labels.check(label);
            return words.use(utf8 -> Mnemonic.parse(utf8, Mnemonic.KEY_WORDS));
        } catch (MnemonicException e) {
            throw new KeyringException(Reason.INVALID, "mnemonic: " + e.getMessage());
        }
    }

    private CompletableFuture<NewKey> made(Supplier<NewKey> key) {
        return CompletableFuture.supplyAsync(key, crypto);
    }
}
