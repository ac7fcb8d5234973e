package org.chainwalletd.rpc.method.uri;

import java.util.List;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.uri.PaymentUriCodec;

/** The family of methods for payment URIs (interface.md, section 4.12). */
public final class UriMethods {
    private UriMethods() {}

    public static List<RpcMethod<?, ?>> all(PaymentUriCodec codec) {
        return List.of(new PaymentUriEncodeMethod(codec), new PaymentUriDecodeMethod(codec));
    }
}
