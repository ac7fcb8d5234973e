package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code payment_uri_decode}: Reads a payment URI; unknown fields are dropped, hex comes back in lower case; asks
 * nobody. Needs the read token.
 *
 * @param uri at most 65536 characters; the scheme in either case, a known field at most once, a plus sign stands
 * for itself
 */
public record PaymentUriDecode(String uri) implements Call<PaymentUriDecode.Result> {
    /** With what must be there. */
    public static PaymentUriDecode of(String uri) {
        return new PaymentUriDecode(uri);
    }

    @Override
    public String method() {
        return "payment_uri_decode";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("uri", uri);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param amount base units
     * @param hashLock asks for an HTLC
     * @param timeout block height; only together with hash_lock
     */
    public record Result(
            String address,
            Optional<BigInteger> amount,
            Optional<String> memo,
            Optional<String> hashLock,
            Optional<BigInteger> timeout,
            Optional<String> label) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("address", Answer::text),
                    answer.optional("amount", Answer::u64),
                    answer.optional("memo", Answer::text),
                    answer.optional("hash_lock", Answer::text),
                    answer.optional("timeout", Answer::u64),
                    answer.optional("label", Answer::text));
        }
    }
}
