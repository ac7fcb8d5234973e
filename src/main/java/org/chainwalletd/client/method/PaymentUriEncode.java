package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code payment_uri_encode}: Writes a request for a payment as a URI, fields in their canonical order, texts
 * percent-encoded; asks nobody. Needs the read token.
 *
 * @param amount base units
 * @param hashLock asks for an HTLC
 * @param timeout block height; only together with hash_lock
 */
public record PaymentUriEncode(
        String address,
        Optional<BigInteger> amount,
        Optional<String> memo,
        Optional<String> hashLock,
        Optional<BigInteger> timeout,
        Optional<String> label)
        implements Call<PaymentUriEncode.Result> {
    /** With what must be there. */
    public static PaymentUriEncode of(String address) {
        return new PaymentUriEncode(
                address, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    public PaymentUriEncode withAmount(BigInteger amount) {
        return new PaymentUriEncode(address, Optional.of(amount), memo, hashLock, timeout, label);
    }

    public PaymentUriEncode withMemo(String memo) {
        return new PaymentUriEncode(address, amount, Optional.of(memo), hashLock, timeout, label);
    }

    public PaymentUriEncode withHashLock(String hashLock) {
        return new PaymentUriEncode(address, amount, memo, Optional.of(hashLock), timeout, label);
    }

    public PaymentUriEncode withTimeout(BigInteger timeout) {
        return new PaymentUriEncode(address, amount, memo, hashLock, Optional.of(timeout), label);
    }

    public PaymentUriEncode withLabel(String label) {
        return new PaymentUriEncode(address, amount, memo, hashLock, timeout, Optional.of(label));
    }

    @Override
    public String method() {
        return "payment_uri_encode";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        amount.ifPresent(value -> params.put("amount", value));
        memo.ifPresent(value -> params.put("memo", value));
        hashLock.ifPresent(value -> params.put("hash_lock", value));
        timeout.ifPresent(value -> params.put("timeout", value));
        label.ifPresent(value -> params.put("label", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(String uri) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("uri", Answer::text));
        }
    }
}
