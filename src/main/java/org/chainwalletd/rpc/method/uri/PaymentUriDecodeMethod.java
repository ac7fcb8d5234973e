package org.chainwalletd.rpc.method.uri;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.uri.PaymentUriCodec;
import org.chainwalletd.uri.PaymentUriException;
import org.chainwalletd.wire.Doc;

/** {@code payment_uri_decode}: what a payment URI asks for. */
final class PaymentUriDecodeMethod extends NamedMethod<PaymentUriDecodeMethod.Params, PaymentUriFields> {
    record Params(
            @Doc(
                    "at most 65536 characters; the scheme in either case, a known field at most once, a plus sign stands for itself")
            String uri) {}

    private final PaymentUriCodec codec;

    PaymentUriDecodeMethod(PaymentUriCodec codec) {
        super(
                "payment_uri_decode",
                Scope.READ,
                "Reads a payment URI; unknown fields are dropped, hex comes back in lower case; asks nobody.",
                Params.class,
                PaymentUriFields.class);
        this.codec = codec;
    }

    @Override
    public CompletionStage<PaymentUriFields> call(Params params, CallContext context) {
        try {
            return CompletableFuture.completedStage(PaymentUriFields.of(codec.decode(params.uri())));
        } catch (PaymentUriException e) {
            return CompletableFuture.failedStage(RpcException.invalidParams("parameter `uri`: " + e.getMessage()));
        }
    }
}
