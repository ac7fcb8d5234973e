package org.chainwalletd.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BiFunction;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.RpcMethod.NoParams;
import org.chainwalletd.testkit.Await;

/** Methods for the tests of the envelope. */
final class TestMethods {
    static final Executor EXECUTOR = ForkJoinPool.commonPool();
    private static final RpcDispatcher.Limits LIMITS = new RpcDispatcher.Limits(100, 4, 50);

    private TestMethods() {}

    record Ok(boolean ok) {}

    record Text(String text) {}

    static <P extends Record, R> RpcMethod<P, R> method(
            String name,
            Scope scope,
            Class<P> params,
            Class<R> result,
            BiFunction<P, CallContext, CompletionStage<R>> call) {
        return RpcMethod.of(name, scope, "For tests.", params, result, call::apply);
    }

    static RpcMethod<NoParams, Ok> ping() {
        return method(
                "ping",
                Scope.READ,
                NoParams.class,
                Ok.class,
                (none, context) -> CompletableFuture.completedFuture(new Ok(true)));
    }

    static RpcDispatcher dispatcher(CallObserver observer, RpcMethod<?, ?>... methods) {
        List<RpcMethod<?, ?>> all = new ArrayList<>(List.of(methods));
        all.add(ping());
        return new RpcDispatcher(MethodRegistry.of(all), List.of(), observer, LIMITS, EXECUTOR);
    }

    static RpcAnswer answer(RpcDispatcher dispatcher, Optional<Scope> scope, byte[] body) {
        return Await.result(dispatcher.dispatch(body, scope.map(Grant::of), Client.staying("127.0.0.1")));
    }
}
