package org.chainwalletd.client;

import java.util.concurrent.CompletableFuture;
import org.chainwalletd.api.Call;

/** Calls the methods of a daemon, which package {@code api} declares. */
public interface WalletdCalls {
    /**
     * Calls and blocks until the answer arrives.
     *
     * @throws WalletdException when there is no result
     */
    <R> R call(Call<R> call);

    /** Calls without blocking; the stage fails with {@link WalletdException}. Cancelling it cancels the call, whose outcome is then unknown. */
    <R> CompletableFuture<R> callAsync(Call<R> call);
}
