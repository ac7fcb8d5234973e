package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Messages.SignMessage;
import org.chainwalletd.api.Messages.VerifyMessage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.message.TextMessages;
import org.chainwalletd.rpc.RpcMethod;

/**
 * Handlers of the methods of {@link org.chainwalletd.api.Messages}.
 *
 * @param executor pool for computations: verifies signatures and converts answers to results
 */
public record MessageMethods(TextMessages messages, Executor executor) {
    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(
                        SignMessage.class,
                        call -> messages.sign(call.address(), call.message())
                                .thenApplyAsync(
                                        proof -> new SignMessage.Result(
                                                proof.signature(), proof.publicKey(), call.address()),
                                        executor)),
                RpcMethod.of(
                        VerifyMessage.class,
                        call -> CompletableFuture.supplyAsync(() -> verified(messages, call), executor)));
    }

    private static VerifyMessage.Result verified(TextMessages messages, VerifyMessage call) {
        Address address = messages.addressOf(call.pubkey());
        boolean fits = call.address().map(address::equals).orElse(true);
        return new VerifyMessage.Result(
                fits && messages.verifies(call.pubkey(), call.message(), call.signature()), address);
    }
}
