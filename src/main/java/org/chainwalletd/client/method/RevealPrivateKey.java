package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code reveal_private_key}: Reveals the secret of a key of any origin. Needs the spend token.
 *
 * @param passphrase passphrase of the keystore
 */
public record RevealPrivateKey(String address, String passphrase) implements Call<RevealPrivateKey.Result> {
    /** With what must be there. */
    public static RevealPrivateKey of(String address, String passphrase) {
        return new RevealPrivateKey(address, passphrase);
    }

    @Override
    public String method() {
        return "reveal_private_key";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        params.put("passphrase", passphrase);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "RevealPrivateKey[not shown]";
    }

    /**
     * What the method answers.
     */
    public record Result(String address, String secretHex) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("address", Answer::text), answer.get("secret_hex", Answer::text));
        }

        @Override
        public String toString() {
            return "Result[not shown]";
        }
    }
}
