package org.chainwalletd.rpc;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.Call;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Method;
import org.chainwalletd.api.Scope;
import org.chainwalletd.wire.Spelling;

/** A method that is declared by its record in package {@code api}, with the function that answers it. */
public final class DeclaredMethod<C extends Record & Call<R>, R> implements RpcMethod<C, R> {
    private final Call.CallType<C, R> type;
    private final Spelling spelling;
    private final Handler<C, R> handler;

    private DeclaredMethod(Call.CallType<C, R> type, Spelling spelling, Handler<C, R> handler) {
        this.type = type;
        this.spelling = spelling;
        this.handler = handler;
    }

    /** Answers a call; see {@link RpcMethod#call}. */
    @FunctionalInterface
    public interface Handler<C, R> {
        CompletionStage<R> call(C params, CallContext context);
    }

    public static <R, C extends Record & Call<R>> DeclaredMethod<C, R> of(Class<C> call, Handler<C, R> handler) {
        return of(call, Spelling.AS_DECLARED, handler);
    }

    /** @param spelling names of the members where the brand has words of its own for them */
    public static <R, C extends Record & Call<R>> DeclaredMethod<C, R> of(
            Class<C> call, Spelling spelling, Handler<C, R> handler) {
        return new DeclaredMethod<>(Call.CallType.of(call), spelling, handler);
    }

    private Method declared() {
        return type.method();
    }

    @Override
    public String name() {
        return declared().name();
    }

    @Override
    public Scope scope() {
        return declared().scope();
    }

    @Override
    public String summary() {
        return declared().summary();
    }

    @Override
    public boolean deprecated() {
        return declared().deprecated();
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(declared().errors());
    }

    @Override
    public boolean longPoll() {
        return declared().longPoll();
    }

    @Override
    public boolean repeatable() {
        return scope() == Scope.READ || declared().repeatable();
    }

    @Override
    public Class<C> params() {
        return type.params();
    }

    @Override
    public Class<R> result() {
        return type.result();
    }

    @Override
    public Spelling spelling() {
        return spelling;
    }

    @Override
    public CompletionStage<R> call(C params, CallContext context) {
        return handler.call(params, context);
    }
}
