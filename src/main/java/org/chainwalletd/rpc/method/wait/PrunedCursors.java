package org.chainwalletd.rpc.method.wait;

import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.books.CreditPruning;

/** What is answered to a cursor from before the oldest credits that are kept ({@code --credits-keep-days}). */
final class PrunedCursors {
    /** @param firstCursor the first one that is valid with the same parameters */
    record Data(String firstCursor) {}

    private PrunedCursors() {}

    /** Gives back what was read, or says why it was not. */
    static <T> T read(T answer, Throwable failure) {
        if (failure == null) {
            return answer;
        }
        Throwable cause = Causes.of(failure);
        if (cause instanceof CreditPruning.PrunedException pruned) {
            throw new RpcException(
                    ErrorCode.INVALID_PARAMS,
                    pruned.getMessage(),
                    new Data(pruned.first().text()));
        }
        throw Causes.passedOn(cause);
    }
}
