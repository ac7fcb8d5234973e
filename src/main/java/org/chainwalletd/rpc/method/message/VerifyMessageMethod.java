package org.chainwalletd.rpc.method.message;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.message.TextMessages;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;

/** {@code verify_message}: whether a signature of a text is one of a key, and the key one of an address. */
final class VerifyMessageMethod extends NamedMethod<VerifyMessageMethod.Params, VerifyMessageMethod.Result> {
    record Params(
            PublicKey pubkey,
            Ed25519Signature signature,

            @Doc("taken as it is, in UTF-8; may be empty") String message,

            @Doc("when given, it must be the address of pubkey too")
            Optional<Address> address) {}

    record Result(
            boolean valid,

            @Doc("of pubkey, also when valid is false") Address address) {}

    private final TextMessages messages;
    private final Executor executor;

    VerifyMessageMethod(TextMessages messages, Executor executor) {
        super(
                "verify_message",
                Scope.READ,
                "Verifies a signature of sign_message; asks neither the keyring nor a node. A key that is weak or no key at all is not"
                        + " valid, which is no error.",
                Params.class,
                Result.class);
        this.messages = messages;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return CompletableFuture.supplyAsync(() -> verify(params), executor);
    }

    private Result verify(Params params) {
        Address address = messages.addressOf(params.pubkey());
        boolean fits = params.address().map(address::equals).orElse(true);
        return new Result(fits && messages.verifies(params.pubkey(), params.message(), params.signature()), address);
    }
}
