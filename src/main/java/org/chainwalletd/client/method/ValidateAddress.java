package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code validate_address}: Tells whether a text has the form of an address; asks no node. Needs the read token.
 *
 * @param address Any text
 */
public record ValidateAddress(String address) implements Call<ValidateAddress.Result> {
    /** With what must be there. */
    public static ValidateAddress of(String address) {
        return new ValidateAddress(address);
    }

    @Override
    public String method() {
        return "validate_address";
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
     * @param normalized The address in lower case, null when it is none
     */
    public record Result(Boolean valid, Optional<String> normalized) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("valid", Answer::truth), answer.optional("normalized", Answer::text));
        }
    }
}
