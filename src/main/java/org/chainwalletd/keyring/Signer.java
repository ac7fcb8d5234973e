package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;

/** Part of the keyring that spending, HTLCs and messages need. Stages fail with {@link KeyringException}. */
public interface Signer {
    /**
     * The public side of a key with its public key, empty when the keyring has none for {@code address}. Unseals only a key of another
     * implementation whose public key is not known yet, once.
     */
    CompletionStage<Optional<KeyEntry>> find(Address address);

    /**
     * Signs {@code message} as it is (Ed25519) with the key of {@code address}; unseals on first use.
     *
     * @param message complete bytes to sign, domain tag included; not touched afterwards by the caller
     */
    CompletionStage<Signature> sign(Address address, byte[] message);

    /**
     * The same at once, on the calling thread, when the key is unsealed; empty when it is not, or not any more. Costs one Ed25519 signature
     * and waits for nobody.
     */
    default Optional<Signature> signAtHand(Address address, byte[] message) {
        return Optional.empty();
    }

    /** Whether the key is there and unsealed; false says nothing about a sealed one. */
    default boolean isAtHand(Address address) {
        return false;
    }

    /** @param bytes 64 bytes */
    record Signature(PublicKey publicKey, byte[] bytes) {}
}
