package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.ObjectWriter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.Json;

/**
 * Method with its binder and writer, which are created on its first call: most processes call few methods, and startup must not wait for all
 * of them.
 */
final class RegisteredMethod<P extends Record, R> {
    private final RpcMethod<P, R> method;
    private volatile Compiled<P> compiled;

    RegisteredMethod(RpcMethod<P, R> method) {
        this.method = method;
    }

    /** @param txId reads {@code tx_id} of the result; null if the result has none */
    private record Compiled<P extends Record>(Binder<P> binder, ObjectWriter writer, MethodHandle txId) {}

    RpcMethod<P, R> method() {
        return method;
    }

    Binder<P> binder() {
        return compiled().binder();
    }

    ObjectWriter writer() {
        return compiled().writer();
    }

    Optional<Hash256> txIdIn(Object result) {
        MethodHandle txId = compiled().txId();
        if (txId == null || result == null) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable((Hash256) txId.invokeExact(result));
        } catch (Throwable e) {
            throw new IllegalStateException("cannot read the tx_id of " + result.getClass(), e);
        }
    }

    /**
     * @throws IllegalArgumentException when the parameters cannot be bound
     */
    private Compiled<P> compiled() {
        Compiled<P> ready = compiled;
        if (ready == null) {
            ready = new Compiled<>(
                    Binder.strict(method.params()),
                    Json.writerFor(method.result(), method.spelling()),
                    txIdOf(method.result()));
            compiled = ready;
        }
        return ready;
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
