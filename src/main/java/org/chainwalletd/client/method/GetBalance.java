package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code get_balance}: Confirmed balance of an address; the mempool is not counted. Needs the read token.
 *
 * @param address Address, 64 hex characters
 */
public record GetBalance(String address) implements Call<GetBalance.Result> {
    /** With what must be there. */
    public static GetBalance of(String address) {
        return new GetBalance(address);
    }

    @Override
    public String method() {
        return "get_balance";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param balance Confirmed balance in base units
     */
    public record Result(String address, BigInteger balance) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("address", Answer::text), answer.get("balance", Answer::u64));
        }
    }
}
