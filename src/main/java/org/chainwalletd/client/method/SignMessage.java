package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code sign_message}: Signs a text with the key of an address, as a proof of ownership. Such a signature can
 * never be taken for one of a transaction or a quote. Needs the spend token.
 *
 * @param message signed as it is, in UTF-8; may be empty
 */
public record SignMessage(String address, String message) implements Call<SignMessage.Result> {
    /** With what must be there. */
    public static SignMessage of(String address, String message) {
        return new SignMessage(address, message);
    }

    @Override
    public String method() {
        return "sign_message";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        params.put("message", message);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     */
    public record Result(String signature, String pubkey, String address) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("signature", Answer::text),
                    answer.get("pubkey", Answer::text),
                    answer.get("address", Answer::text));
        }
    }
}
