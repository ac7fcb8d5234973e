package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code reveal_mnemonic}: Reveals the 24 words of the seed of a seeded (legacy) keyring. Needs the spend token.
 *
 * @param passphrase passphrase of the keystore
 */
public record RevealMnemonic(String passphrase) implements Call<RevealMnemonic.Result> {
    /** With what must be there. */
    public static RevealMnemonic of(String passphrase) {
        return new RevealMnemonic(passphrase);
    }

    @Override
    public String method() {
        return "reveal_mnemonic";
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
        return "RevealMnemonic[not shown]";
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
