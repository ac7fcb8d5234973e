package org.chainwalletd.keyring.store;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.keyring.store.KeyringException.Reason;

/**
 * Public part of one key.
 *
 * @param publicKey empty only in a list, and only for a key that another implementation wrote and that was not used here yet; entries
 *     returned by {@link Signer#find} always have it
 * @param index derivation index of a legacy HD key, empty for a 1:1 key
 * @param imported true for every 1:1 key (standard, independent, imported)
 */
public record KeyEntry(
        Address address, Optional<PublicKey> publicKey, OptionalLong index, Optional<String> label, boolean imported) {
    static final int MAX_LABEL_BYTES = 256;

    public KeyEntry {
        label = withoutEmpty(label);
    }

    /** Returns the public key of an entry that must have one. */
    public PublicKey knownPublicKey() {
        return publicKey.orElseThrow();
    }

    public KeyEntry withPublicKey(PublicKey key) {
        return new KeyEntry(address, Optional.of(key), index, label, imported);
    }

    public KeyEntry withIndex(OptionalLong derivationIndex) {
        return new KeyEntry(address, publicKey, derivationIndex, label, imported);
    }

    KeyEntry withLabel(Optional<String> other) {
        return new KeyEntry(address, publicKey, index, other, imported);
    }

    /** Returns a label, or none if it is the empty text. */
    public static Optional<String> withoutEmpty(Optional<String> label) {
        return label.filter(text -> !text.isEmpty());
    }

    /**
     * Checks a label: human-readable text of at most {@value #MAX_LABEL_BYTES} bytes of UTF-8, without control characters.
     *
     * @throws KeyringException with {@link Reason#INVALID}
     */
    public static void checkLabel(Optional<String> label) {
        label.ifPresent(text -> {
            if (text.getBytes(StandardCharsets.UTF_8).length > MAX_LABEL_BYTES) {
                throw new KeyringException(Reason.INVALID, "label is longer than " + MAX_LABEL_BYTES + " bytes");
            }
            boolean plain = text.codePoints()
                    .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
            if (!plain) {
                throw new KeyringException(Reason.INVALID, "label has control characters or broken text");
            }
        });
    }
}
