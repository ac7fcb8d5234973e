package org.chainwalletd.keyring.evm;

import java.util.Optional;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.crypto.KeyDerivation;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.EvmKeyRecord.Source;

/**
 * Account-chain key that is not in the keyring yet, with its secrets. Closing it overwrites them.
 *
 * @param secret 32 bytes, a usable secp256k1 secret
 * @param entropy of its phrase, 16 or 32 bytes; empty for a raw key
 */
public record NewEvmKey(SecretBytes secret, Optional<SecretBytes> entropy, EvmAddress address, Source source)
        implements AutoCloseable {
    private static final int SHORT_PHRASE = 12;

    /** Closes {@code phrase}. */
    public static NewEvmKey ofPhrase(Mnemonic phrase, Source source) {
        try (phrase) {
            SecretBytes secret = KeyDerivation.accountChain(phrase);
            return new NewEvmKey(secret, Optional.of(phrase.entropy()), EvmAddress.ofSecret(secret), source);
        }
    }

    /**
     * Takes ownership of {@code secret}; closes it on failure.
     *
     * @throws RefusedException unless it is a secp256k1 secret; the message does not quote it
     */
    public static NewEvmKey ofSecret(SecretBytes secret) {
        if (!secret.use(Secp256k1::isUsable)) {
            secret.close();
            throw RefusedException.invalidParams(
                    "private_key_hex is no secp256k1 secret: it is zero, or not below the order of the curve");
        }
        return new NewEvmKey(secret, Optional.empty(), EvmAddress.ofSecret(secret), Source.IMPORTED_KEY);
    }

    public static boolean isWordCount(int words) {
        return words == SHORT_PHRASE || words == Mnemonic.KEY_WORDS;
    }

    /** Returns the words separated by single spaces, owned by the caller. Only for a key with a phrase. */
    public SecretBytes words() {
        try (Mnemonic phrase = entropy.orElseThrow().use(Mnemonic::ofEntropy)) {
            return phrase.phrase();
        }
    }

    @Override
    public void close() {
        secret.close();
        entropy.ifPresent(SecretBytes::close);
    }

    /** Omits the secrets. */
    @Override
    public String toString() {
        return "NewEvmKey[" + address + "]";
    }
}
