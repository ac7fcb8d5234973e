package org.chainwalletd.client;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.chainwalletd.api.Spend;

/**
 * Repeats a spend until it is settled, by the rules of the manual's page on retries: the same call with the same {@code client_token}, as long
 * as its outcome is unknown or the refusal is transient. So at most one payment is made. Blocking.
 *
 * <p>A program that may crash meanwhile records the spend durably before the call, and repeats the call with the same spend after its restart.
 */
public final class Settlement {
    private final WalletdCalls daemon;
    private final Duration patience;
    private final Retries.Pause pause;
    private final LongSupplier nanoTime;

    /**
     * @param patience time after which the last failure is thrown; a later call may still settle the spend
     */
    public Settlement(WalletdCalls daemon, Duration patience) {
        this(daemon, patience, Retries.Pause.SLEEP, System::nanoTime);
    }

    Settlement(WalletdCalls daemon, Duration patience, Retries.Pause pause, LongSupplier nanoTime) {
        this.daemon = daemon;
        this.patience = patience;
        this.pause = pause;
        this.nanoTime = nanoTime;
    }

    /**
     * @return the receipt: a node has accepted the transaction, which is not yet final
     * @throws IllegalArgumentException for a spend without a {@code client_token}: a repeated call would pay again
     * @throws WalletdException for a permanent failure, or the last failure when {@code patience} has elapsed
     */
    public <R> R settle(Spend<R> spend) {
        if (spend.idempotencyToken().isEmpty()) {
            throw new IllegalArgumentException("give the spend a client_token of its own");
        }
        long began = nanoTime.getAsLong();
        Duration next = Retries.FIRST_PAUSE;
        while (true) {
            try {
                return daemon.call(spend);
            } catch (WalletdException failure) {
                if (!Retries.passes(failure)) {
                    throw failure;
                }
                Duration length = Retries.askedFor(failure, next);
                if (nanoTime.getAsLong() - began + length.toNanos() > patience.toNanos()) {
                    throw failure;
                }
                Retries.rest(pause, length, failure);
                next = Retries.longer(next);
            }
        }
    }
}
