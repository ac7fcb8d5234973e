package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;

/**
 * The public side of one key.
 *
 * @param publicKey empty only in a list, and only for a key that another implementation wrote and that was not used here yet; what
 *     {@link Signer#find} gives always has it
 * @param index derivation index of a legacy HD key, empty for a 1:1 key
 * @param imported true for every 1:1 key (standard, independent, imported)
 */
public record KeyEntry(
        Address address, Optional<PublicKey> publicKey, OptionalLong index, Optional<String> label, boolean imported) {
    /** Of an entry that has it for certain. */
    public PublicKey knownPublicKey() {
        return publicKey.orElseThrow();
    }

    KeyEntry withPublicKey(PublicKey key) {
        return new KeyEntry(address, Optional.of(key), index, label, imported);
    }

    KeyEntry withIndex(OptionalLong derivationIndex) {
        return new KeyEntry(address, publicKey, derivationIndex, label, imported);
    }
}
