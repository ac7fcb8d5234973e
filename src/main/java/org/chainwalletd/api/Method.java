package org.chainwalletd.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a method of the interface. Annotates the record of the method's parameters, which implements {@link Call} of its result. The
 * server, the Java client, {@code rpc.discover}, the reference page and shell completion use it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Method {
    /** Name in JSON-RPC. */
    String name();

    /** Minimum scope of the token. */
    Scope scope();

    /** Sentences for the reference page. */
    String summary();

    /** Errors specific to this method, besides those of every method (parameters, token, internal). */
    ErrorCode[] errors() default {};

    /** Whether the method exists only for older clients. */
    boolean deprecated() default false;

    /**
     * Whether a call only waits for an event, possibly for minutes. Such calls have a limit of their own and do not count against the limit
     * on concurrent requests; those of one batch run concurrently; a call whose caller has left ends at once, regardless of what its stage
     * does later. Never true for a method that moves money.
     */
    boolean longPoll() default false;

    /**
     * Whether the same call may be repeated although it has effects and no {@code client_token}: repeating it has no further effect, because
     * its parameters identify what it creates (ids of payouts) or specify the resulting state. Every read is repeatable. The reference, the
     * page on retries, the help and the exit codes of the command line say so. If the answer exceeds the memory budget, the caller of a
     * repeatable call is told to retry (-32042), whereas the outcome of any other call with effects is always returned.
     */
    boolean repeatable() default false;

    /**
     * Whether the call needs background work, which only one of several daemons on a database runs. The others refuse the call with -32044,
     * which names that daemon, before anything is started.
     */
    boolean background() default false;
}
