package org.chainwalletd.message;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.DomainTag;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SignedMessage;
import org.chainwalletd.keyring.Signer;

/**
 * Signs and verifies text under the tag {@code …-MSG} of the daemon's brand. The text is used unchanged, in UTF-8, without Unicode
 * normalisation; an empty text is valid.
 */
public final class TextMessages {
    private final ChainProfile chain;
    private final Signer signer;
    private final Executor executor;

    /**
     * @param signer not needed for verifying
     * @param executor runs the continuations that turn signatures into proofs
     */
    public TextMessages(ChainProfile chain, Signer signer, Executor executor) {
        this.chain = chain;
        this.signer = signer;
        this.executor = executor;
    }

    /** Signature with the public key that verifies it. */
    public record Proof(Ed25519Signature signature, PublicKey publicKey) {}

    /**
     * Signs {@code text} with the key of {@code address}. Fails with {@link org.chainwalletd.keyring.KeyringException} when the keyring has
     * no such key or cannot open it.
     */
    public CompletionStage<Proof> sign(Address address, String text) {
        return signer.sign(address, SignedMessage.image(chain.tag(DomainTag.MSG), utf8(text)))
                .thenApplyAsync(made -> new Proof(Ed25519Signature.of(made.bytes()), made.publicKey()), executor);
    }

    /**
     * Whether {@code signature} is a valid signature of {@code text}. False, not an error, for a weak key or one that is not a point on the
     * curve.
     */
    public boolean verifies(PublicKey publicKey, String text, Ed25519Signature signature) {
        return SignedMessage.verify(publicKey.toArray(), chain.tag(DomainTag.MSG), utf8(text), signature.toArray());
    }

    /** Address that belongs to a key, even to a weak or invalid one. */
    public Address addressOf(PublicKey publicKey) {
        return chain.addressOf(publicKey);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
