package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code wait_for_tx}: Waits until a transaction has enough confirmations; one that is unknown or in the mempool is
 * waited for. Needs the read token.
 *
 * @param minConfirmations default 1, which means in the tip's block; 0 is taken as 1
 * @param timeoutSecs default 60, at most 600; 0 tells what is so now
 */
public record WaitForTx(String txId, Optional<Long> minConfirmations, Optional<BigInteger> timeoutSecs)
        implements Call<WaitForTx.Result> {
    /** With what must be there. */
    public static WaitForTx of(String txId) {
        return new WaitForTx(txId, Optional.empty(), Optional.empty());
    }

    public WaitForTx withMinConfirmations(Long minConfirmations) {
        return new WaitForTx(txId, Optional.of(minConfirmations), timeoutSecs);
    }

    public WaitForTx withTimeoutSecs(BigInteger timeoutSecs) {
        return new WaitForTx(txId, minConfirmations, Optional.of(timeoutSecs));
    }

    @Override
    public String method() {
        return "wait_for_tx";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("tx_id", txId);
        minConfirmations.ifPresent(value -> params.put("min_confirmations", value));
        timeoutSecs.ifPresent(value -> params.put("timeout_secs", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public Duration waits() {
        return Duration.ofSeconds(timeoutSecs
                .orElse(BigInteger.valueOf(60))
                .min(BigInteger.valueOf(600))
                .longValue());
    }

    /**
     * What the method answers.
     *
     * @param confirmations at least min_confirmations
     */
    public record Result(String txId, String blockId, BigInteger blockHeight, BigInteger confirmations) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("tx_id", Answer::text),
                    answer.get("block_id", Answer::text),
                    answer.get("block_height", Answer::u64),
                    answer.get("confirmations", Answer::u64));
        }
    }
}
