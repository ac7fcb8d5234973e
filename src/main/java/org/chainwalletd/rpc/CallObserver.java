package org.chainwalletd.rpc;

import org.chainwalletd.api.Scope;

/**
 * Sees every call that reached a method: for metrics and the audit trail. Called on whatever thread the call runs on; must not block and
 * must not throw.
 */
public interface CallObserver {
    CallObserver NONE = new CallObserver() {};

    default void started(CallContext context, String method, Scope required) {}

    default void ended(CallContext context, CallOutcome outcome) {}

    /** A long poll whose caller has left before it was answered. Takes the place of {@link #ended}. */
    default void abandoned(CallContext context, String method) {}

    /** A call that named no known method, or whose token does not allow the method: {@code outcome} says which by its code. */
    default void refused(CallContext context, CallOutcome outcome) {}
}
