package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.ObjectWriter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;

/**
 * A method with what is computed once for it.
 *
 * @param txId reads the result's {@code tx_id}, or null when the result has none
 */
record RegisteredMethod<P extends Record, R>(
        RpcMethod<P, R> method, ParamBinder<P> binder, ObjectWriter writer, MethodHandle txId) {

    static <P extends Record, R> RegisteredMethod<P, R> of(RpcMethod<P, R> method) {
        return new RegisteredMethod<>(
                method, ParamBinder.of(method.params()), Json.writerFor(method.result()), txIdOf(method.result()));
    }

    Optional<Hash256> txIdIn(Object result) {
        if (txId == null || result == null) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable((Hash256) txId.invokeExact(result));
        } catch (Throwable e) {
            throw new IllegalStateException("cannot read the tx_id of " + result.getClass(), e);
        }
    }

    private static MethodHandle txIdOf(Class<?> result) {
        if (!result.isRecord()) {
            return null;
        }
        for (RecordComponent component : result.getRecordComponents()) {
            if (component.getName().equals("txId") && component.getType() == Hash256.class) {
                try {
                    return MethodHandles.privateLookupIn(result, MethodHandles.lookup())
                            .findVirtual(result, "txId", MethodType.methodType(Hash256.class))
                            .asType(MethodType.methodType(Hash256.class, Object.class));
                } catch (ReflectiveOperationException e) {
                    throw new IllegalArgumentException("no accessor in " + result, e);
                }
            }
        }
        return null;
    }
}
