package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code wait_for_payment}: Waits for a payment that was not pending yet when the call came. A time-out is a normal
 * answer. Needs the read token.
 *
 * @param address of this daemon or of anybody else
 * @param minAmount base units that one transaction must pay; default 1
 * @param timeoutSecs default 60, at most 600
 * @param sinceCursor of `list_credits` for this address with min_confirmations 0, or of an earlier answer: what
 * came after it counts too; the address must be of this daemon
 */
public record WaitForPayment(
        String address, Optional<BigInteger> minAmount, Optional<BigInteger> timeoutSecs, Optional<String> sinceCursor)
        implements Call<WaitForPayment.Result> {
    /** With what must be there. */
    public static WaitForPayment of(String address) {
        return new WaitForPayment(address, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public WaitForPayment withMinAmount(BigInteger minAmount) {
        return new WaitForPayment(address, Optional.of(minAmount), timeoutSecs, sinceCursor);
    }

    public WaitForPayment withTimeoutSecs(BigInteger timeoutSecs) {
        return new WaitForPayment(address, minAmount, Optional.of(timeoutSecs), sinceCursor);
    }

    public WaitForPayment withSinceCursor(String sinceCursor) {
        return new WaitForPayment(address, minAmount, timeoutSecs, Optional.of(sinceCursor));
    }

    @Override
    public String method() {
        return "wait_for_payment";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        minAmount.ifPresent(value -> params.put("min_amount", value));
        timeoutSecs.ifPresent(value -> params.put("timeout_secs", value));
        sinceCursor.ifPresent(value -> params.put("since_cursor", value));
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
     * @param txId hex64, or null when only a larger confirmed balance was seen; absent after a time-out
     * @param amount what the transaction pays to the address, absent after a time-out
     * @param confirmations 0 means seen in the mempool, absent after a time-out
     * @param tipHeight absent after a time-out
     * @param cursor only with since_cursor: behind what was told, for the next call
     */
    public record Result(
            String address,
            Boolean received,
            Boolean timedOut,
            Optional<JsonNode> txId,
            Optional<BigInteger> amount,
            Optional<BigInteger> confirmations,
            Optional<BigInteger> tipHeight,
            BigInteger waitedSecs,
            Optional<String> cursor) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("address", Answer::text),
                    answer.get("received", Answer::truth),
                    answer.get("timed_out", Answer::truth),
                    answer.optional("tx_id", Answer::any),
                    answer.optional("amount", Answer::u64),
                    answer.optional("confirmations", Answer::u64),
                    answer.optional("tip_height", Answer::u64),
                    answer.get("waited_secs", Answer::u64),
                    answer.optional("cursor", Answer::text));
        }
    }
}
