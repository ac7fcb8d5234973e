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
 * Method of the interface with the function that answers it. Nearly all are declared by a record of package {@code api}.
 *
 * <p>Parameters are bound by {@link Binder} from the components of {@code P}; see there for the types and annotations. Results are written with
 * snake_case member names; a null or empty-Optional component is omitted unless it carries {@link OrNull}.
 *
 * @param <P> parameter record
 * @param <R> result record
 */
public final class RpcMethod<P extends Record, R> {
    /** Errors that any method can give. */
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

    /** Function that answers calls. */
    @FunctionalInterface
    public interface Handler<P, R> {
        /**
         * Answers a call. Must not block. Fails with {@link RefusedException}, or with a service's own exception that an {@link ErrorTranslator}
         * knows; anything else becomes -32603.
         */
        CompletionStage<R> call(P params, CallContext context);
    }

    /** Members of {@link Method}, see there. */
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

    /** Creates a method that is declared by the record of its parameters. */
    public static <R, C extends Record & Call<R>> RpcMethod<C, R> of(Class<C> call, Handler<C, R> handler) {
        return of(call, Spelling.AS_DECLARED, handler);
    }

    /**
     * Creates a method that passes a question on to a service, and turns the answer into a result.
     *
     * @param executor for turning answers into results
     */
    public static <R, C extends Record & Call<R>, A> RpcMethod<C, R> of(
            Class<C> call, Function<C, CompletionStage<A>> question, Function<A, R> result, Executor executor) {
        return of(call, given -> question.apply(given).thenApplyAsync(result, executor));
    }

    /** As {@link #of(Class, Handler)}, with a handler that does not look at the caller. */
    public static <R, C extends Record & Call<R>> RpcMethod<C, R> of(
            Class<C> call, Function<C, CompletionStage<R>> handler) {
        return of(call, Spelling.AS_DECLARED, (given, context) -> handler.apply(given));
    }

    /** @param spelling names of the members for which the brand has its own words */
    public static <R, C extends Record & Call<R>> RpcMethod<C, R> of(
            Class<C> call, Spelling spelling, Handler<C, R> handler) {
        Call.CallType<C, R> type = Call.CallType.of(call);
        Method method = type.method();
        return new RpcMethod<>(method.name(), Declaration.of(method), type.params(), type.result(), spelling, handler);
    }

    /** Creates a method without a declaring record, and without errors of its own. */
    public static <P extends Record, R> RpcMethod<P, R> of(
            String name, Scope scope, String summary, Class<P> params, Class<R> result, Handler<P, R> handler) {
        Declaration declared = new Declaration(scope, summary, false, List.of(), false, scope == Scope.READ, false);
        return new RpcMethod<>(name, declared, params, result, Spelling.AS_DECLARED, handler);
    }

    /** Returns the same method under another name. */
    public RpcMethod<P, R> named(String other) {
        return new RpcMethod<>(other, declared, params, result, spelling, handler);
    }

    public String name() {
        return name;
    }

    public Scope scope() {
        return declared.scope();
    }

    /** Summary in sentences, for the reference page. */
    public String summary() {
        return declared.summary();
    }

    /** Whether the method is there only for older clients. */
    public boolean deprecated() {
        return declared.deprecated();
    }

    /** Errors that this method's own rules can give, besides those that every method can (parameters, token, internal). */
    public List<ErrorCode> errors() {
        return declared.errors();
    }

    /** Every error that a call can give, in the catalogue's order: the method's own and those of any method. */
    public Set<ErrorCode> allErrors() {
        Set<ErrorCode> all = EnumSet.copyOf(COMMON_ERRORS);
        all.addAll(errors());
        if (declared.background()) {
            all.add(ErrorCode.NOT_KEEPER);
        }
        return all;
    }

    /** Effect of the same call a second time. */
    public Repetition repetition() {
        return Repetition.of(repeatable(), params);
    }

    /**
     * Effect of the same call a second time: one whose {@code client_token} is left out can do the same again.
     *
     * @param named whether the call bears a {@code client_token}
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

    /** Whether the method is a read, or the same call may be made again, see {@link Method#repeatable}. */
    public boolean repeatable() {
        return declared.repeatable();
    }

    /** Whether the call needs background work, see {@link Method#background}. */
    public boolean background() {
        return declared.background();
    }

    /** Returns the method with a handler that first asks for an objection, which it answers instead. */
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

    /** Names of the members of {@link #params} and {@link #result} for which the daemon's brand has its own words. */
    public Spelling spelling() {
        return spelling;
    }

    /** Answers a call, see {@link Handler#call}. */
    public CompletionStage<R> call(P given, CallContext context) {
        return handler.call(given, context);
    }
}
