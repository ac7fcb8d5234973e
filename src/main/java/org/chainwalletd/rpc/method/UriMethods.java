package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.PaymentUris.PaymentRequest;
import org.chainwalletd.api.PaymentUris.PaymentUriDecode;
import org.chainwalletd.api.PaymentUris.PaymentUriEncode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.uri.PaymentUriCodec;

/** Answers the methods of {@link org.chainwalletd.api.PaymentUris}. */
public final class UriMethods {
    private final PaymentUriCodec codec;

    private UriMethods(PaymentUriCodec codec) {
        this.codec = codec;
    }

    public static List<RpcMethod<?, ?>> all(PaymentUriCodec codec) {
        UriMethods methods = new UriMethods(codec);
        return List.of(
                RpcMethod.of(PaymentUriEncode.class, methods::encode),
                RpcMethod.of(PaymentUriDecode.class, methods::decode));
    }

    private CompletionStage<PaymentUriEncode.Result> encode(PaymentUriEncode call) {
        return CompletableFuture.completedStage(new PaymentUriEncode.Result(codec.encode(call.request())));
    }

    private CompletionStage<PaymentRequest> decode(PaymentUriDecode call) {
        try {
            return CompletableFuture.completedStage(codec.decode(call.uri()));
        } catch (RefusedException e) {
            return CompletableFuture.failedStage(RefusedException.invalidParams("parameter `uri`: " + e.getMessage()));
        }
    }
}
