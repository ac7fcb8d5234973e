package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;

/** What spending, HTLCs and messages need of the keyring. Stages fail with {@link KeyringException}. */
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

    /** @param bytes 64 bytes */
    record Signature(PublicKey publicKey, byte[] bytes) {}
}
