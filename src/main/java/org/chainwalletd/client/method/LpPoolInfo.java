package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * {@code lp_pool_info}: The liquidity pool. Refused as long as no pool is configured. Needs the read token.
 */
public record LpPoolInfo() implements Call<LpPoolInfo.Result> {
    /** With what must be there. */
    public static LpPoolInfo of() {
        return new LpPoolInfo();
    }

    @Override
    public String method() {
        return "lp_pool_info";
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
     * @param answer what the pool answered
     */
    public record Result(JsonNode answer) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("answer", Answer::any));
        }
    }
}
