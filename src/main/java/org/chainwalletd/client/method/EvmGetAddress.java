package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;

/**
 * {@code evm_get_address}: The address of the account-chain key; null while there is none. On a seeded keyring
 * without a key of its own, the one of the seed. Needs the read token.
 */
public record EvmGetAddress() implements Call<EvmGetAddress.Result> {
    /** With what must be there. */
    public static EvmGetAddress of() {
        return new EvmGetAddress();
    }

    @Override
    public String method() {
        return "evm_get_address";
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
     * @param created whether there is a key
     */
    public record Result(Optional<String> address, Boolean created) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.optional("address", Answer::text), answer.get("created", Answer::truth));
        }
    }
}
