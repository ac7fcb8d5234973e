package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code lp_withdraw_self}: Cashes shares out. Refused as long as no pool is configured. Needs the spend token.
 *
 * @param shares decimal string
 */
public record LpWithdrawSelf(String chainAddress, String shares) implements Call<LpWithdrawSelf.Result> {
    /** With what must be there. */
    public static LpWithdrawSelf of(String chainAddress, String shares) {
        return new LpWithdrawSelf(chainAddress, shares);
    }

    @Override
    public String method() {
        return "lp_withdraw_self";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("chain_address", chainAddress);
        params.put("shares", shares);
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
