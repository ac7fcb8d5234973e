package org.chainwalletd.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.chainwalletd.client.method.Spend;

/**
 * Calls a spend until it is settled, by the rules of the manual's page on retries: the same call with the same {@code client_token}, as long
 * as its outcome is unknown or the refusal passes by itself. So one payment is made or none, and never two. Blocking.
 *
 * <p>A program that may die meanwhile writes the spend down before it calls, and calls again with the same one when it is back.
 */
public final class Settlement {
    private static final int IN_FLIGHT_EXHAUSTED = -32039;
    private static final int TOO_MANY_REQUESTS = -32042;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** Between two calls. */
    @FunctionalInterface
    interface Pause {
        void take(Duration pause) throws InterruptedException;
    }

    private final WalletdMethods daemon;
    private final Duration patience;
    private final Pause pause;
    private final LongSupplier nanoTime;

    /**
     * @param patience how long to go on; then the last failure is thrown, and the spend may still be settled by a later call
     */
    public Settlement(WalletdMethods daemon, Duration patience) {
        this(daemon, patience, length -> Thread.sleep(length.toMillis()), System::nanoTime);
    }

    Settlement(WalletdMethods daemon, Duration patience, Pause pause, LongSupplier nanoTime) {
        this.daemon = daemon;
        this.patience = patience;
        this.pause = pause;
        this.nanoTime = nanoTime;
    }

    /**
     * @return the receipt: a node has taken the transaction, which is not yet final
     * @throws IllegalArgumentException for a spend without a {@code client_token}: a repeated call would pay again
     * @throws WalletdException what does not pass by itself, or the last failure when the patience is used up
     */
    public <R> R settle(Spend<R> spend) {
        if (spend.clientToken().isEmpty()) {
            throw new IllegalArgumentException("give the " + spend.method() + " a client_token of its own");
        }
        long began = nanoTime.getAsLong();
        Duration next = FIRST_PAUSE;
        while (true) {
            try {
                return daemon.call(spend);
            } catch (WalletdException failure) {
                if (!passes(failure)) {
                    throw failure;
                }
                Duration length = askedFor(failure, next);
                if (nanoTime.getAsLong() - began + length.toNanos() > patience.toNanos()) {
                    throw failure;
                }
                rest(length, failure);
                next = shorter(next.multipliedBy(2), LONGEST_PAUSE);
            }
        }
    }

    /** Whether the same call can have another end later. */
    private static boolean passes(WalletdException failure) {
        if (failure instanceof WalletdException.Transport transport) {
            return !(transport instanceof WalletdException.FingerprintMismatch);
        }
        WalletdException.RpcError error = (WalletdException.RpcError) failure;
        return switch (error.kind()) {
            case UPSTREAM, INTERNAL -> true;
            case INSUFFICIENT_BALANCE ->
                error.data("in_flight_reserved").map(JsonNode::asBoolean).orElse(false);
            default -> error.code() == IN_FLIGHT_EXHAUSTED || error.code() == TOO_MANY_REQUESTS;
        };
    }

    private static Duration askedFor(WalletdException failure, Duration otherwise) {
        if (failure instanceof WalletdException.RpcError error && error.code() == TOO_MANY_REQUESTS) {
            return error.data("retry_after_secs")
                    .map(seconds -> Duration.ofSeconds(seconds.asLong()))
                    .orElse(otherwise);
        }
        return otherwise;
    }

    private void rest(Duration length, WalletdException failure) {
        try {
            pause.take(length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
