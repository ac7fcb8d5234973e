package org.chainwalletd.observe;

import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.CallObserver;

/** Shows every call to two observers, the first one first. */
public record CallObservers(CallObserver first, CallObserver second) implements CallObserver {
    @Override
    public void started(CallContext context, String method, Scope required) {
        first.started(context, method, required);
        second.started(context, method, required);
    }

    @Override
    public void ended(CallContext context, CallObserver.CallOutcome outcome) {
        first.ended(context, outcome);
        second.ended(context, outcome);
    }

    @Override
    public void abandoned(CallContext context, String method) {
        first.abandoned(context, method);
        second.abandoned(context, method);
    }

    @Override
    public void refused(CallContext context, CallObserver.CallOutcome outcome) {
        first.refused(context, outcome);
        second.refused(context, outcome);
    }
}
