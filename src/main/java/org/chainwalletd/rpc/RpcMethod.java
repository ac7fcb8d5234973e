package org.chainwalletd.rpc;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.Spelling;

/**
 * One method of the interface. Implementations are small classes in {@code rpc.method.<family>}: they turn a parameter record into a
 * question to a service and the answer into a result record.
 *
 * <p>Parameters are bound by {@link Binder} from the components of {@code P}; see there for the types and annotations. Results are
 * written with snake_case member names; a null or empty-Optional component is omitted unless it carries {@code
 * @OrNull}.
 *
 * @param <P> parameter record
 * @param <R> result record
 */
public interface RpcMethod<P extends Record, R> {
    String name();

    Scope scope();

    /** One sentence for the reference page. */
    String summary();

    /** Whether the method is there only for older clients. */
    default boolean deprecated() {
        return false;
    }

    /** Errors that this method's own rules can give, besides those that every method can (parameters, token, internal). */
    default List<ErrorCode> errors() {
        return List.of();
    }

    /**
     * Whether a call does nothing but wait for something to happen, for minutes. Such calls are counted by themselves and leave the bound on
     * requests at a time to the others; those of a batch run beside each other; one whose caller has {@linkplain CallContext#gone() left}
     * is ended at once, whatever its stage does later. Never true for a method that moves money.
     */
    default boolean longPoll() {
        return false;
    }

    /**
     * Whether a call changes nothing, so that its caller may be told to come again (-32042) when there is no room for the answer. What tells
     * the outcome of an act is always given.
     */
    default boolean repeatable() {
        return scope() == Scope.READ;
    }

    Class<P> params();

    Class<R> result();

    /** How the members of {@link #params} and {@link #result} are called where the daemon's brand has words of its own for them. */
    default Spelling spelling() {
        return Spelling.AS_DECLARED;
    }

    /**
     * Must not block. Fails with {@link RefusedException}, or with a service's own exception that an {@link ErrorTranslator} knows; anything
     * else becomes -32603.
     */
    CompletionStage<R> call(P params, CallContext context);
}
