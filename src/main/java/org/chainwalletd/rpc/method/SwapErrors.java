package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.swap.engine.SwapException;

/** Translator of failures of the swap engine into errors of the catalogue. */
public final class SwapErrors implements ErrorTranslator {
    /** Errors that state that nothing was broadcast, which is not certain when a lock in progress fails with them. */
    private static final Set<ErrorCode> SAY_NOTHING_HAPPENED =
            Set.of(ErrorCode.INTERNAL_ERROR, ErrorCode.TOO_MANY_REQUESTS, ErrorCode.NOT_KEEPER);

    /** @param retryable whether the same call may be repeated; it never locks a second time */
    record Underway(boolean retryable) {}

    private final List<ErrorTranslator> others;

    /** @param others translators of the failures that cause a swap to fail */
    public SwapErrors(List<ErrorTranslator> others) {
        this.others = List.copyOf(others);
    }

    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        if (failure instanceof SwapException.LockUnknown unknown) {
            return Optional.of(underway(unknown));
        }
        return failure instanceof SwapException.Unsettled unsettled
                ? Optional.of(unsettled(unsettled))
                : Optional.empty();
    }

    /** Returns the cause's own error, with a note that the swap has not ended. */
    private RefusedException unsettled(SwapException.Unsettled failure) {
        RefusedException translated = translated(failure.getCause());
        return new RefusedException(
                translated.code(),
                translated.getMessage() + " (swap " + failure.id()
                        + " goes on by itself from where it is: ask swap_status before anything else)",
                translated.data());
    }

    private RefusedException underway(SwapException.LockUnknown failure) {
        RefusedException translated = translated(failure.getCause());
        String why = SAY_NOTHING_HAPPENED.contains(translated.code())
                ? "the daemon could not go on at that moment"
                : translated.getMessage();
        return new RefusedException(
                ErrorCode.UPSTREAM,
                "the outcome of the lock of swap " + failure.id() + " is not known yet, and the daemon goes on with it:"
                        + " ask swap_status, or call swap_execute again, which never locks a second time (" + why
                        + ")",
                new Underway(true));
    }

    private RefusedException translated(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return others.stream()
                .flatMap(translator -> translator.translate(cause).stream())
                .findFirst()
                .orElseGet(() -> cause instanceof RefusedException known
                        ? known
                        : new RefusedException(ErrorCode.UPSTREAM, "no answer in time, or one that cannot be used"));
    }
}
