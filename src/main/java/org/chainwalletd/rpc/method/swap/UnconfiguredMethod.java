package org.chainwalletd.rpc.method.swap;

import java.lang.reflect.RecordComponent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.Scope;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Spelling;

/** A method of a daemon without a swap engine: well-formed parameters are refused with -32602, which says why. */
final class UnconfiguredMethod<P extends Record, R> extends NamedMethod<P, R> {
    private final Spelling spelling;

    UnconfiguredMethod(String name, Scope scope, String summary, Class<P> params, Class<R> result, Spelling spelling) {
        super(name, scope, summary, params, result);
        this.spelling = spelling;
    }

    @Override
    public Spelling spelling() {
        return spelling;
    }

    @Override
    public CompletionStage<R> call(P params, CallContext context) {
        overwriteSecrets(params);
        return CompletableFuture.failedFuture(
                RpcException.invalidParams("swap not configured: this daemon has no swap engine"));
    }

    private static void overwriteSecrets(Record params) {
        for (RecordComponent component : params.getClass().getRecordComponents()) {
            if (component.getType() == SecretBytes.class) {
                try {
                    component.getAccessor().setAccessible(true);
                    ((SecretBytes) component.getAccessor().invoke(params)).close();
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException("cannot read " + component, e);
                }
            }
        }
    }
}
