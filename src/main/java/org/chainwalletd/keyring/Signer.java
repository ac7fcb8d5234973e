package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;

/** Operations of the keyring that spends, HTLCs and message signing need. Stages fail with {@link KeyringException}. */
public interface Signer {
    /**
     * Returns the entry of a key with its public key; empty when the keyring has no key for {@code address}. Unseals a key, once, only if
     * another implementation wrote it and its public key is not known yet.
     */
    CompletionStage<Optional<KeyEntry>> find(Address address);

    /**
     * Signs {@code message} as it is (Ed25519) with the key of {@code address}; unseals the key on first use.
     *
     * @param message complete bytes to sign, domain tag included; must not be modified afterwards
     */
    CompletionStage<Signature> sign(Address address, byte[] message);

    /** Signs at once on the calling thread when the key is unsealed; empty when it is not. Costs one Ed25519 signature and never blocks. */
    default Optional<Signature> signAtHand(Address address, byte[] message) {
        return Optional.empty();
    }

    /** Whether the key is present and unsealed; false also for a sealed key. */
    default boolean isAtHand(Address address) {
        return false;
    }

    /** @param bytes 64 bytes */
    record Signature(PublicKey publicKey, byte[] bytes) {}
}
