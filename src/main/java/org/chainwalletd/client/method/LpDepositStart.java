package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code lp_deposit_start}: Begins a deposit; answers how to fund it. Refused as long as no pool is configured.
 * Needs the read token.
 *
 * @param evmAddress 0x and 40 hex characters
 */
public record LpDepositStart(String chainAddress, String evmAddress) implements Call<LpDepositStart.Result> {
    /** With what must be there. */
    public static LpDepositStart of(String chainAddress, String evmAddress) {
        return new LpDepositStart(chainAddress, evmAddress);
    }

    @Override
    public String method() {
        return "lp_deposit_start";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("chain_address", chainAddress);
        params.put("evm_address", evmAddress);
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
