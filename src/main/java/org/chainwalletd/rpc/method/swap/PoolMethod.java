package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.wire.Spelling;

/** A question that the pool alone answers. Its refusals are -32020 with its words, never a success. */
abstract class PoolMethod<P extends Record, R> extends NamedMethod<P, R> {
    private final Pool pool;
    private final SwapWords words;
    private final Executor executor;

    PoolMethod(
            String name,
            Scope scope,
            String summary,
            Class<P> params,
            Class<R> result,
            Pool pool,
            SwapWords words,
            Executor executor) {
        super(name, scope, summary, params, result);
        this.pool = pool;
        this.words = words;
        this.executor = executor;
    }

    abstract CompletionStage<R> ask(P params, Pool pool);

    @Override
    public final CompletionStage<R> call(P params, CallContext context) {
        return ask(params, pool);
    }

    final <T, U> CompletionStage<U> told(CompletionStage<T> answer, Function<T, U> as) {
        return answer.thenApplyAsync(as, executor);
    }

    @Override
    public final Spelling spelling() {
        return words.spelling();
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM);
    }
}
