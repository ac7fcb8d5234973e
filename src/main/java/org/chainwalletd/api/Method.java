package org.chainwalletd.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a method of the interface. It stands on the record of the method's parameters, which implements {@link Call} of its result. Server,
 * Java client, {@code rpc.discover}, the reference page and the command line's completion read it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Method {
    /** Name on the wire. */
    String name();

    /** Least scope of a token that may call it. */
    Scope scope();

    /** Sentences for the reference page. */
    String summary();

    /** Errors that this method's own rules can give, besides those that every method can (parameters, token, internal). */
    ErrorCode[] errors() default {};

    /** Whether the method is there only for older clients. */
    boolean deprecated() default false;

    /**
     * Whether a call does nothing but wait for something to happen, for minutes. Such calls are counted by themselves and leave the bound on
     * requests at a time to the others; those of a batch run beside each other; one whose caller has left is ended at once, whatever its
     * stage does later. Never true for a method that moves money.
     */
    boolean longPoll() default false;

    /**
     * Whether the same call may be made again although it is an act without a {@code client_token}: a second one does nothing that the first has not
     * done, because its parameters name what it makes (ids of payouts) or how things are to be afterwards. Every read counts as repeatable. The
     * reference, the page on retries, the help and the exit codes of the command line say so; and when there is no room for the answer, such a
     * call is told to come again (-32042), whereas the outcome of any other act is always given.
     */
    boolean repeatable() default false;

    /**
     * Whether the call needs background work, which one daemon does of those that share a database: at the others it is refused with -32044, which
     * names that daemon, before anything has begun.
     */
    boolean background() default false;
}
