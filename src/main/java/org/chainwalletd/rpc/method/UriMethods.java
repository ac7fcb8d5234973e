package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.api.PaymentUris.PaymentUriDecode;
import org.chainwalletd.api.PaymentUris.PaymentUriEncode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.uri.PaymentUriCodec;

/** Handlers of the methods of {@link org.chainwalletd.api.PaymentUris}. */
public record UriMethods(PaymentUriCodec codec) {
    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(
                        PaymentUriEncode.class,
                        call -> CompletableFuture.completedStage(
                                new PaymentUriEncode.Result(codec.encode(call.request())))),
                RpcMethod.of(PaymentUriDecode.class, call -> {
                    try {
                        return CompletableFuture.completedStage(codec.decode(call.uri()));
                    } catch (RefusedException e) {
                        throw RefusedException.invalidParams("parameter `uri`: " + e.getMessage());
                    }
                }));
    }
}
