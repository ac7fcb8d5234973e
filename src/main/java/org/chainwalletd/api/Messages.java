package org.chainwalletd.api;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.wire.Doc;

/** Signed text messages (interface.md, section 4.9). */
public final class Messages {
    private Messages() {}

    /** Proves that the daemon has the key of an address. */
    @Method(
            name = "sign_message",
            scope = Scope.SPEND,
            summary =
                    "Signs a text with the key of an address, as a proof of ownership. Such a signature can never be taken for one of a"
                            + " transaction or a quote.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED})
    public record SignMessage(
            Address address,

            @Doc("signed as it is, in UTF-8; may be empty") String message) implements Call<SignMessage.Result> {
        public record Result(Ed25519Signature signature, PublicKey pubkey, Address address) {}
    }

    /** Verifies that a signature of a text was made by a key, and optionally that the key belongs to an address. */
    @Method(
            name = "verify_message",
            scope = Scope.READ,
            summary =
                    "Verifies a signature of sign_message; asks neither the keyring nor a node. A key that is weak or no key at all is not"
                            + " valid, which is no error.")
    public record VerifyMessage(
            PublicKey pubkey,
            Ed25519Signature signature,

            @Doc("taken as it is, in UTF-8; may be empty") String message,

            @Doc("when given, it must be the address of pubkey too")
            Optional<Address> address)
            implements Call<VerifyMessage.Result> {
        /** Verifies only the signature. */
        public VerifyMessage(PublicKey pubkey, Ed25519Signature signature, String message) {
            this(pubkey, signature, message, Optional.empty());
        }

        /** Also verifies that the address belongs to the key. */
        public VerifyMessage(PublicKey pubkey, Ed25519Signature signature, String message, Address address) {
            this(pubkey, signature, message, Optional.of(address));
        }

        public record Result(
                boolean valid,

                @Doc("of pubkey, also when valid is false") Address address) {}
    }
}
