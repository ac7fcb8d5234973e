package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code reveal_evm_private_key}: Reveals the secret of the account-chain key. Needs the spend token.
 *
 * @param passphrase passphrase of the keystore
 */
public record RevealEvmPrivateKey(String passphrase) implements Call<RevealEvmPrivateKey.Result> {
    /** With what must be there. */
    public static RevealEvmPrivateKey of(String passphrase) {
        return new RevealEvmPrivateKey(passphrase);
    }

    @Override
    public String method() {
        return "reveal_evm_private_key";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("passphrase", passphrase);
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    @Override
    public String toString() {
        return "RevealEvmPrivateKey[not shown]";
    }

    /**
     * What the method answers.
     */
    public record Result(String address, String privateKeyHex) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("address", Answer::text), answer.get("private_key_hex", Answer::text));
        }

        @Override
        public String toString() {
            return "Result[not shown]";
        }
    }
}
