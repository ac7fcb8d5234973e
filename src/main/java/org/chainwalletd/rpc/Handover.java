package org.chainwalletd.rpc;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Forwarding of calls that need background work to the daemon that runs it. */
@FunctionalInterface
public interface Handover {
    /** Forwards nothing. */
    Handover NONE = (request, context) -> Optional.empty();

    /** Signals that the answer to a forwarded call was lost: the call may have been carried out. */
    final class OutcomeUnknown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public OutcomeUnknown() {
            super("the answer to a forwarded call was lost", null, false, false);
        }
    }

    /**
     * Forwards a call, which is carried out at most once.
     *
     * @param request serializes the request to UTF-8 JSON, which may hold secrets; called immediately or never. The array is overwritten
     *     afterwards
     * @return the other daemon's answer unchanged, an empty one when the call has no id; fails with {@link OutcomeUnknown}, or with a
     *     {@link org.chainwalletd.api.RefusedException} when nothing was started. Empty if the call is to be answered here
     */
    Optional<CompletionStage<RpcAnswer>> forward(Supplier<byte[]> request, CallContext context);
}
