package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code delete_address}: Deletes a key for good. Refused while its address holds or awaits coins, is needed by a
 * spend in flight, or cannot be checked, unless force is true. Needs the spend token.
 *
 * @param passphrase passphrase of the keystore
 * @param force delete it whatever it holds, also when its sealed file is damaged; default false
 */
public record DeleteAddress(String address, String passphrase, Optional<Boolean> force)
        implements Call<DeleteAddress.Result> {
    /** With what must be there. */
    public static DeleteAddress of(String address, String passphrase) {
        return new DeleteAddress(address, passphrase, Optional.empty());
    }

    public DeleteAddress withForce(Boolean force) {
        return new DeleteAddress(address, passphrase, Optional.of(force));
    }

    @Override
    public String method() {
        return "delete_address";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
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
        return "DeleteAddress[not shown]";
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
