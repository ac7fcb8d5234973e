package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.swap.engine.SwapException;
import org.chainwalletd.swap.engine.SwapException.SwapRefusal;

/** Translates refusals and failures of the swap engine into errors of the catalogue. */
public final class SwapErrors implements ErrorTranslator {
    private static final long QUOTES_EXPIRE_SECONDS = 60;

    /** Rows of the table, one for each kind of refusal; a test compares them with the refusals. */
    private static final Map<Class<? extends SwapRefusal>, ErrorCode> CODES = Map.of(
            SwapRefusal.Unsafe.class, ErrorCode.INVALID_PARAMS,
            SwapRefusal.NotOurAddress.class, ErrorCode.WALLET_NOT_FOUND,
            SwapRefusal.TooManySwaps.class, ErrorCode.TOO_MANY_REQUESTS,
            SwapRefusal.UnknownSwap.class, ErrorCode.INVALID_PARAMS,
            SwapRefusal.NotExecuted.class, ErrorCode.INVALID_PARAMS,
            SwapRefusal.NothingLocked.class, ErrorCode.INVALID_PARAMS,
            SwapRefusal.NotDue.class, ErrorCode.TIMEOUT_NOT_REACHED);

    /** Beneath a lock that is under way these say that nothing was broadcast, which then is nobody's to say. */
    private static final Set<ErrorCode> SAY_NOTHING_HAPPENED =
            Set.of(ErrorCode.INTERNAL_ERROR, ErrorCode.TOO_MANY_REQUESTS);

    /** @param retryable whether the same call is safe: it never locks a second time */
    record Underway(boolean retryable) {}

    private final List<ErrorTranslator> others;

    /** @param others for what a swap fails with beneath */
    public SwapErrors(List<ErrorTranslator> others) {
        this.others = List.copyOf(others);
    }

    /** The refusals that have an error. */
    static Set<Class<? extends SwapRefusal>> known() {
        return CODES.keySet();
    }

    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        if (failure instanceof SwapException.Refused refused) {
            return Optional.of(refusal(refused.refusal()));
        }
        if (failure instanceof SwapException.LockUnknown unknown) {
            return Optional.of(underway(unknown));
        }
        return failure instanceof SwapException.Unsettled unsettled
                ? Optional.of(unsettled(unsettled))
                : Optional.empty();
    }

    private static RefusedException refusal(SwapRefusal refusal) {
        return refusal instanceof SwapRefusal.TooManySwaps
                ? RefusedException.tooManyRequests(refusal.message(), QUOTES_EXPIRE_SECONDS)
                : new RefusedException(CODES.get(refusal.getClass()), refusal.message());
    }

    /** The cause's own error, and nothing that could be taken for an end of the swap. */
    private RefusedException unsettled(SwapException.Unsettled failure) {
        RefusedException told = told(failure.getCause());
        return new RefusedException(
                told.code(),
                told.getMessage() + " (swap " + failure.id()
                        + " goes on by itself from where it is: ask swap_status before anything else)",
                told.data());
    }

    private RefusedException underway(SwapException.LockUnknown failure) {
        RefusedException told = told(failure.getCause());
        String why = SAY_NOTHING_HAPPENED.contains(told.code())
                ? "the daemon could not go on at that moment"
                : told.getMessage();
        return new RefusedException(
                ErrorCode.UPSTREAM,
                "the outcome of the lock of swap " + failure.id() + " is not known yet, and the daemon goes on with it:"
                        + " ask swap_status, or call swap_execute again, which never locks a second time (" + why
                        + ")",
                new Underway(true));
    }

    private RefusedException told(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return others.stream()
                .flatMap(translator -> translator.translate(cause).stream())
                .findFirst()
                .orElseGet(() -> cause instanceof RefusedException known
                        ? known
                        : new RefusedException(ErrorCode.UPSTREAM, "no answer in time, or one that cannot be used"));
    }
}
