package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code evm_reveal_mnemonic}: Reveals the words of the account-chain key; those of the seed where the seed gives
 * the key. Needs the spend token.
 *
 * @param passphrase passphrase of the keystore
 */
public record EvmRevealMnemonic(String passphrase) implements Call<EvmRevealMnemonic.Result> {
    /** With what must be there. */
    public static EvmRevealMnemonic of(String passphrase) {
        return new EvmRevealMnemonic(passphrase);
    }

    @Override
    public String method() {
        return "evm_reveal_mnemonic";
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
        return "EvmRevealMnemonic[not shown]";
    }

    /**
     * What the method answers.
     */
    public record Result(List<String> mnemonic) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(answer.get("mnemonic", Answer.list(Answer::text)));
        }
    }
}
