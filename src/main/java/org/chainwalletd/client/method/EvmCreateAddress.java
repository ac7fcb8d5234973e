package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code evm_create_address}: Makes the account-chain key of 24 new words. With force it takes the place of another
 * one, which is kept, sealed, unless a swap is open. Needs the manage token.
 *
 * @param force replace an existing key, whatever it holds; default false
 */
public record EvmCreateAddress(Optional<Boolean> force) implements Call<EvmCreateAddress.Result> {
    /** With what must be there. */
    public static EvmCreateAddress of() {
        return new EvmCreateAddress(Optional.empty());
    }

    public EvmCreateAddress withForce(Boolean force) {
        return new EvmCreateAddress(Optional.of(force));
    }

    @Override
    public String method() {
        return "evm_create_address";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        force.ifPresent(value -> params.put("force", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(String address, List<String> mnemonic) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("address", Answer::text), answer.get("mnemonic", Answer.list(Answer::text)));
        }
    }
}
