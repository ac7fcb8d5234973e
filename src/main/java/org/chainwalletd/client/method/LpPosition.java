package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code lp_position}: The shares of an address. Refused as long as no pool is configured. Needs the read token.
 */
public record LpPosition(String address) implements Call<LpPosition.Result> {
    /** With what must be there. */
    public static LpPosition of(String address) {
        return new LpPosition(address);
    }

    @Override
    public String method() {
        return "lp_position";
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
     * @param answer what the pool answered
     */
    public record Result(JsonNode answer) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("answer", Answer::any));
        }
    }
}
