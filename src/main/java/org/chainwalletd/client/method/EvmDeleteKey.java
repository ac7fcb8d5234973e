package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code evm_delete_key}: Deletes the account-chain key for good. Refused while it holds a balance, or its balance
 * is unknown, or a swap is open, unless force is true. Replaced keys stay. Needs the spend token.
 *
 * @param passphrase passphrase of the keystore
 * @param force delete it whatever it holds; default false
 */
public record EvmDeleteKey(String passphrase, Optional<Boolean> force) implements Call<EvmDeleteKey.Result> {
    /** With what must be there. */
    public static EvmDeleteKey of(String passphrase) {
        return new EvmDeleteKey(passphrase, Optional.empty());
    }

    public EvmDeleteKey withForce(Boolean force) {
        return new EvmDeleteKey(passphrase, Optional.of(force));
    }

    @Override
    public String method() {
        return "evm_delete_key";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("passphrase", passphrase);
        force.ifPresent(value -> params.put("force", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "EvmDeleteKey[not shown]";
    }

    /**
     * What the method answers.
     */
    public record Result(String deleted) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("deleted", Answer::text));
        }
    }
}
