package org.chainwalletd.client;

import java.util.concurrent.CompletableFuture;
import org.chainwalletd.api.Call;

/** Calls the methods of a daemon, which package {@code api} declares. */
public interface WalletdCalls {
    /**
     * Waits for the answer.
     *
     * @throws WalletdException when there is no result
     */
    <R> R call(Call<R> call);

    /** Gives the answer later; the stage fails with {@link WalletdException}. Cancelling it gives the call up; whether it was carried out is then unknown. */
    <R> CompletableFuture<R> callAsync(Call<R> call);
}
