package org.chainwalletd.rpc;

import java.util.Optional;
import org.chainwalletd.api.Audited;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;

/**
 * Observer of every call that reached a method: for metrics and the audit trail. Called on whatever thread the call runs on; must not block and must
 * not throw.
 */
public interface CallObserver {
    CallObserver NONE = new CallObserver() {};

    default void started(CallContext context, String method, Scope required) {}

    default void ended(CallContext context, CallOutcome outcome) {}

    /** Reports a long poll whose caller has left before it was answered. Called instead of {@link #ended}. */
    default void abandoned(CallContext context, String method) {}

    /** Reports a call that named no known method, or whose token has ended or does not allow the method: {@code outcome} says which by its code. */
    default void refused(CallContext context, CallOutcome outcome) {}

    /**
     * Outcome of a call.
     *
     * @param method name in the registry; {@code "unknown"} when the registry has none such, so that callers cannot invent names
     * @param required scope that the method needs
     * @param error empty for success
     * @param nanos nanoseconds from the start of the call to its end
     * @param txId the {@code tx_id} of the result, if it has one
     * @param audited parameters of a call that moves money, when they could be read
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

    /** Shows every call to two observers, the first one first. */
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
