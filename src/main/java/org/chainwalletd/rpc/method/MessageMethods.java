package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Messages.SignMessage;
import org.chainwalletd.api.Messages.VerifyMessage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.message.TextMessages;
import org.chainwalletd.rpc.RpcMethod;

/** Answers the methods of {@link org.chainwalletd.api.Messages}. */
public final class MessageMethods {
    private final TextMessages messages;
    private final Executor executor;

    private MessageMethods(TextMessages messages, Executor executor) {
        this.messages = messages;
        this.executor = executor;
    }

    /** @param executor verifies, and turns answers into results: a pool for computations */
    public static List<RpcMethod<?, ?>> all(TextMessages messages, Executor executor) {
        MessageMethods methods = new MessageMethods(messages, executor);
        return List.of(
                RpcMethod.of(SignMessage.class, methods::sign), RpcMethod.of(VerifyMessage.class, methods::verify));
    }

    private CompletionStage<SignMessage.Result> sign(SignMessage call) {
        return messages.sign(call.address(), call.message())
                .thenApplyAsync(
                        proof -> new SignMessage.Result(proof.signature(), proof.publicKey(), call.address()),
                        executor);
    }

    private CompletionStage<VerifyMessage.Result> verify(VerifyMessage call) {
        return CompletableFuture.supplyAsync(() -> verified(call), executor);
    }

    private VerifyMessage.Result verified(VerifyMessage call) {
        Address address = messages.addressOf(call.pubkey());
        boolean fits = call.address().map(address::equals).orElse(true);
        return new VerifyMessage.Result(
                fits && messages.verifies(call.pubkey(), call.message(), call.signature()), address);
    }
}
