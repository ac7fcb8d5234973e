package org.chainwalletd.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.chainwalletd.api.ErrorCode;

/**
 * Retry policy: transient failures and the delay before a retry, as on the manual's page on retries. Whether a call may be repeated at all is the
 * caller's decision: a read always, a spend with its {@code client_token}.
 */
final class Retries {
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private Retries() {}

    /** Delay between two calls. */
    @FunctionalInterface
    interface Pause {
        Pause SLEEP = length -> Thread.sleep(length.toMillis());

        void take(Duration pause) throws InterruptedException;
    }

    /** Whether repeating the same call later can have a different outcome. */
    static boolean passes(WalletdException failure) {
        if (failure instanceof WalletdException.Transport transport) {
            return !(transport instanceof WalletdException.FingerprintMismatch);
        }
        WalletdException.RpcError error = (WalletdException.RpcError) failure;
        return switch (ErrorCode.of(error.code()).map(ErrorCode::retry).orElse(ErrorCode.Retry.NO)) {
            case LATER, WITH_TOKEN -> true;
            case IF_IN_FLIGHT ->
                error.data("in_flight_reserved").map(JsonNode::asBoolean).orElse(false);
            case NO, WHEN_DUE -> false;
        };
    }

    /** Returns the delay that the daemon asks for, or {@code otherwise}. */
    static Duration askedFor(WalletdException failure, Duration otherwise) {
        if (failure instanceof WalletdException.RpcError error && error.code() == ErrorCode.TOO_MANY_REQUESTS.code()) {
            return error.data("retry_after_secs")
                    .map(seconds -> Duration.ofSeconds(Math.max(0, seconds.asLong())))
                    .orElse(otherwise);
        }
        return otherwise;
    }

    /** Returns the delay that follows one of {@code length}. */
    static Duration longer(Duration length) {
        Duration doubled = length.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    /** Sleeps, or throws {@code failure} when the thread is interrupted. */
    static void rest(Pause pause, Duration length, WalletdException failure) {
        try {
            pause.take(length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }
}
