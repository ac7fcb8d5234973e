package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;

/**
 * {@code allowance_status}: The spend caps that the operator has set, what was spent in the current window, and
 * what remains. Needs the read token.
 */
public record AllowanceStatus() implements Call<AllowanceStatus.Result> {
    /** With what must be there. */
    public static AllowanceStatus of() {
        return new AllowanceStatus();
    }

    @Override
    public String method() {
        return "allowance_status";
    }

    @Override
    public Map<String, Object> params() {
        return Map.of();
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param perTxLimit absent without a cap
     * @param perPeriodLimit absent without a cap
     * @param periodSecs length of the sliding window
     * @param spent within the window, fees included
     * @param remaining absent without a cap per period
     */
    public record Result(
            Optional<BigInteger> perTxLimit,
            Optional<BigInteger> perPeriodLimit,
            BigInteger periodSecs,
            BigInteger spent,
            Optional<BigInteger> remaining) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.optional("per_tx_limit", Answer::u64),
                    answer.optional("per_period_limit", Answer::u64),
                    answer.get("period_secs", Answer::u64),
                    answer.get("spent", Answer::u64),
                    answer.optional("remaining", Answer::u64));
        }
    }
}
