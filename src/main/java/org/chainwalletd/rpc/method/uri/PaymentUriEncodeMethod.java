package org.chainwalletd.rpc.method.uri;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.uri.PaymentUriCodec;
import org.chainwalletd.uri.PaymentUriException;

/** {@code payment_uri_encode}: a payment request as a URI in its canonical form. */
final class PaymentUriEncodeMethod extends NamedMethod<PaymentUriFields, PaymentUriEncodeMethod.Result> {
    record Result(String uri) {}

    private final PaymentUriCodec codec;

    PaymentUriEncodeMethod(PaymentUriCodec codec) {
        super(
                "payment_uri_encode",
                Scope.READ,
                "Writes a request for a payment as a URI, fields in their canonical order, texts percent-encoded; asks nobody.",
                PaymentUriFields.class,
                Result.class);
        this.codec = codec;
    }

    @Override
    public CompletionStage<Result> call(PaymentUriFields params, CallContext context) {
        try {
            return CompletableFuture.completedStage(new Result(codec.encode(params.uri())));
        } catch (PaymentUriException e) {
            return CompletableFuture.failedStage(RpcException.invalidParams(e.getMessage()));
        }
    }
}
