package org.chainwalletd.rpc;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.api.Call;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Method;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.Shapes;
import org.chainwalletd.wire.Spelling;

/**
 * Method of the interface with its handler. Nearly all methods are declared by a record in package {@code api}.
 *
 * <p>Parameters are bound by {@link Binder} from the components of {@code P}; it documents the types and annotations. Results are written
 * with snake_case member names; a null or empty-Optional component is omitted unless it has {@link OrNull}.
 *
 * @param <P> parameter record
 * @param <R> result record
 */
public final class RpcMethod<P extends Record, R> {
    /** Errors that every method can return. */
    private static final List<ErrorCode> COMMON_ERRORS = List.of(
            ErrorCode.INVALID_PARAMS,
            ErrorCode.INTERNAL_ERROR,
            ErrorCode.UNAUTHORIZED,
            ErrorCode.TOO_MANY_REQUESTS,
            ErrorCode.POLICY_REFUSED);

    private final String name;
    private final Declaration declared;
    private final Class<P> params;
    private final Class<R> result;
    private final Spelling spelling;
    private final Handler<P, R> handler;

    private RpcMethod(
            String name,
            Declaration declared,
            Class<P> params,
            Class<R> result,
            Spelling spelling,
            Handler<P, R> handler) {
        this.name = name;
        this.declared = declared;
        this.params = params;
        this.result = result;
        this.spelling = spelling;
        this.handler = handler;
    }

    /** Parameters of a method that takes none. */
    public record NoParams() {}

    /** Handler of calls. */
    @FunctionalInterface
    public interface Handler<P, R> {
        /**
         * Answers a call. Must not block. Fails with {@link RefusedException}, or with a service exception that an {@link ErrorTranslator}
         * translates; any other failure becomes -32603.
         */
        CompletionStage<R> call(P params, CallContext context);
    }

    /** Members of {@link Method}. */
    private record Declaration(
            Scope scope,
            String summary,
            boolean deprecated,
            List<ErrorCode> errors,
            boolean longPoll,
            boolean repeatable,
            boolean background) {
        static Declaration of(Method method) {
            return new Declaration(
                    method.scope(),
                    method.summary(),
                    method.deprecated(),
                    List.of(method.errors()),
                    method.longPoll(),
                    method.scope() == Scope.READ || method.repeatable(),
                    method.background());
        }
    }

    /** Creates a method declared by its parameter record. */
    public static <R, C extends Record & Call<R>> RpcMethod<C, R> of(Class<C> call, Handler<C, R> handler) {
        return of(call, Spelling.AS_DECLARED, handler);
    }

    /**
     * Creates a method that calls a service and converts its answer to a result.
     *
     * @param executor converts the answers
     */
    public static <R, C extends Record & Call<R>, A> RpcMethod<C, R> of(
            Class<C> call, Function<C, CompletionStage<A>> question, Function<A, R> result, Executor executor) {
        return of(call, (given, context) -> question.apply(given), result, executor);
    }

    /** The same with a question that needs the call's context. */
    public static <R, C extends Record & Call<R>, A> RpcMethod<C, R> of(
            Class<C> call, Handler<C, A> question, Function<A, R> result, Executor executor) {
        return of(call, (given, context) -> question.call(given, context).thenApplyAsync(result, executor));
    }

    /** Like {@link #of(Class, Handler)}, with a handler that does not need the call's context. */
    public static <R, C extends Record & Call<R>> RpcMethod<C, R> of(
            Class<C> call, Function<C, CompletionStage<R>> handler) {
        return of(call, Spelling.AS_DECLARED, (given, context) -> handler.apply(given));
    }

    /** @param spelling brand-specific names of members */
    public static <R, C extends Record & Call<R>> RpcMethod<C, R> of(
            Class<C> call, Spelling spelling, Handler<C, R> handler) {
        Call.CallType<C, R> type = Call.CallType.of(call);
        Method method = type.method();
        return new RpcMethod<>(method.name(), Declaration.of(method), type.params(), type.result(), spelling, handler);
    }

    /** Creates a method without a declaring record and without method-specific errors. */
    public static <P extends Record, R> RpcMethod<P, R> of(
            String name, Scope scope, String summary, Class<P> params, Class<R> result, Handler<P, R> handler) {
        Declaration declared = new Declaration(scope, summary, false, List.of(), false, scope == Scope.READ, false);
        return new RpcMethod<>(name, declared, params, result, Spelling.AS_DECLARED, handler);
    }

    /** Returns this method under another name. */
    public RpcMethod<P, R> named(String other) {
        return new RpcMethod<>(other, declared, params, result, spelling, handler);
    }

    public String name() {
        return name;
    }

    public Scope scope() {
        return declared.scope();
    }

    /** Summary of one or more sentences, for the reference page. */
    public String summary() {
        return declared.summary();
    }

    /** Whether the method exists only for older clients. */
    public boolean deprecated() {
        return declared.deprecated();
    }

    /** Errors specific to this method, besides those of every method (parameters, token, internal). */
    public List<ErrorCode> errors() {
        return declared.errors();
    }

    /** All errors that a call can return, in catalogue order: the method's own and the common ones. */
    public Set<ErrorCode> allErrors() {
        Set<ErrorCode> all = EnumSet.copyOf(COMMON_ERRORS);
        all.addAll(errors());
        if (declared.background()) {
            all.add(ErrorCode.NOT_KEEPER);
        }
        return all;
    }

    /** Effect of repeating the same call. */
    public Repetition repetition() {
        return Repetition.of(repeatable(), params);
    }

    /**
     * Effect of repeating the same call; without a {@code client_token} the call may repeat its effect.
     *
     * @param named whether the call has a {@code client_token}
     */
    public Repetition repetition(boolean named) {
        boolean canBeLeftOut = Shapes.membersOf(params).stream()
                .anyMatch(member -> member.name().equals(Repetition.NAME) && !member.required());
        return repetition() == Repetition.BOUND && canBeLeftOut && !named ? Repetition.UNBOUND : repetition();
    }

    /** Whether the method waits for an event, see {@link Method#longPoll}. */
    public boolean longPoll() {
        return declared.longPoll();
    }

    /** Whether the method is a read, or the same call may be repeated, see {@link Method#repeatable}. */
    public boolean repeatable() {
        return declared.repeatable();
    }

    /** Whether the call needs background work, see {@link Method#background}. */
    public boolean background() {
        return declared.background();
    }

    /** Returns this method with a handler that first checks for an objection and, if there is one, fails with it. */
    RpcMethod<P, R> unless(Supplier<Optional<RefusedException>> objection) {
        return new RpcMethod<>(name, declared, params, result, spelling, (given, context) -> {
            Optional<RefusedException> refusal = objection.get();
            return refusal.isPresent() ? CompletableFuture.failedFuture(refusal.get()) : handler.call(given, context);
        });
    }

    public Class<P> params() {
        return params;
    }

    public Class<R> result() {
        return result;
    }

    /** Brand-specific names of the members of {@link #params} and {@link #result}. */
    public Spelling spelling() {
        return spelling;
    }

    /** Answers a call, see {@link Handler#call}. */
    public CompletionStage<R> call(P given, CallContext context) {
        return handler.call(given, context);
    }
}
