package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code lp_deposit_status}: How far a deposit has come. Refused as long as no pool is configured. Needs the read
 * token.
 */
public record LpDepositStatus(String id) implements Call<LpDepositStatus.Result> {
    /** With what must be there. */
    public static LpDepositStatus of(String id) {
        return new LpDepositStatus(id);
    }

    @Override
    public String method() {
        return "lp_deposit_status";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("id", id);
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
