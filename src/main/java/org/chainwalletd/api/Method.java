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
     * Whether a call of a scope above read changes nothing all the same, so that its caller may be told to come again when there is no room for
     * the answer. What tells the outcome of an act is always given.
     */
    boolean repeatable() default false;
}
