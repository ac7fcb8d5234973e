package org.chainwalletd.rpc.method.message;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.message.TextMessages;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;

/** {@code sign_message}: proves that the daemon holds the key of an address. */
final class SignMessageMethod extends NamedMethod<SignMessageMethod.Params, SignMessageMethod.Result> {
    record Params(
            Address address,

            @Doc("signed as it is, in UTF-8; may be empty") String message) {}

    record Result(Ed25519Signature signature, PublicKey pubkey, Address address) {}

    private final TextMessages messages;
    private final Executor executor;

    SignMessageMethod(TextMessages messages, Executor executor) {
        super(
                "sign_message",
                Scope.SPEND,
                "Signs a text with the key of an address, as a proof of ownership. Such a signature can never be taken for one of a"
                        + " transaction or a quote.",
                Params.class,
                Result.class);
        this.messages = messages;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return messages.sign(params.address(), params.message())
                .thenApplyAsync(proof -> new Result(proof.signature(), proof.publicKey(), params.address()), executor);
    }
}
