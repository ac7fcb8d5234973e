package org.chainwalletd.rpc.method;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.spend.plan.FeeChoice;

/** Parameters that all spends have in common: the fee, the idempotency token and the memo. */
public final class SpendOptions {
    private static final int MIN_TOKEN_LENGTH = 8;
    private static final int MAX_TOKEN_LENGTH = 128;
    private static final int MAX_MEMO_BYTES = 256;

    static final String LENGTHS = MIN_TOKEN_LENGTH + " to " + MAX_TOKEN_LENGTH + " printable ASCII characters";

    private SpendOptions() {}

    /** @throws RefusedException -32602 when both are given */
    public static FeeChoice fee(OptionalLong feeRate, Optional<Amount> fee) {
        if (fee.isPresent() && feeRate.isPresent()) {
            throw RefusedException.invalidParams("`fee` and `fee_rate` are mutually exclusive; give one");
        }
        if (fee.isPresent()) {
            return new FeeChoice.Fixed(fee.get());
        }
        return feeRate.isPresent() ? new FeeChoice.Rate(feeRate.getAsLong()) : FeeChoice.MINIMUM;
    }

    /**
     * Validates a client token: printable ASCII only, because it is logged.
     *
     * @throws RefusedException -32602 when it is invalid
     */
    public static Optional<String> token(Optional<String> clientToken) {
        clientToken.ifPresent(SpendOptions::checkToken);
        return clientToken;
    }

    /**
     * Validates the caller's note on a spend; an empty memo counts as none.
     *
     * @throws RefusedException -32602 when it is too long
     */
    public static Optional<String> memo(Optional<String> memo) {
        memo.ifPresent(words -> {
            int bytes = words.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > MAX_MEMO_BYTES) {
                throw RefusedException.invalidParams(
                        "`memo` must have at most " + MAX_MEMO_BYTES + " bytes of UTF-8, got " + bytes);
            }
        });
        return memo.filter(words -> !words.isEmpty());
    }

    private static void checkToken(String token) {
        if (!isToken(token)) {
            throw RefusedException.invalidParams("`client_token` must have " + LENGTHS);
        }
    }

    /** Whether a caller can use it as a client token; payout ids share the same namespace. */
    static boolean isToken(String token) {
        boolean printable = token.chars().allMatch(c -> c >= 0x20 && c <= 0x7e);
        return token.length() >= MIN_TOKEN_LENGTH && token.length() <= MAX_TOKEN_LENGTH && printable;
    }
}
