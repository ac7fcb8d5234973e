package org.chainwalletd.rpc;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Hands calls that need background work to the daemon where that runs. */
@FunctionalInterface
public interface Handover {
    /** Hands nothing over. */
    Handover NONE = (request, context) -> Optional.empty();

    /** Signals that a call was handed over and its answer was lost: it may have been carried out. */
    final class OutcomeUnknown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public OutcomeUnknown() {
            super("the answer to a call that was handed over is lost", null, false, false);
        }
    }

    /**
     * Hands a call over; it is carried out at most once.
     *
     * @param request makes the request as JSON in UTF-8, which may hold secrets; called at once or never. The array is overwritten afterwards
     * @return the answer of the other daemon as it is, an empty one when the call has no id; fails with {@link OutcomeUnknown}, or with a {@link
     *     org.chainwalletd.api.RefusedException} when nothing was begun. Empty: the call is answered here
     */
    Optional<CompletionStage<RpcAnswer>> hand(Supplier<byte[]> request, CallContext context);
}
