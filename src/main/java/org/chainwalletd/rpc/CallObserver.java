package org.chainwalletd.rpc;

import java.util.Optional;
import org.chainwalletd.api.Audited;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;

/** Observer of every call that reached a method, for metrics and the audit trail. Runs on the thread of the call; must not block or throw. */
public interface CallObserver {
    CallObserver NONE = new CallObserver() {};

    default void started(CallContext context, String method, Scope required) {}

    default void ended(CallContext context, CallOutcome outcome) {}

    /** Reports a long poll whose caller left before it was answered; called instead of {@link #ended}. */
    default void abandoned(CallContext context, String method) {}

    /**
     * Reports a call of an unknown method, or one that its token does not allow or whose token has ended. The code of {@code outcome} tells
     * them apart.
     */
    default void refused(CallContext context, CallOutcome outcome) {}

    /**
     * Outcome of a call.
     *
     * @param method name in the registry; {@code "unknown"} if not registered, so that callers cannot invent names
     * @param required scope that the method requires
     * @param error empty for success
     * @param nanos nanoseconds from the start of the call to its end
     * @param txId {@code tx_id} of the result, if it has one
     * @param audited parameters of a call that moves money, if they could be read
     */
    record CallOutcome(
            String method,
            Scope required,
            Optional<ErrorCode> error,
            long nanos,
            Optional<Hash256> txId,
            Optional<Audited> audited) {
        /** Creates the outcome of a call that moves no money. */
        public CallOutcome(
                String method, Scope required, Optional<ErrorCode> error, long nanos, Optional<Hash256> txId) {
            this(method, required, error, nanos, txId, Optional.empty());
        }

        static final String UNKNOWN_METHOD = "unknown";
    }

    /** Passes every event to two observers, the first one first. */
    record Both(CallObserver first, CallObserver second) implements CallObserver {
        @Override
        public void started(CallContext context, String method, Scope required) {
            first.started(context, method, required);
            second.started(context, method, required);
        }

        @Override
        public void ended(CallContext context, CallOutcome outcome) {
            first.ended(context, outcome);
            second.ended(context, outcome);
        }

        @Override
        public void abandoned(CallContext context, String method) {
            first.abandoned(context, method);
            second.abandoned(context, method);
        }

        @Override
        public void refused(CallContext context, CallOutcome outcome) {
            first.refused(context, outcome);
            second.refused(context, outcome);
        }
    }
}
